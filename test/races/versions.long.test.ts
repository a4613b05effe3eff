import { expect, test } from "bun:test";
import { verified } from "../support/faults/verified.ts";
import { whileSweeping } from "../support/samples/contents.ts";
import { hashOf } from "../support/samples/hash.ts";
import { Random } from "../support/server/random.ts";
import { SEED } from "../support/server/seed.ts";
import { startWorld } from "../support/server/world.ts";

test("contents of versions are whole, or gone, while they end, are pruned and collected", async () => {
  await using coffer = await startWorld({ "keep-days": "2", "storage-limits": "team=400000" });
  const { ada } = coffer.clients;
  const drive = await ada.makeDrive("R");
  const seen = { whole: 0, gone: 0 };
  const lane = async (index: number) => {
    const random = new Random(SEED + index);
    const address = `/v0/files?drive_id=${drive.id}&path=${index}`;
    for (let round = 0; round < 150; round += 1) {
      const body = Buffer.alloc(random.pick([100, 20_000, 70_000]), `${random.below(3)} `);
      const { status, text } = await ada.send("PUT", address, { body });
      // What is replaced may take up too much of the disk for a minute.
      if (status === 403) continue;
      const { id }: { id: string } = JSON.parse(text);
      const list = await ada.get<{ data: { version: number; content_hash: string }[] }>(
        `/v0/files/${id}/versions`,
      );
      const version = list.data.at(random.below(list.data.length));
      if (version === undefined) continue;
      const one = `/v0/files/${id}/versions/${version.version}`;
      if (random.chance(0.3)) await ada.send("POST", `${one}/restore`);
      const response = await ada.fetch("GET", `${one}/download`);
      const bytes = await response.bytes();
      if (response.status === 200) expect(`sha256:${hashOf(bytes)}`).toBe(version.content_hash);
      else expect(response.status).toBe(404);
      seen[response.status === 200 ? "whole" : "gone"] += 1;
    }
  };
  const { appliance, clock } = coffer;
  await whileSweeping({ ...appliance, clock }, 30 * 60 * 1000, () =>
    Promise.all(Array.from({ length: 6 }, (_, index) => lane(index))),
  );
  expect(seen.whole).toBeGreaterThan(0);
  expect(coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await coffer.close();
  expect(await verified(coffer.dataDir)).toEqual([]);
});
