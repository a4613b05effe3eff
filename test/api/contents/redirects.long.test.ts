import { describe, expect, test } from "bun:test";
import { REDIRECT } from "../../../src/domain/limits.ts";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { clientOf, newBucket, openEngine, type S3Engine } from "../../support/peers/s3-engine.ts";
import { NO_SWIFT, startSwift } from "../../support/peers/swift.ts";
import { newContent } from "../../support/samples/contents.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { provision } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";

const ENGINES = [
  { name: "Ceph", reason: NO_CEPH, start: startCeph },
  { name: "Swift", reason: NO_SWIFT, start: startSwift },
];

/** More than a part of an upload, and not a multiple of it. */
const CONTENT = newContent(2 * REDIRECT.bytes + 12_345);
const HOSTILE = `";x='(${"日".repeat(50)})*%22&response-content-type=text%2Fhtml#+.png`;

async function open(engine: S3Engine) {
  await using opening = new AsyncDisposableStack();
  const bucket = await newBucket(engine);
  const coffer = opening.use(
    await startAppliance(
      { blobs: `s3://${bucket}/some/where`, "blob-redirect": "on", "blob-cache": "0" },
      {
        env: { ...engine.env, S3_ENDPOINT: engine.env.S3_ENDPOINT.replace("127.0.0.1", "localhost") },
        // The engine has its own clock.
        prepare: async () => Date.now(),
      },
    ),
  );
  const { id: drive, client } = await provision(coffer);
  const file = await client.store(drive, HOSTILE, CONTENT);
  const path = `${coffer.appliance.url}/v0/files/${file}/download`;
  const headers = { authorization: `Bearer ${client.key}` };
  const closing = opening.move();
  return {
    client,
    file,
    objects: clientOf(engine.env, bucket),
    /** Follows, as clients do by themselves. */
    download: (more: Record<string, string> = {}) => fetch(path, { headers: { ...headers, ...more } }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

for (const { name, reason, start } of ENGINES) {
  describe.skipIf(reason !== "")(withReason(name, reason), () => {
    const engine = openEngine(start);

    test("sends what its addresses name, under the file's name, and ranges of it", async () => {
      await using t = await open(engine());
      const { headers } = await t.client.send("HEAD", `/v0/files/${t.file}/download`);
      const whole = await t.download();
      expect([whole.status, whole.redirected]).toEqual([200, true]);
      expect(whole.headers.get("content-disposition")).toBe(headers.get("content-disposition"));
      expect(whole.headers.get("content-type")).toBe("image/png");
      expect(whole.headers.get("cache-control")).toBe("private, no-cache");
      expect(Buffer.compare(await whole.bytes(), CONTENT)).toBe(0);
      for (const [range, start_, end] of [
        ["bytes=1000-", 1000, CONTENT.length],
        [`bytes=5-${REDIRECT.bytes + 5}`, 5, REDIRECT.bytes + 6],
        [`bytes=-${REDIRECT.bytes + 1}`, CONTENT.length - REDIRECT.bytes - 1, CONTENT.length],
      ] as const) {
        const part = await t.download({ range });
        expect([range, part.status, part.redirected]).toEqual([range, 206, true]);
        expect(part.headers.get("content-range")).toBe(`bytes ${start_}-${end - 1}/${CONTENT.length}`);
        expect(Buffer.compare(await part.bytes(), CONTENT.subarray(start_, end))).toBe(0);
      }
    });

    test("is not redirected to for what it has lost", async () => {
      await using t = await open(engine());
      const { contents = [] } = await t.objects.list({ prefix: "some/where/blobs/" });
      for (const { key } of contents) await t.objects.delete(key);
      const answer = await t.download();
      expect([answer.status, answer.redirected]).toEqual([500, false]);
      await answer.body?.cancel();
    });
  });
}
