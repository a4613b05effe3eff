import { describe, expect } from "bun:test";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LeaseList, writeLeaseList } from "../../src/blobs/bucket/lease-list.ts";
import { type Digest, parseDigest } from "../../src/domain/contents/content.ts";
import { present } from "../../src/domain/errors.ts";
import { flipped } from "../support/samples/blob-store-contract.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

/** More than one piece holds. */
const MANY = 5000;

async function open() {
  const directory = await temporaryDirectory(FAST_DIRECTORY);
  const path = join(directory.path, "list");
  return {
    path,
    write: async (digests: readonly Digest[]) => {
      await rm(path, { force: true });
      return writeLeaseList(path, each(digests));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function* each(digests: readonly Digest[]): AsyncGenerator<Digest> {
  yield* digests;
}

function digestOf(text: string): Digest {
  return present(parseDigest(Bun.SHA256.hash(text, "hex")), "a digest");
}

const all = Array.from({ length: MANY }, (_, n) => digestOf(`there ${n}`)).toSorted();

const it = testWith(open);

describe("the list of a lease", () => {
  it("has what was written, and nothing else, however much that is", async (t) => {
    for (const count of [0, 1, 2, 2047, 2048, 2049, MANY]) {
      const digests = all.slice(0, count);
      const sha256 = await t.write(digests);
      expect(sha256).toBe(present(parseDigest(Bun.SHA256.hash(await Bun.file(t.path).bytes(), "hex")), "it"));
      const list = present(await LeaseList.open(t.path), "the list");
      expect([count, await Array.fromAsync(list.digests())]).toEqual([count, digests]);
      for (const digest of digests) if (!(await list.has(digest))) throw new Error(`${count}: ${digest}`);
      for (let n = 0; n < 500; n++) expect(await list.has(digestOf(`other ${n}`))).toBe(false);
    }
  });

  it("is none if anything of it is wrong or missing", async (t) => {
    await t.write(all.slice(0, 100));
    const bytes = await Bun.file(t.path).bytes();
    await writeFile(t.path, flipped(bytes));
    expect(await LeaseList.open(t.path)).toBeNull();
    for (const length of [0, 31, 32, bytes.length - 32, bytes.length - 1]) {
      await writeFile(t.path, bytes);
      await truncate(t.path, length);
      expect([length, await LeaseList.open(t.path)]).toEqual([length, null]);
    }
    await rm(t.path);
    expect(await LeaseList.open(t.path)).toBeNull();
  });

  it("is not written out of order, in which nothing would be found", async (t) => {
    expect(await refusalOf(t.write(all.slice(0, 3).toReversed()))).toContain("not in the order");
  });
});
