import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { newBucket, openEngine } from "../../support/peers/s3-engine.ts";
import { S3Server } from "../../support/peers/s3-server.ts";
import { Output, serve, signUp } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;
const PIECE = new Uint8Array(MIB).fill(7);
const PIECES = 256;
/** A server takes about 80 MB before. */
const MOST = 160 * MIB;

test("256 MiB go into a bucket and come out of it with little memory", async () => {
  await using bucket = await S3Server.start("a-bucket");
  await using place = await temporaryDirectory();
  const { dataDir } = place;
  await using server = await serve({ dataDir, env: { ...bucket.env, COFFER_BLOBS: "s3://a-bucket" } });
  const { drive, client } = await signUp(server, "owner");
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent++ < PIECES) controller.enqueue(PIECE);
      else controller.close();
    },
  });
  await client.put(drive, "large.bin", body);
  expect(await server.peakMemory()).toBeLessThan(MOST);
  await rm(join(dataDir, "cache"), { recursive: true });
  const answer = await client.fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=large.bin`);
  let received = 0;
  for await (const piece of answer.body ?? []) received += piece.length;
  expect(received).toBe(PIECES * MIB);
  expect(await server.peakMemory()).toBeLessThan(MOST);
}, 300_000);

/** MiB of each of some files that come at once; `LARGE=1024 bun test …` tries larger ones. */
const LARGE = Number(process.env["LARGE"] ?? 64);
const AT_ONCE = 8;

/** Uploads files at once, each with bytes of its own, then downloads them at once: `URL KEY DRIVE FILES PIECES`. */
const CLIENT = `
  const [url, key, drive, files, pieces] = process.argv.slice(-5);
  const headers = { authorization: "Bearer " + key };
  const newHash = () => new Bun.CryptoHasher("sha256");
  const requireSame = (hash, file) => {
    if (file.content_hash !== "sha256:" + hash.digest("hex")) throw new Error("other bytes: " + JSON.stringify(file));
  };
  const upload = async (n) => {
    const piece = Buffer.alloc(1024 * 1024, crypto.getRandomValues(new Uint8Array(64 * 1024)));
    const hash = newHash();
    let at = 0;
    const pull = (controller) => {
      if (at === Number(pieces)) return controller.close();
      const next = new Uint8Array(piece);
      new DataView(next.buffer).setUint32(0, at++);
      hash.update(next);
      controller.enqueue(next);
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const target = url + "/v0/files?drive_id=" + drive + "&path=" + n + ".bin";
    const file = await (await fetch(target, { method: "PUT", headers, body })).json();
    requireSame(hash, file);
    return file;
  };
  const download = async (file) => {
    const answer = await fetch(url + "/v0/files/" + file.id + "/download", { headers });
    const hash = newHash();
    for await (const piece of answer.body) hash.update(piece);
    requireSame(hash, file);
  };
  const stored = await Promise.all(Array.from({ length: Number(files) }, (_, n) => upload(n)));
  process.stdout.write("uploaded\\n");
  await Bun.stdin.text();
  await Promise.all(stored.map(download));
  process.stdout.write("downloaded\\n");`;

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const ceph = openEngine(startCeph);

  test("eight large uploads at once take less than 200 MB of memory, and downloads hardly more", async () => {
    await using place = await temporaryDirectory();
    const { dataDir } = place;
    const env = { ...ceph().env, COFFER_BLOBS: `s3://${await newBucket(ceph())}` };
    await using server = await serve({ dataDir, env });
    const { drive, key } = await signUp(server, "owner");
    const command = [process.execPath, "-e", CLIENT, server.url, key, drive, String(AT_ONCE), String(LARGE)];
    await using client = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const said = new Output(client.stdout);
    expect(await said.until(/uploaded/)).not.toBeNull();
    const uploads = (await server.peakMemory()) / 1e6;
    process.stderr.write(`peak of memory with uploads: ${uploads} MB\n`);
    await rm(join(dataDir, "cache"), { recursive: true });
    await client.stdin.end();
    expect(await said.until(/downloaded/)).not.toBeNull();
    const all = (await server.peakMemory()) / 1e6;
    process.stderr.write(`peak of memory with downloads: ${all} MB\n`);
    expect(uploads).toBeLessThan(200);
    expect(all).toBeLessThan(250);
  }, 1_800_000);
});
