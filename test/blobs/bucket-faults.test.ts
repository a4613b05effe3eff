import { describe, expect, test } from "bun:test";
import { DamagedBlob } from "../../src/blobs/blob-file.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { always, nth, type S3Fault, SLOW_DOWN } from "../support/peers/s3-server.ts";
import { digestOf, put, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { openBucket } from "../support/server/open-bucket.ts";
import { someOf } from "../support/server/thorough.ts";

const SIZE = 200_000;
/** Small parts, and a short wait for what does not come. */
const s3 = { partBytes: 64 * 1024, patience: { answerMs: 100, stallMs: 100 } };

const UPLOAD_FAULTS: readonly S3Fault[] = [
  SLOW_DOWN,
  { kind: "answer", status: 500, code: "InternalError" },
  { kind: "answer", status: 403, code: "AccessDenied" },
  { kind: "cut" },
  { kind: "lost" },
  { kind: "silent" },
];

describe("a fault at any request of an upload", () => {
  const lasting: [name: string, of: (n: number, fault: S3Fault) => (asked: string) => S3Fault | null][] = [
    ["once", nth],
    ["from then on", from],
  ];
  test.each(lasting)("%s: it succeeds, or names nothing that is not whole", async (_, faultAt) => {
    await using opened = await openBucket({ s3 });
    const { store, server, clock, access } = opened;
    (await put(store, sampleBytes(SIZE))).unpin();
    const requests = server.asked.length;
    expect(requests).toBeGreaterThan(5);
    let [succeeded, seed] = [0, 1];
    for (const fault of someOf(UPLOAD_FAULTS, 3)) {
      for (let n = 1; n <= requests; n++) {
        const bytes = sampleBytes(SIZE, ++seed);
        const digest = digestOf(bytes);
        const faulty = faultAt(n, fault);
        // The end of an upload in parts may take a store minutes.
        server.fault = (asked) =>
          fault.kind === "silent" && /^POST .*uploadId/.test(asked) ? null : faulty(asked);
        const failure = await put(store, bytes).then(
          (blob) => blob.unpin(),
          (error: unknown) => error,
        );
        server.fault = () => null;
        const found = server.objects.get(opened.nameOf(digest));
        if (failure === undefined) succeeded += 1;
        else
          expect([fault, n, failure]).toEqual([fault, n, expect.objectContaining({ code: "UNAVAILABLE" })]);
        if (failure === undefined || found !== undefined) expect(found).toEqual(Buffer.from(bytes));
        expect(opened.temporary()).toEqual([]);
        // Whatever it says, it is back.
        clock.advance(60_000);
        await access.look();
        expect(access.away).toBeNull();
      }
    }
    // Most are answered at another attempt.
    if (faultAt === nth) expect(succeeded).toBeGreaterThan(requests);
  });
});

const DOWNLOAD_FAULTS: readonly S3Fault[] = [
  ...UPLOAD_FAULTS,
  ...[0, 100_000, SIZE - 1].flatMap((after): S3Fault[] => [
    { kind: "cut-body", after },
    { kind: "stall", after },
    { kind: "wrong-byte", after },
    { kind: "short", after },
  ]),
];

describe.each([
  ["kept", 64 * 1024 * 1024],
  ["passed on", 0],
])("a fault at any request of a download that is %s", (_, cacheBytes) => {
  const lasting: [name: string, of: (fault: S3Fault) => (asked: string) => S3Fault | null][] = [
    ["once", (fault) => nth(1, fault)],
    ["again and again", always],
  ];
  test.each(lasting)("%s: its bytes are right, or its end does not come", async (_name, faulty) => {
    await using opened = await openBucket({ s3, cacheBytes });
    const { store, server, clock, access } = opened;
    for (const [seed, fault] of someOf(DOWNLOAD_FAULTS, 4).entries()) {
      // One that nobody has read before: what was read just now may still be on its way into the cache.
      const bytes = sampleBytes(SIZE, seed);
      using blob = await put(store, bytes);
      await opened.clearCache();
      opened.damages.length = 0;
      server.fault = faulty(fault);
      const outcome = await wholeOf(store, blob).catch((error: unknown) => error);
      server.fault = () => null;
      if (outcome instanceof Error) expect(["CofferError", "DamagedBlob"]).toContain(outcome.name);
      else expect(outcome).toEqual(Buffer.from(bytes));
      if (fault.kind === "wrong-byte") {
        expect(outcome).toBeInstanceOf(DamagedBlob);
        expect(opened.damages.map(({ digest }) => digest)).toEqual([blob.digest]);
      }
      clock.advance(60_000);
      await access.look();
      expect([fault, await wholeOf(store, blob)]).toEqual([fault, Buffer.from(bytes)]);
      expect(opened.temporary()).toEqual([]);
    }
  });
});

/** A fault at the request of this number, from 1, and at all after it. */
function from(number: number, fault: S3Fault): (asked: string) => S3Fault | null {
  let count = 0;
  return () => (++count >= number ? fault : null);
}

/** All bytes of a read, as a client gets them. */
async function wholeOf(store: BlobStore, content: Parameters<BlobStore["read"]>[0]): Promise<Uint8Array> {
  const body = await store.read(content);
  return body instanceof Blob ? body.bytes() : Buffer.concat(await Array.fromAsync(body));
}
