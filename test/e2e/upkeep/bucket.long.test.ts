import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { S3Server } from "../../support/peers/s3-server.ts";
import { serve, signUp } from "../../support/server/executable.ts";
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
