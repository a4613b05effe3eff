import { describe, expect } from "bun:test";
import type { Digest } from "../../../src/domain/contents/content.ts";
import { S3Refused } from "../../../src/s3/errors.ts";
import { type S3Options, S3Requests, takeHead } from "../../../src/s3/requests.ts";
import { PART_BYTES, S3Bucket } from "../../../src/s3/s3-bucket.ts";
import { testWith } from "../server/test-with.ts";
import { digestOf, flipped, sampleBytes } from "./blob-store-contract.ts";
import { failureOf } from "./failure.ts";

/** An empty part of a bucket; disposing it removes what is in it. */
export interface OpenedBucket extends AsyncDisposable {
  readonly options: S3Options;
}

/** A store that has buckets. */
interface BucketKind {
  readonly name: string;
  /** Whether one of several that write at once succeeds. */
  readonly hasConditions: boolean;
  readonly open: () => Promise<OpenedBucket>;
}

const RACERS = 20;
/** Names that somebody encodes, decodes, orders or splits wrongly. */
const NAMES = [
  "a b",
  "a%20b",
  "a+b",
  "a/b//c",
  "a&b<c>\"d'",
  "(a)!*~",
  "k=v?x#y",
  "ä/日本/😀",
  "a\u0001b",
  "a..b/.c",
];

function put(bucket: S3Bucket, name: string, bytes: Uint8Array<ArrayBuffer>, onlyIfAbsent = false) {
  return bucket.put(name, new Blob([bytes]), { sha256: digestOf(bytes), onlyIfAbsent });
}

/** All bytes of an object, or of a range; null if there is none. */
export async function bytesOf(
  bucket: S3Bucket,
  name: string,
  range?: Parameters<S3Bucket["get"]>[1],
): Promise<Uint8Array | null> {
  const content = await bucket.get(name, range);
  if (content === null) return null;
  const bytes = await new Response(content.body).bytes();
  expect(bytes.length).toBe(content.size);
  return bytes;
}

async function namesIn(bucket: S3Bucket, prefix = "", after?: string): Promise<string[]> {
  return Array.fromAsync(bucket.list(prefix, after), ({ name }) => name);
}

/** What a bucket promises, whichever store has it. */
export function describeBucket({ name: kind, hasConditions, open }: BucketKind): void {
  const it = testWith(async () => {
    const opened = await open();
    return {
      ...opened,
      bucket: new S3Bucket(opened.options),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  });

  describe(kind, () => {
    it("an object is what was written last, whole and in ranges", async ({ bucket }) => {
      const bytes = sampleBytes(200_000);
      expect(await put(bucket, "a/b", sampleBytes(10))).toBe("written");
      expect(await put(bucket, "a/b", bytes)).toBe("written");
      expect(await bytesOf(bucket, "a/b")).toEqual(bytes);
      for (const [start = 0, end = 0] of [
        [0, 1],
        [199_999, 200_000],
        [5, 100_000],
        [0, 200_000],
        [7, 7],
      ]) {
        expect(await bytesOf(bucket, "a/b", { start, end })).toEqual(bytes.subarray(start, end));
      }
      const found = await bucket.head("a/b");
      expect(found).toEqual({
        name: "a/b",
        size: 200_000,
        etag: expect.any(String),
        modifiedAt: expect.any(Number),
      });
      expect((await bucket.get("a/b"))?.etag).toBe(found?.etag ?? "");
    });

    it("a range that ends or begins past the end has the bytes that are there", async ({ bucket }) => {
      const bytes = sampleBytes(100);
      await put(bucket, "a", bytes);
      expect(await bytesOf(bucket, "a", { start: 90, end: 200 })).toEqual(bytes.subarray(90));
      expect(await bytesOf(bucket, "a", { start: 100, end: 200 })).toEqual(new Uint8Array());
    });

    it("an object may be empty", async ({ bucket }) => {
      expect(await put(bucket, "empty", new Uint8Array())).toBe("written");
      expect(await bytesOf(bucket, "empty")).toEqual(new Uint8Array());
      expect(await bytesOf(bucket, "empty", { start: 0, end: 10 })).toEqual(new Uint8Array());
      expect(await bucket.head("empty")).toMatchObject({ size: 0 });
    });

    it("what is not there is null, and removed without an error", async ({ bucket }) => {
      expect(await bucket.head("none")).toBeNull();
      expect(await bucket.get("none")).toBeNull();
      expect(await bucket.get("none", { start: 0, end: 0 })).toBeNull();
      await bucket.remove(["none"]);
      expect(await namesIn(bucket)).toEqual([]);
    });

    it("any name leads to its object, and is listed as it is", async ({ bucket }) => {
      for (const name of NAMES) await put(bucket, name, new TextEncoder().encode(name));
      for (const name of NAMES) {
        expect([name, new TextDecoder().decode((await bytesOf(bucket, name)) ?? undefined)]).toEqual([
          name,
          name,
        ]);
      }
      const inOrder = NAMES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await namesIn(bucket)).toEqual(inOrder);
      await bucket.remove(NAMES);
      expect(await namesIn(bucket)).toEqual([]);
    });

    it("a list has all under a prefix, in order, from after a name on", async ({ bucket }) => {
      const names = Array.from({ length: 11 }, (_, n) => `some/${String(n).padStart(2, "0")}`);
      await Promise.all(names.map((name, n) => put(bucket, name, sampleBytes(n))));
      await put(bucket, "somewhere", sampleBytes(1));
      expect(await namesIn(bucket, "some/")).toEqual(names);
      expect(await namesIn(bucket, "some/", "some/06")).toEqual(names.slice(7));
      expect(await namesIn(bucket, "none/")).toEqual([]);
      const sizes = await Array.fromAsync(bucket.list("some/"), ({ size }) => size);
      expect(sizes).toEqual(names.map((_, n) => n));
    });

    it("nothing under another prefix is seen or removed", async ({ bucket, options }) => {
      const other = new S3Bucket({ ...options, prefix: `${options.prefix}inner/` });
      await put(other, "x", sampleBytes(5));
      await put(bucket, "x", sampleBytes(6));
      expect(await namesIn(other)).toEqual(["x"]);
      await other.remove(["x"]);
      expect(await namesIn(bucket)).toEqual(["x"]);
    });

    it("what is written only if it is absent leaves what is there", async ({ bucket, options }) => {
      for (const size of [100, 100_000]) {
        const bytes = sampleBytes(size);
        const name = `size/${size}`;
        expect([size, await put(bucket, name, bytes, true)]).toEqual([size, "written"]);
        for (const again of [bucket, new S3Bucket(options)]) {
          expect([size, await put(again, name, sampleBytes(size, 2), true)]).toEqual([size, "present"]);
        }
        expect(await bytesOf(bucket, name)).toEqual(bytes);
      }
    });

    if (hasConditions) {
      it("of many that write at once one succeeds, and all others are told", async ({ bucket, options }) => {
        const buckets = Array.from({ length: RACERS }, (_, n) =>
          n % 2 === 0 ? bucket : new S3Bucket(options),
        );
        const outcomes = await Promise.all(
          buckets.map((each, n) => put(each, "one", sampleBytes(50, n + 1), true)),
        );
        // One that learns whether the store takes conditions writes twice.
        expect(outcomes.filter((outcome) => outcome === "written")).toEqual(["written"]);
        const winner = outcomes.indexOf("written");
        expect(await bytesOf(bucket, "one")).toEqual(sampleBytes(50, winner + 1));
      });
    }

    it("bytes that do not match their digest are refused, also in parts, and nothing is there", async ({
      bucket,
      options,
    }) => {
      const { partBytes = PART_BYTES } = options;
      for (const size of [1000, partBytes + 1000]) {
        const bytes = sampleBytes(size);
        const blob = new Blob([flipped(bytes)]);
        const refused = await failureOf(() => bucket.put("wrong", blob, { sha256: digestOf(bytes) }));
        expect([size, refused]).toEqual([size, expect.any(S3Refused)]);
        expect(await bucket.head("wrong")).toBeNull();
      }
      expect(await bucket.abortUploads(Number.POSITIVE_INFINITY)).toBe(0);
    });

    it("a large object is written in parts, which leave nothing else behind", async ({ bucket, options }) => {
      const { partBytes = PART_BYTES } = options;
      const bytes = sampleBytes(2 * partBytes + 5);
      const sha256: Digest = digestOf(bytes);
      expect(await bucket.put("large", new Blob([bytes]), { sha256, onlyIfAbsent: true })).toBe("written");
      expect(await bucket.put("large", new Blob([bytes]), { sha256, onlyIfAbsent: true })).toBe("present");
      expect(digestOf((await bytesOf(bucket, "large")) ?? new Uint8Array())).toBe(sha256);
      const part = { start: partBytes - 3, end: partBytes + 3 };
      expect(await bytesOf(bucket, "large", part)).toEqual(bytes.subarray(part.start, part.end));
      expect(await bucket.abortUploads(Number.POSITIVE_INFINITY)).toBe(0);
    });

    it("uploads that a crash left are aborted, and no later ones", async ({ bucket, options }) => {
      const requests = new S3Requests(options);
      for (const name of ["a", "b", "c", "d", "e"]) {
        const key = `${options.prefix}${name}`;
        await requests.ask({ method: "POST", name: key, query: { uploads: "" } }, takeHead);
      }
      expect(await bucket.abortUploads(0)).toBe(0);
      expect(await bucket.abortUploads(Number.POSITIVE_INFINITY)).toBe(5);
      expect(await bucket.abortUploads(Number.POSITIVE_INFINITY)).toBe(0);
    });

    it("the rest of an object is read only of the same one", async ({ bucket, options }) => {
      const requests = new S3Requests(options);
      await put(bucket, "a", sampleBytes(100));
      const etag = (await bucket.head("a"))?.etag ?? "";
      const headers = { range: "bytes=90-99", "if-match": etag };
      const request = { method: "GET", name: `${options.prefix}a`, headers } as const;
      expect(await requests.try(request, takeHead)).toMatchObject({ status: 206 });
      await put(bucket, "a", sampleBytes(100, 2));
      expect(await requests.try(request, takeHead)).toMatchObject({ status: 412 });
    });

    it("a reader that leaves holds nothing up", async ({ bucket }) => {
      const bytes = sampleBytes(3_000_000);
      await put(bucket, "a", bytes);
      for (let round = 0; round < 5; round++) {
        const reader = (await bucket.get("a"))?.body.getReader();
        expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
        await reader?.cancel();
      }
      expect(digestOf((await bytesOf(bucket, "a")) ?? new Uint8Array())).toBe(digestOf(bytes));
    });

    it("a presigned address gives the object to anybody, with the headers that it names", async ({
      bucket,
    }) => {
      await put(bucket, "a b", new TextEncoder().encode("hello"));
      const disposition = 'attachment; filename="a b+c.txt"';
      const shownAs = { "content-type": "text/plain", "content-disposition": disposition };
      const address = await bucket.presignedGet("a b", 60, shownAs);
      const response = await fetch(address);
      expect([response.status, await response.text()]).toEqual([200, "hello"]);
      expect(response.headers.get("content-type")).toContain("text/plain");
      expect(response.headers.get("content-disposition")).toBe(disposition);
      const forged = await fetch(address.replace("a%20b", "a%20c"));
      expect(forged.status).toBe(403);
      await forged.text();
    });
  });
}
