import { expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { S3Server } from "../../support/peers/s3-server.ts";
import { filesIn, newContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { provision, run, type Server, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const LARGE = 100_000;

test("contents move from the data directory to a bucket, and on to a disk, beside the server and what is written meanwhile", async () => {
  await using bucket = await S3Server.start("a-bucket");
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  const disk = join(place.path, "disk");
  await mkdir(disk);
  const contents = new Map<string, Uint8Array>();
  const command = (...args: string[]) => run(args, { dataDir, env: bucket.env });
  const start = (blobs: string) =>
    serve({ dataDir, env: { ...bucket.env, COFFER_BLOBS: blobs, COFFER_SWEEP_INTERVAL: "10ms" } });
  let server = await start(dataDir);
  const { drive, key } = await provision(server);
  const put = async (now: Server, path: string, bytes = newContent(LARGE)) => {
    contents.set(path, bytes);
    await now.client(key).put(drive, path, bytes);
  };
  const requireAll = async (now: Server) => {
    await rm(join(dataDir, "cache"), { recursive: true, force: true });
    for (const [path, bytes] of contents) {
      const target = `/v0/files/by-path/download?drive_id=${drive}&path=${path}`;
      const answer = await now.client(key).fetch("GET", target);
      expect([path, answer.status, hashOf(await answer.bytes())]).toEqual([path, 200, hashOf(bytes)]);
    }
  };
  const requireVerified = async () => {
    for (const depth of ["--quick", "--full"]) {
      const { code, stdout } = await command("verify", depth);
      expect([code, stdout]).toEqual([0, expect.stringContaining("findings: 0")]);
    }
  };
  const distinct = () => new Set(Array.from(contents.values(), hashOf)).size;
  try {
    for (const [from, to] of [
      [dataDir, "s3://a-bucket/p"],
      ["s3://a-bucket/p", disk],
    ] as const) {
      const before = contents.size;
      await put(server, `${before}-a.bin`);
      await put(server, `${before}-b.bin`);
      const ahead = await command("blobs", "migrate", "--to", to);
      expect(ahead.stdout).toMatch(
        new RegExp(`^Copied: ${distinct()} .*\nNothing was removed\\. Set COFFER_BLOBS to the new place`),
      );
      await put(server, `${before}-c.bin`);
      expect(await server.stop()).toBe(0);
      server = await start(to);
      const old = distinct();
      expect(server.stdout.text).toContain(`"disk":"${from}"`);
      const [known = new Uint8Array(new ArrayBuffer(0))] = contents.values();
      await put(server, `${before}-again.bin`, Uint8Array.from(known));
      await requireAll(server);
      await requireVerified();
      const moving = command("blobs", "migrate");
      await put(server, `${before}-d.bin`);
      await requireAll(server);
      const moved = await moving;
      expect([moved.code, moved.stderr, moved.stdout]).toEqual([
        0,
        "",
        expect.stringMatching(new RegExp(`^Copied: 1 .*; removed from their old place: ${old}\\.\n$`)),
      ]);
      expect(await server.stdout.until(/holds no contents, and is forgotten/)).not.toBeNull();
      await requireAll(server);
    }
    expect([filesIn(dataDir), [...bucket.objects.keys()], filesIn(disk).length]).toEqual([
      [],
      [],
      distinct(),
    ]);
    expect(await server.stop()).toBe(0);
    bucket.asked.splice(0);
    server = await serve({ dataDir, env: { COFFER_BLOBS: disk } });
    await requireAll(server);
    expect(bucket.asked).toEqual([]);
  } finally {
    await server.kill();
  }
});
