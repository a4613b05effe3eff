import { describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { S3Refused, S3Unavailable } from "../../src/s3/errors.ts";
import type { S3Options } from "../../src/s3/requests.ts";
import { S3Bucket } from "../../src/s3/s3-bucket.ts";
import { always, nth, type S3Fault, S3Server, SLOW_DOWN, times } from "../support/peers/s3-server.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { digestOf, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { failure as s3Failure } from "../support/peers/s3-objects.ts";
import { bytesOf } from "../support/samples/bucket-contract.ts";
import { failureOf } from "../support/samples/failure.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { someOf } from "../support/server/thorough.ts";
import { FakeClock } from "../support/server/fake-clock.ts";

const PART = 50_000;
const BYTES = sampleBytes(3 * PART - 1);
const SHA256 = digestOf(BYTES);
const BAD_DIGEST: S3Fault = {
  kind: "answer",
  code: "BadDigest",
  ...s3Failure(400, "BadDigest", "The checksum did not match."),
};
/** What passes, and may come to any request. */
const PASSING: readonly S3Fault[] = [
  { kind: "lost" },
  { kind: "cut" },
  SLOW_DOWN,
  { kind: "answer", status: 500, code: "InternalError" },
  { kind: "answer", status: 502, code: "", body: "<html>Bad gateway" },
  { kind: "answer", status: 504, code: "" },
  { kind: "answer", status: 429, code: "TooManyRequests" },
  { kind: "answer", status: 400, code: "RequestTimeout" },
  { kind: "answer", status: 409, code: "OperationAborted" },
  BAD_DIGEST,
  { kind: "answer", status: 403, code: "", body: "<Error><Code>RequestTim" },
  { kind: "wrong-upload", at: 7 },
  { kind: "answer", status: 404, code: "", body: "<html>Not found</html>" },
];
/** Statuses whose meaning stands in the body, which an answer to HEAD has not. */
const SAID_IN_BODY: readonly unknown[] = [400, 403, 404, 409];

/** A server and a bucket of it, which does not pause. */
async function open(more: Partial<S3Options> = {}, traits: Parameters<typeof S3Server.start>[1] = {}) {
  const server = await S3Server.start("a-bucket", traits);
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const bucket = new S3Bucket(optionsFor(server, { partBytes: PART, sleep, random: () => 0.5, ...more }));
  return {
    server,
    bucket,
    /** What it waited, in milliseconds. */
    pauses,
    put: (name = "a", bytes = BYTES) => bucket.put(name, new Blob([bytes]), { sha256: digestOf(bytes) }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("what passes is tried again, whichever request it comes to", () => {
  const small = sampleBytes(1000);
  const operations: [
    name: string,
    requests: number,
    run: (t: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
  ][] = [
    ["a write", 1, (t) => t.put("a", small)],
    [
      "a write in parts",
      5,
      async (t) => [await t.put("a", BYTES), digestOf((await bytesOf(t.bucket, "a")) ?? small)],
    ],
    [
      "a conditional write",
      3,
      async (t) => {
        // After a lost answer it says that the object is there.
        await t.bucket.put("new", new Blob([small]), { sha256: digestOf(small), onlyIfAbsent: true });
      },
    ],
    ["a read", 1, (t) => bytesOf(t.bucket, "there")],
    ["a head", 1, async (t) => (await t.bucket.head("there"))?.size],
    ["a list", 2, (t) => Array.fromAsync(t.bucket.list(""), ({ name }) => name)],
    ["a removal", 4, (t) => t.bucket.remove(["there", "1", "2", "none"])],
  ];
  test.each(operations)("%s", async (_, requests, run) => {
    const undisturbed = await outcomeOf(run, () => null);
    for (const fault of someOf(PASSING, 4)) {
      for (let number = 1; number <= requests; number++) {
        const chosen = nth(number, fault);
        const isKnown = (asked: string) =>
          !asked.startsWith("HEAD") || !("status" in fault && SAID_IN_BODY.includes(fault.status));
        const outcome = await outcomeOf(run, (asked) => (isKnown(asked) ? chosen(asked) : null));
        expect([fault, number, outcome]).toEqual([fault, number, undisturbed]);
      }
    }
  });

  async function outcomeOf(run: (typeof operations)[number][2], fault: S3Server["fault"]) {
    await using t = await open();
    for (const name of ["there", "1", "2", "3"]) await t.put(name, small);
    t.server.fault = fault;
    const result = await run(t);
    t.server.fault = () => null;
    // Nobody can know the name of an upload whose beginning was not answered.
    await t.bucket.abortUploads(Number.POSITIVE_INFINITY);
    expect(t.server.openUploads).toBe(0);
    return { result, objects: [...t.server.objects].toSorted(([a], [b]) => (a < b ? -1 : 1)) };
  }
});

test("pauses grow, and are somewhere up to their bound; then the store is not available", async () => {
  await using t = await open();
  t.server.fault = always(SLOW_DOWN);
  const failure = await failureOf(() => t.put());
  expect(failure).toBeInstanceOf(S3Unavailable);
  expect(String(failure)).toContain("SlowDown");
  expect(t.pauses).toEqual([125, 250, 500]);
  expect(t.server.asked.length).toBe(4);
});

test("bytes that change on the way to the store are sent again, and if they always do, that is said", async () => {
  await using t = await open();
  const sent = (pattern: RegExp) => t.server.asked.filter((asked) => pattern.test(asked)).length;
  t.server.fault = times(3, { kind: "wrong-upload", at: 5 }, /^PUT/);
  expect(await t.put("a", sampleBytes(1000))).toBe("written");
  expect(await bytesOf(t.bucket, "a")).toEqual(sampleBytes(1000));
  expect(sent(/^PUT a$/)).toBe(4);
  t.server.fault = always({ kind: "wrong-upload", at: 5 }, /^PUT/);
  for (const [name, bytes] of [
    ["b", sampleBytes(1000)],
    ["c", BYTES],
  ] as const) {
    const failure = await failureOf(() => t.put(name, bytes));
    expect(failure).toBeInstanceOf(S3Refused);
    expect(String(failure)).toContain("What arrived does not match its SHA-256");
  }
  // It is not sent without its checksum, as to a store that takes none.
  t.server.fault = always(BAD_DIGEST, /^PUT/);
  expect(await failureOf(() => t.put("d", sampleBytes(1000)))).toBeInstanceOf(S3Refused);
  expect(sent(/^PUT d$/)).toBe(4);
  expect([t.server.openUploads, [...t.server.objects.keys()]]).toEqual([0, ["a"]]);
});

test("a 404 whose reason is lost on the way is asked for again, and then says that it has none", async () => {
  await using t = await open();
  for (const fault of [
    { kind: "cut-body", after: 30 },
    { kind: "short", after: 30 },
    { kind: "short", after: 0 },
    // In the code.
    { kind: "wrong-byte", after: 15 },
  ] as const) {
    t.server.fault = times(3, fault, /^(?:GET|DELETE)/);
    expect([fault, await t.bucket.get("none")]).toEqual([fault, null]);
    t.server.fault = always(fault, /^GET/);
    const failure = await failureOf(() => t.bucket.get("none"));
    expect(failure).toBeInstanceOf(S3Refused);
    expect(String(failure)).toContain("does not say what is missing");
    expect(String(failure)).not.toContain("Make the bucket");
  }
});

function busyFor(seconds: string): S3Fault {
  return { kind: "answer", status: 503, code: "", headers: { "retry-after": seconds } };
}

test("a store that says when to come again is left alone until then, or given up", async () => {
  await using t = await open();
  t.server.fault = times(1, busyFor("3"));
  await t.bucket.head("none");
  expect(t.pauses).toEqual([3000]);
  t.server.fault = times(1, busyFor("90"));
  expect(await failureOf(() => t.bucket.head("none"))).toMatchObject({
    name: "S3Unavailable",
    retryAfterMs: 90_000,
  });
});

test("a store that takes nothing, or answers nothing, is not waited for", async () => {
  await using t = await open({ patience: { answerMs: 50, attempts: 2 } });
  t.server.fault = always({ kind: "silent" });
  for (const action of [() => t.bucket.head("a"), () => t.put()]) {
    expect(await failureOf(action)).toBeInstanceOf(S3Unavailable);
  }
  expect(t.server.asked.length).toBe(4);
});

test("of many large objects that are written at once only some parts are on their way", async () => {
  await using t = await open();
  const [isFull, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let parts = 0;
  t.server.fault = (asked) => {
    if (!asked.includes("partNumber")) return null;
    parts += 1;
    if (parts === 12) isFull.resolve();
    return { kind: "late", until: mayGo.promise };
  };
  const writing = Promise.all(Array.from({ length: 8 }, (_, n) => t.put(String(n))));
  await isFull.promise;
  // Others would have come by then.
  for (let n = 0; n < 10; n++) await t.bucket.head("0");
  expect(parts).toBe(12);
  mayGo.resolve();
  await writing;
  expect([parts, t.server.objects.size]).toEqual([24, 8]);
});

test("an upload of which a part fails is aborted, and leaves nothing", async () => {
  await using t = await open();
  for (const [fault, kind] of [
    [{ kind: "answer", status: 500, code: "" }, S3Unavailable],
    [{ kind: "answer", status: 403, code: "AccessDenied" }, S3Refused],
  ] as const) {
    for (const request of [/partNumber=2/, /^POST .*uploadId/]) {
      t.server.fault = always(fault, request);
      expect(await failureOf(() => t.put())).toBeInstanceOf(kind);
      expect([t.server.openUploads, t.server.objects.size]).toEqual([0, 0]);
    }
  }
});

test("a completion that fails after its status was sent is tried again", async () => {
  await using t = await open();
  const late = { kind: "answer", status: 200, code: "InternalError" } as const;
  t.server.fault = times(2, late, /^POST .*uploadId/);
  expect(await t.put()).toBe("written");
  expect(digestOf((await bytesOf(t.bucket, "a")) ?? new Uint8Array())).toBe(SHA256);
  t.server.fault = always(late, /^POST .*uploadId/);
  expect(await failureOf(() => t.put("b"))).toBeInstanceOf(S3Unavailable);
  expect([t.server.openUploads, [...t.server.objects.keys()]]).toEqual([0, ["a"]]);
});

describe("an object that is read", () => {
  test.each(["cut-body", "stall"] as const)("goes on after a %s", async (kind) => {
    await using t = await open({ patience: { stallMs: 50 } });
    await t.put();
    for (const after of [0, 1, 70_000, BYTES.length - 1]) {
      t.server.fault = times(1, { kind, after }, /^GET/);
      expect(digestOf((await bytesOf(t.bucket, "a")) ?? new Uint8Array())).toBe(SHA256);
      t.server.fault = times(1, { kind, after: Math.min(after, 999) }, /^GET/);
      expect(await bytesOf(t.bucket, "a", { start: 7, end: 1007 })).toEqual(BYTES.subarray(7, 1007));
    }
  });

  test("ends with an error if it is cut off again and again, and never as if it were whole", async () => {
    await using t = await open();
    await t.put();
    t.server.fault = always({ kind: "cut-body", after: 0 }, /^GET/);
    const content = await t.bucket.get("a");
    expect(await failureOf(() => new Response(content?.body).bytes())).toBeInstanceOf(S3Unavailable);
  });

  test("never goes on with the bytes of another one", async () => {
    await using t = await open();
    for (const change of [() => t.put("a", sampleBytes(BYTES.length, 2)), () => t.bucket.remove(["a"])]) {
      await t.put();
      t.server.fault = times(1, { kind: "cut-body", after: 100 }, /^GET/);
      const content = await t.bucket.get("a");
      await change();
      expect(await failureOf(() => new Response(content?.body).bytes())).toBeInstanceOf(S3Unavailable);
    }
  });

  test("from a store that ignores ranges is refused", async () => {
    await using t = await open();
    await t.put();
    t.server.fault = always({ kind: "answer", status: 200, code: "", headers: { etag: '"x"' }, body: BYTES });
    expect(await failureOf(() => t.bucket.get("a", { start: 5, end: 10 }))).toBeInstanceOf(S3Refused);
  });
});

test("a reader that leaves while nothing comes is let go, and asks for nothing more", async () => {
  await using t = await open();
  await t.put();
  t.server.fault = always({ kind: "stall", after: 10 }, /^GET/);
  const reader = (await t.bucket.get("a"))?.body.getReader();
  expect((await reader?.read())?.value?.length).toBe(10);
  const waiting = reader?.read();
  // It waits for the store by then.
  await t.bucket.head("a");
  const asked = t.server.asked.length;
  await reader?.cancel();
  expect(await waiting).toMatchObject({ done: true });
  // What was asked for meanwhile would have come by then.
  for (let n = 0; n < 10; n++) await t.bucket.head("a");
  expect(t.server.asked.length).toBe(asked + 10);
});

test("a connection that is lost while the next bytes are read is no failure of this side", async () => {
  await using server = await S3Server.start("a-bucket");
  await using place = await temporaryDirectory();
  const path = join(place.path, "file");
  await writeFile(path, BYTES);
  server.fault = always({ kind: "cut-early" });
  // Now and then one is lost right then.
  for (let round = 0; round < 60; round++) {
    const bucket = new S3Bucket(optionsFor(server, { patience: { attempts: 1 }, partBytes: BYTES.length }));
    const put = () => failureOf(() => bucket.put("a", Bun.file(path), { sha256: SHA256 }));
    for (const failure of await Promise.all(Array.from({ length: 8 }, put))) {
      expect(failure).toBeInstanceOf(S3Unavailable);
    }
  }
});

test("what fails on this side is no failure of the store, and is not tried again", async () => {
  await using t = await open();
  await using place = await temporaryDirectory();
  const path = join(place.path, "file");
  for (const [change, says] of [
    [() => writeFile(path, BYTES.subarray(0, 10)), "has become shorter"],
    [() => rm(path), "ENOENT"],
  ] as const) {
    await writeFile(path, BYTES.subarray(0, PART));
    const body = Bun.file(path);
    expect(body.size).toBe(PART);
    await change();
    const failure = await failureOf(() => t.bucket.put("a", body, { sha256: SHA256 }));
    expect(failure).not.toBeInstanceOf(S3Unavailable);
    expect(String(failure)).toContain(says);
  }
  expect([t.pauses, t.server.objects.size]).toEqual([[], 0]);
});

/** A server that fails from now on. */
async function openBroken() {
  const clock = new FakeClock(Date.now());
  const told: unknown[] = [];
  const t = await open({ clock, onCircuit: (change) => void told.push(change) });
  t.server.fault = always(SLOW_DOWN);
  const askOnce = async () => {
    const before = t.server.asked.length;
    const failure = await failureOf(() => t.bucket.list("").next());
    return [failure instanceof S3Unavailable ? "unavailable" : failure, t.server.asked.length - before];
  };
  return { ...t, clock, told, askOnce };
}

describe("the circuit", () => {
  test("opens after failures in a row: then the store is not asked, and who listens is told once", async () => {
    await using t = await openBroken();
    for (const outcome of [4, 4, 0, 0]) expect(await t.askOnce()).toEqual(["unavailable", outcome]);
    expect(t.told).toEqual([{ isOpen: true, reason: expect.stringContaining("SlowDown") }]);
  });

  test("lets one request through after a while, and closes once that is answered", async () => {
    await using t = await openBroken();
    for (const outcome of [4, 4]) expect(await t.askOnce()).toEqual(["unavailable", outcome]);
    t.clock.advance(15_000);
    const late = Promise.withResolvers<void>();
    t.server.fault = (asked) => (asked.startsWith("HEAD") ? { kind: "late", until: late.promise } : null);
    const probe = t.bucket.head("none");
    expect(await t.askOnce()).toEqual(["unavailable", 0]);
    late.resolve();
    expect(await probe).toBeNull();
    t.server.fault = () => null;
    expect(await t.bucket.head("none")).toBeNull();
    expect(t.told).toEqual([{ isOpen: true, reason: expect.any(String) }, { isOpen: false }]);
  });

  test("stays open while the request that is let through fails too", async () => {
    await using t = await openBroken();
    for (const outcome of [4, 4]) expect(await t.askOnce()).toEqual(["unavailable", outcome]);
    t.clock.advance(15_000);
    for (const outcome of [1, 0]) expect(await t.askOnce()).toEqual(["unavailable", outcome]);
    expect(t.told.length).toBe(1);
  });

  test("is not opened by answers that stay the same", async () => {
    await using t = await open();
    t.server.fault = always({ kind: "answer", status: 403, code: "AccessDenied" });
    for (let n = 0; n < 20; n++) expect(await failureOf(() => t.bucket.head("a"))).toBeInstanceOf(S3Refused);
    expect([t.server.asked.length, t.pauses]).toEqual([20, []]);
  });
});

test("what came of each request is counted, and what was sent again", async () => {
  await using t = await open();
  t.server.fault = nth(1, SLOW_DOWN);
  await t.put("a", BYTES.subarray(0, 1000));
  await t.bucket.head("missing");
  const { sent, retries, isCircuitOpen } = t.bucket.figures;
  expect([retries, isCircuitOpen]).toEqual([1, false]);
  expect(sent).toMatchObject({
    put: { ok: 1, failed: 1, refused: 0 },
    head: { ok: 0, failed: 0, refused: 1 },
    list: { ok: 1, failed: 0, refused: 0 },
    get: { ok: 0, failed: 0, refused: 0 },
  });
  t.server.fault = always(SLOW_DOWN);
  for (let n = 0; n < 3; n += 1) await failureOf(t.bucket.head("a"));
  expect(t.bucket.figures.isCircuitOpen).toBe(true);
  expect(t.bucket.figures.sent.head.failed).toBe(8);
});
