import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BlobFacts, contentPath } from "../../src/blobs/blob-file.ts";
import { cutAfter, endAfter, type Sending, withMore, withWrong } from "../support/peers/blob-server.ts";
import { forAllAsync } from "../support/models/properties.ts";
import { sampleBytes } from "../support/samples/blob-store-contract.ts";
import { bytesOf, diskUse, openCache, type OpenedCache } from "../support/server/blob-cache.ts";

/** Some that are checked whole, some longer ones, and one that is too large to be kept. */
const SAMPLES = [17_000, 30_000, 65_536, 65_537, 120_000, 200_000, 300_000, 420_000].map((size, seed) =>
  sampleBytes(size, seed + 1),
);
const MOST = 800_000;

const sendings = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  fc.nat(300_000).map((length): Sending => cutAfter(length)),
  fc.nat(300_000).map((length): Sending => endAfter(length)),
  fc.nat(16_000).map((at): Sending => withWrong(at)),
  fc.constant(withMore(Uint8Array.of(1, 2))),
);

const which = fc.nat(SAMPLES.length - 1);
const share = fc.double({ min: 0, max: 1, noNaN: true });

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("read" as const), which, sending: sendings, readers: fc.nat(3) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("range" as const), which, from: share, to: share }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("leave" as const), which, after: fc.nat(3) }) },
  fc.record({ do: fc.constant("readAll" as const), which }),
  fc.record({ do: fc.constant("add" as const), which }),
  fc.record({ do: fc.constant("remove" as const), which }),
  fc.record({ do: fc.constant("truncate" as const), which }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.nat(600) }),
  fc.constant({ do: "removeDirectory" as const }),
  fc.constant({ do: "clear" as const }),
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** What was asked of the model: bytes are right or there is an error, which needs a fault. */
async function take(step: Step, opened: OpenedCache, contents: readonly BlobFacts[]): Promise<void> {
  const { cache, clock, directory, server } = opened;
  if (step.do === "wait") return clock.advance(step.seconds * 1000);
  if (step.do === "removeDirectory") return rmSync(directory, { recursive: true, force: true });
  if (step.do === "clear") return cache.clear();
  const [content, bytes] = [contents[step.which], SAMPLES[step.which]];
  if (content === undefined || bytes === undefined) throw new Error("no such sample");
  const { digest, size } = content;
  switch (step.do) {
    case "read": {
      server.next.length = 0;
      if (step.sending !== null) server.next.push(step.sending);
      const reads = Array.from({ length: step.readers + 1 }, () => bytesOf(cache, content));
      for (const read of await Promise.allSettled(reads)) {
        if (read.status === "fulfilled")
          expect(read.value.length === size && Buffer.compare(read.value, bytes)).toBe(0);
        else expect(step.sending).not.toBe(null);
      }
      server.next.length = 0;
      return;
    }
    case "range": {
      const [start, end] = [step.from, step.to].map((at) => Math.floor(at * size)).toSorted((a, b) => a - b);
      if (start === undefined || end === undefined) return;
      const found = await bytesOf(cache, content, { start, end });
      return expect(Buffer.compare(found, bytes.subarray(start, end))).toBe(0);
    }
    case "leave": {
      const found = await cache.read(content);
      if (found instanceof Blob) return;
      const reader = found.getReader();
      for (let i = 0; i < step.after; i += 1) await reader.read();
      return reader.cancel();
    }
    case "readAll":
      return expect(Buffer.compare(await cache.readAll(content), bytes)).toBe(0);
    case "add": {
      const path = join(dirname(directory), "uploaded");
      writeFileSync(path, bytes);
      return cache.add(content, path);
    }
    case "remove":
      await cache.remove(digest);
      return expect(cache.has(digest)).toBe(false);
    case "truncate":
      try {
        return truncateSync(contentPath(directory, digest), 1000);
      } catch {
        // It is not here.
        return;
      }
  }
}

test("whatever happens, reads are right or fail for a fault, and the limit holds", async () => {
  await forAllAsync(0.5, fc.array(steps, { minLength: 5, maxLength: 40 }), async (all) => {
    await using opened = await openCache(MOST);
    const contents = SAMPLES.map((bytes) => opened.server.put(bytes));
    for (const step of all) {
      await take(step, opened, contents);
      expect(opened.cache.figures().bytes).toBeLessThanOrEqual(MOST);
      expect(diskUse(dirname(opened.directory))).toBeLessThanOrEqual(MOST);
    }
    expect(opened.logged).toEqual([]);
    const again = await opened.reopen();
    expect(again.figures().bytes).toBe(diskUse(opened.directory));
    for (const [at, content] of contents.entries()) {
      expect(Buffer.compare(await bytesOf(again, content), SAMPLES[at] ?? Buffer.alloc(0))).toBe(0);
    }
  });
});
