import { expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { S3Server } from "../../support/peers/s3-server.ts";
import { filesIn, newContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { provision, run, type Server, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const LARGE = 100_000;

test("contents move from a disk to a bucket and back: ahead beside the server, the rest while it is stopped", async () => {
  await using bucket = await S3Server.start("a-bucket");
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  const disk = join(place.path, "disk");
  await mkdir(disk);
  const contents = new Map<string, Uint8Array>();
  const start = (blobs: string, ...flags: string[]) =>
    serve({ dataDir, env: { ...bucket.env, COFFER_BLOBS: blobs }, flags });
  const migrate = async (to: string, copied: number) => {
    const ended = await run(["blobs", "migrate", "--to", to], { dataDir, env: bucket.env });
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(ended.stdout).toMatch(
      new RegExp(`^Copied: ${copied} .*\nNothing was removed\\..*--forget-disks\\.\n$`),
    );
  };
  let server = await start(dataDir);
  const { drive, key } = await provision(server);
  const put = async (now: Server, path: string) => {
    const bytes = newContent(LARGE);
    contents.set(path, bytes);
    await now.client(key).put(drive, path, bytes);
  };
  const requireAll = async (now: Server) => {
    for (const [path, bytes] of contents) {
      const target = `/v0/files/by-path/download?drive_id=${drive}&path=${path}`;
      const answer = await now.client(key).fetch("GET", target);
      expect([path, answer.status, hashOf(await answer.bytes())]).toEqual([path, 200, hashOf(bytes)]);
    }
  };
  try {
    for (const to of ["s3://a-bucket/p", disk]) {
      const n = contents.size;
      await put(server, `${n + 1}.bin`);
      await put(server, `${n + 2}.bin`);
      await migrate(to, contents.size);
      await put(server, `${n + 3}.bin`);
      expect(await server.stop()).toBe(0);
      await migrate(to, 1);
      server = await start(to, "--forget-disks");
      await rm(join(dataDir, "cache"), { recursive: true, force: true });
      await requireAll(server);
    }
    expect([filesIn(disk).length, bucket.objects.size]).toEqual([6, 3 + 1 + 3]);
    expect(await server.stop()).toBe(0);
    expect(await run(["verify"], { dataDir })).toMatchObject({ code: 0 });
  } finally {
    await server.kill();
  }
});
