import { expect, test } from "bun:test";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileOf, filesIn, newContent } from "../../support/samples/contents.ts";
import { provision, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const LARGE = 100_000;

test("two disks: one goes away under the server and at a start, and comes back; then it is verified, repaired, backed up and restored", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const at = (name: string) => join(place.path, name);
  const [a, b, dataDir] = [at("a"), at("b"), place.dataDir];
  for (const disk of [a, b]) await mkdir(disk);
  const [onA, onB] = [newContent(LARGE), newContent(LARGE)];
  let first = await serve({ dataDir, env: { COFFER_BLOBS: `${a},${b}` } });
  const { drive, key } = await provision(first);
  await first.client(key).put(drive, "on-a.bin", onA);
  expect(await first.stop()).toBe(0);
  first = await serve({ dataDir, flags: ["--blobs", `${b},${a}`] });
  await using server = first;
  const client = server.client(key);
  await client.put(drive, "on-b.bin", onB);
  expect([filesIn(a).length, filesIn(b).length]).toEqual([1, 1]);
  const download = async (path: string) => {
    const answer = await client.fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=${path}`);
    const bytes = await answer.bytes();
    return { status: answer.status, retry: answer.headers.get("retry-after"), bytes };
  };

  await rename(b, at("gone"));
  const { status, retry, bytes } = await download("on-b.bin");
  expect([status, retry]).toEqual([503, "5"]);
  expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({
    error: {
      code: "UNAVAILABLE",
      message: expect.stringContaining("where the server cannot reach it"),
    },
  });
  expect((await download("on-a.bin")).bytes).toEqual(onA);
  expect(await server.stdout.until(/a disk cannot be used.*"disk":"[^"]*\/b"/)).not.toBeNull();
  await client.put(drive, "later.bin", newContent(LARGE));
  expect(filesIn(a)).toHaveLength(2);

  const verified = await run(["verify"], { dataDir });
  expect([verified.code, verified.stderr]).toEqual([
    1,
    expect.stringContaining("Mount the disk, or make the bucket reachable, then check again."),
  ]);
  expect(verified.stdout).toContain(
    `disk-away ${b}: it is missing, or not mounted; contents that are unavailable: 1\n`,
  );
  expect(verified.stdout).not.toContain("content-missing");
  const refused = await run(["backup", at("backups")], { dataDir });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`disk ${b} are not there`)]);

  // A mount point without its disk.
  await mkdir(b);
  expect((await download("on-b.bin")).status).toBe(503);
  await rm(b, { recursive: true });
  await rename(at("gone"), b);
  expect(await server.stdout.until(/a disk of contents is back/)).not.toBeNull();
  expect((await download("on-b.bin")).bytes).toEqual(onB);

  const backup = await run(["backup", at("backups")], { dataDir });
  expect([backup.code, backup.stdout]).toEqual([
    0,
    expect.stringContaining("Contents besides the database: 3"),
  ]);
  const inside = await run(["backup", join(a, "backups")], { dataDir });
  expect(inside.stderr).toContain(`cannot be in the disk of contents ${a}`);
  const [damaged] = filesIn(b);
  if (damaged === undefined) throw new Error("there is no content");
  // The backup has a link to the right bytes.
  await rm(fileOf(b, damaged.digest));
  await writeFile(fileOf(b, damaged.digest), "damaged");
  const repaired = await run(["verify", "--repair-from", at("backups")], { dataDir });
  expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining("repaired: 1; findings: 0")]);
  expect((await download("on-b.bin")).bytes).toEqual(onB);
  expect(await server.stop()).toBe(0);

  const restored = at("restored");
  expect((await run(["restore", at("backups")], { dataDir: restored })).code).toBe(0);
  await using again = await serve({ dataDir: restored });
  const answer = await again
    .client(key)
    .fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=on-b.bin`);
  expect(await answer.bytes()).toEqual(onB);
});
