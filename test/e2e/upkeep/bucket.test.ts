import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { always, S3Server, SLOW_DOWN } from "../../support/peers/s3-server.ts";
import { newContent } from "../../support/samples/contents.ts";
import { provision, refusedStart, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** One that is fetched before it is sent, and one that is passed on as it comes. */
const CONTENTS = [newContent(3_000_000), newContent(10_000_000)];

test("contents in a bucket: cold and hot, in parts, after a restart, while the bucket fails, and checked by others", async () => {
  await using bucket = await S3Server.start("a-bucket");
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  const env = { ...bucket.env, COFFER_BLOBS: "s3://a-bucket/one/" };
  let first = await serve({ dataDir, env });
  const { drive, key } = await provision(first);
  for (const [n, content] of CONTENTS.entries()) await first.client(key).put(drive, `${n}.bin`, content);
  await first.client(key).put(drive, "small.txt", newContent(1000));
  const names = [...bucket.objects.keys()].toSorted();
  const blob: string = expect.stringMatching(/^one\/blobs\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/);
  expect(names).toEqual([blob, blob, "one/identity"]);
  expect(await first.stop()).toBe(0);
  first = await serve({ dataDir, env });
  await using server = first;
  const fetched = () => bucket.asked.filter((asked) => asked.startsWith("GET one/blobs")).length;
  const clearCache = () => rm(join(dataDir, "cache"), { recursive: true });
  const download = async (n: number, range?: string) => {
    const headers: Record<string, string> = range === undefined ? {} : { range };
    const path = `/v0/files/by-path/download?drive_id=${drive}&path=${n}.bin`;
    const answer = await server.client(key).fetch("GET", path, { headers });
    return { status: answer.status, headers: answer.headers, bytes: await answer.bytes() };
  };

  const expectWhole = async (n: number) => {
    const { status, bytes } = await download(n);
    expect([status, Buffer.compare(bytes, CONTENTS[n] ?? bytes)]).toEqual([200, 0]);
  };

  for (const n of CONTENTS.keys()) await expectWhole(n);
  expect(fetched()).toBe(0);
  for (const [n, content] of CONTENTS.entries()) {
    await clearCache();
    const { status, headers, bytes } = await download(n, "bytes=1000000-1999999");
    expect([status, headers.get("content-range")]).toEqual([206, `bytes 1000000-1999999/${content.length}`]);
    expect(Buffer.compare(bytes, content.subarray(1_000_000, 2_000_000))).toBe(0);
    await expectWhole(n);
    const before = fetched();
    expect(before).toBe(n + 1);
    await expectWhole(n);
    expect(fetched()).toBe(before);
    bucket.asked.splice(0);
  }

  bucket.fault = always(SLOW_DOWN);
  expect((await download(1)).status).toBe(200);
  await clearCache();
  const away = await download(0);
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "5"]);
  bucket.fault = () => null;
  expect((await download(0)).headers.get("content-length")).toBe("3000000");

  const verify = (...flags: string[]) => run(["verify", ...flags], { dataDir, env });
  bucket.asked.splice(0);
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("the 2 contents in s3://a-bucket/one are only listed"),
  });
  // Once for the sizes, once for what belongs to no file.
  expect(bucket.asked).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  const full = await verify("--full");
  expect([full.code, full.stdout]).toEqual([
    0,
    expect.stringContaining("all 13000000 bytes of the 2 contents"),
  ]);
  const backups = join(place.path, "backups");
  expect(await run(["backup", backups], { dataDir, env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Contents that stay in the bucket, and are kept there for it: 2"),
  });
  expect(await run(["verify", "--full", "--backup", backups], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("contents: 2; bytes: 13000000; repaired: 0; findings: 0"),
  });
  expect(await run(["backup", "--copy-contents", backups], { dataDir, env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Contents besides the database: 2"),
  });
  const [damaged = "", missing = ""] = names;
  const right = bucket.objects.get(damaged) ?? new Uint8Array();
  bucket.objects.set(damaged, right.with(1000, (right[1000] ?? 0) ^ 1));
  bucket.objects.delete(missing);
  const found = await verify();
  expect([found.code, found.stdout]).toEqual([1, expect.stringContaining("content-missing")]);
  expect((await verify("--full")).stdout).toContain("does not match its SHA-256");
  const repaired = await verify("--full", "--repair-from", backups);
  expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining("repaired: 2; findings: 0")]);
  expect(Buffer.compare(bucket.objects.get(damaged) ?? new Uint8Array(), right)).toBe(0);
  expect(await server.stop()).toBe(0);

  await using other = await temporaryDirectory(FAST_DIRECTORY);
  expect(await refusedStart({ dataDir: other.dataDir, env })).toContain("do not belong together");
  expect(await refusedStart({ dataDir, env: { COFFER_BLOBS: dataDir } })).toContain(
    "there are no credentials",
  );
}, 60_000);
