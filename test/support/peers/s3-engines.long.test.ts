import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { Output } from "../server/executable.ts";
import { eventually } from "../server/scenario.ts";
import { withReason } from "../server/skip.ts";
import { NO_CEPH, startCeph } from "./ceph.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { clientOf, newBucket, openEngine } from "./s3-engine.ts";
import { NO_SWIFT, startSwift } from "./swift.ts";

const PART = 5 * 1024 * 1024;
const RACERS = 20;

/** The engines, and what they answer to those who write an object at once if it is not there. */
const ENGINES = [
  { name: "ceph", reason: NO_CEPH, start: startCeph, answers: [200, ...Array<number>(RACERS - 1).fill(412)] },
  { name: "swift", reason: NO_SWIFT, start: startSwift, answers: Array<number>(RACERS).fill(501) },
];

for (const { name, reason, start, answers } of ENGINES) {
  describe.skipIf(reason !== "")(withReason(name, reason), () => {
    const engine = openEngine(start);

    test("keeps objects, also those that are sent in parts, and each bucket begins empty", async () => {
      const client = clientOf(engine().env, await newBucket(engine()));
      expect((await client.list()).contents ?? []).toEqual([]);
      const sent = crypto.getRandomValues(new Uint8Array(2 * PART + 1));
      const writer = client.file("a/large one").writer({ partSize: PART });
      for (let at = 0; at < sent.length; at += PART) {
        await writer.write(sent.slice(at, at + PART));
        await writer.flush();
      }
      await writer.end();
      await client.write("a/small", "some text");
      expect(Bun.SHA256.hash(await client.file("a/large one").bytes())).toEqual(Bun.SHA256.hash(sent));
      expect(await client.file("a/small").slice(5, 9).text()).toBe("text");
      const { contents = [] } = await client.list({ prefix: "a/" });
      expect(contents.map(({ key, size }) => [key, size])).toEqual([
        ["a/large one", sent.length],
        ["a/small", 9],
      ]);
      const other = clientOf(engine().env, await newBucket(engine()));
      expect((await other.list()).contents ?? []).toEqual([]);
    });

    test(`answers ${new Set(answers).values().toArray().join(" or ")} to writes of what is not there yet`, async () => {
      const client = clientOf(engine().env, await newBucket(engine()));
      const url = client.presign("once", { method: "PUT" });
      const racers = Array.from({ length: RACERS }, (_, n) =>
        fetch(url, { method: "PUT", body: String(n), headers: { "if-none-match": "*" } }),
      );
      const statuses = (await Promise.all(racers)).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual(answers);
    });

    test("takes what a proxy passes on", async () => {
      await using proxy = await FaultProxy.before(engine().env.S3_ENDPOINT);
      const bucket = await newBucket(engine());
      const client = clientOf({ ...engine().env, S3_ENDPOINT: proxy.endpoint }, bucket);
      await client.write("a name/ü", "some text");
      expect(await client.file("a name/ü").text()).toBe("some text");
      expect(proxy.requests.map(({ method }) => method)).toEqual(["PUT", "GET"]);
    });

    test("ends with who started it, also if that is killed", async () => {
      const starter = Bun.spawn([process.execPath, `${import.meta.dir}/${name}.ts`], {
        stdin: "ignore",
        stdout: "pipe",
      });
      const said = new Output(starter.stdout);
      const printed = await said.until(/ENGINE=(\S+)[^]*S3_ENDPOINT=(\S+)[^]*BUCKET=/);
      const [, path = "", endpoint = ""] = printed ?? [];
      expect((await fetch(endpoint)).status).toBeLessThan(500);
      starter.kill("SIGKILL");
      await starter.exited;
      await eventually(() =>
        fetch(endpoint).then(
          () => false,
          () => true,
        ),
      );
      // Nobody else does.
      await rm(path, { recursive: true });
    });
  });
}
