import { expect } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../../../src/blobs/blob-store.ts";
import { type BlobFacts, DamagedBlob } from "../../../src/blobs/blob-file.ts";
import { diskAt } from "../../../src/blobs/disk-paths.ts";
import { Database } from "../../../src/db/engine/database.ts";
import { openTables } from "../../../src/db/tables.ts";
import { createLog } from "../../../src/process/log.ts";
import { DamagedBlobs } from "../../../src/services/contents/blob-checks.ts";
import { flipped, put, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { openBlobStore } from "../../support/server/open-blob-store.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { fileOf } from "../../support/samples/contents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { testWith } from "../../support/server/test-with.ts";

/** A store, and what remembers its damage. */
const it = testWith(async () => {
  const { path: root, [Symbol.asyncDispose]: remove } = await temporaryDirectory(FAST_DIRECTORY);
  const clock = new FakeClock();
  const database = Database.open(join(root, "coffer.db"), clock);
  const tables = openTables(database);
  const { smallContents: small, damagedContents: damaged } = tables;
  const blobs = await openBlobStore([diskAt(root)], { small, damaged });
  const log = createLog({ format: "json", clock, write: () => {} });
  const contents = new DamagedBlobs({ tables, blobs, clock, log });
  const close = () => database.close().then(remove);
  return { root, database, tables, blobs, contents, [Symbol.asyncDispose]: close };
});

async function damageOf(blobs: BlobStore, content: BlobFacts): Promise<DamagedBlob> {
  const error = await failureOf(Array.fromAsync(blobs.pieces(content)));
  if (error instanceof DamagedBlob) return error;
  throw error;
}

it("a content is read in pieces of at most 64 KiB", async ({ blobs }) => {
  using content = await put(blobs, sampleBytes(1_000_000));
  let bytes = 0;
  for await (const { length } of blobs.pieces(content)) {
    expect(length).toBeLessThanOrEqual(64 * 1024);
    bytes += length;
  }
  expect(bytes).toBe(1_000_000);
});

it("damage is not remembered once the content was written anew, or has no row", async (opened) => {
  const { blobs, tables, contents, database } = opened;
  const bytes = sampleBytes(100_000);
  using content = await put(blobs, bytes);
  const { digest, size } = content;
  await writeFile(fileOf(opened.root, digest), flipped(bytes));
  const damage = await damageOf(blobs, content);
  expect(await contents.remember(damage)).toBe(false);
  await database.write(() => tables.blobs.ensure(digest, size, null));
  expect(await contents.remember(damage)).toBe(true);
  expect(tables.damagedContents.problemOf(digest)).toBe("does not match its SHA-256");
  using healed = await put(blobs, bytes);
  expect(healed.isWritten).toBe(true);
  await contents.check(content);
  expect([await contents.remember(damage), tables.damagedContents.problemOf(digest)]).toEqual([false, null]);
});

it("only an upload that has written a file itself may clear its damage", async (opened) => {
  const { blobs, tables, contents, database } = opened;
  // So large that an upload is matched by its size.
  const bytes = sampleBytes(1_100_000);
  using first = await put(blobs, bytes);
  const { digest, size } = first;
  await database.write(() => tables.blobs.ensure(digest, size, null));
  await writeFile(fileOf(opened.root, digest), flipped(bytes));
  using matched = await put(blobs, bytes);
  await contents.remember(await damageOf(blobs, first));
  using written = await put(blobs, bytes);
  expect([first, matched, written].map(({ isWritten }) => isWritten)).toEqual([true, false, true]);
  expect(await Array.fromAsync(blobs.pieces(first), ({ length }) => length)).not.toBeEmpty();
});
