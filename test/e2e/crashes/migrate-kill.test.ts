import { test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { killMigrations, leftOn } from "../../support/faults/killed-migrations.ts";
import { S3Server } from "../../support/peers/s3-server.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";

const KILLS = isThorough() ? { disks: 99, bucket: 63 } : { disks: 8, bucket: 3 };
const TIMEOUT_MS = 900_000;

/** Two disks, and a data directory that uses none yet. */
async function openDisks() {
  // What a killed process has written is there without a sync.
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const [a, b] = [join(place.path, "a"), join(place.path, "b")];
  for (const disk of [a, b]) await mkdir(disk);
  const dispose = () => place[Symbol.asyncDispose]();
  return { a, b, dataDir: join(place.path, "data"), [Symbol.asyncDispose]: dispose };
}

test(
  "a migration that is killed again and again beside writers and sweeps loses nothing, and leaves nothing in the end",
  async () => {
    await using disks = await openDisks();
    const { dataDir, a, b } = disks;
    await killMigrations({ dataDir, first: a, second: b, kills: KILLS.disks, leftAtFirst: () => leftOn(a) });
  },
  TIMEOUT_MS,
);

test(
  "the same between a bucket and a disk",
  async () => {
    await using disks = await openDisks();
    await using bucket = await S3Server.start("a-bucket");
    await killMigrations({
      dataDir: disks.dataDir,
      first: "s3://a-bucket/p",
      second: disks.b,
      env: bucket.env,
      kills: KILLS.bucket,
      leftAtFirst: async () => [...bucket.objects.keys()],
    });
  },
  TIMEOUT_MS,
);
