import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { MIB } from "../../../src/domain/limits.ts";
import { type IndexBatchId, newId } from "../../../src/domain/id.ts";
import { IndexWork } from "../../../src/services/search/index-work.ts";
import { startWithDrive } from "../../support/server/scenario.ts";

/** The bytes that are in use once all garbage is collected. */
function memory(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

test("what has nothing to index gives back the memory of the words that it knew", async () => {
  await using started = await startWithDrive();
  const { appliance, own, dataDir } = started;
  await appliance.services.indexer.stop();
  await own.client.put(own.id, "a.txt", Array.from({ length: 9000 }, (_, n) => `remarkably${n}`).join(" "));
  await started.close();
  const [first, second] = [newId<IndexBatchId>(0), newId<IndexBatchId>(0)];
  const work = new IndexWork();
  await work.open(
    { database: join(dataDir, "coffer.db"), blobs: { disks: [dataDir], store: null } },
    null,
    first,
  );
  const after = { names: 0, texts: 0, gone: 0 };
  const request = { drive: null, after, upTo: 1000, documents: [], previous: first, id: second };
  expect((await work.index(request)).done).toHaveLength(1);
  const before = memory();
  while (work.release());
  expect(before - memory()).toBeGreaterThan(MIB);
  work.close(second);
});
