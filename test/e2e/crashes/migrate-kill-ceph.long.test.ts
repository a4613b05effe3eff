import { describe, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { killMigrations } from "../../support/faults/killed-migrations.ts";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { clientOf, newBucket, openEngine } from "../../support/peers/s3-engine.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const KILLS = 33;
const TIMEOUT_MS = 900_000;

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const engine = openEngine(startCeph);

  test(
    "a migration between a disk and a bucket of Ceph that is killed again and again loses nothing, and leaves nothing",
    async () => {
      await using place = await temporaryDirectory(FAST_DIRECTORY);
      const disk = join(place.path, "disk");
      await mkdir(disk);
      const { env } = engine();
      const bucket = await newBucket(engine());
      await killMigrations({
        dataDir: join(place.path, "data"),
        first: `s3://${bucket}/p`,
        second: disk,
        env,
        kills: KILLS,
        leftAtFirst: async () => {
          const { contents = [] } = await clientOf(env, bucket).list();
          return contents.map(({ key }) => key);
        },
      });
    },
    TIMEOUT_MS,
  );
});
