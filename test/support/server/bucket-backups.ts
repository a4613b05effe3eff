import { basename, join } from "node:path";
import { backUpTo } from "../../../src/backup/backup.ts";
import { checkBackup } from "../../../src/backup/check.ts";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { restoreFrom } from "../../../src/backup/restore.ts";
import { S3Place } from "../../../src/backup/s3-place.ts";
import type { BackupOptions } from "../../../src/backup/run.ts";
import { migrate } from "../../../src/migration/migrate.ts";
import { systemClock } from "../../../src/process/clock.ts";
import type { BackupAddress } from "../../../src/domain/upkeep/backup-address.ts";
import { changeDatabase } from "../faults/change-database.ts";
import { type Held, heldBy, put } from "../faults/faults.ts";
import { optionsFor } from "../peers/s3-options.ts";
import { S3Server } from "../peers/s3-server.ts";
import { KEEPS_NOTHING, startAppliance } from "./appliance.ts";
import { provision } from "./scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

/** Where the contents are, as a setting has it. */
export const BLOBS = "s3://a-bucket/one";
/** Another part of the same bucket. */
export const IN_BUCKET: BackupAddress = { kind: "s3", bucket: "a-bucket", prefix: "backups/" };

type Way = BackupOptions["backupContents"];

/** Commands look at the real clock, and the bucket compares. */
async function realTime(): Promise<number> {
  return Date.now();
}

/** A Coffer whose contents are in a bucket, with a drive, and places for its backups. */
export async function openBucketBackups(settings: Record<string, string> = {}) {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await temporaryDirectory(FAST_DIRECTORY));
  const bucket = opening.use(await S3Server.start("a-bucket"));
  const coffer = opening.use(
    await startAppliance(
      { blobs: BLOBS, ...KEEPS_NOTHING, ...settings },
      { env: bucket.env, prepare: realTime },
    ),
  );
  const { id: drive, key } = await provision(coffer);
  const { clock, dataDir } = coffer;
  const s3 = optionsFor(bucket);
  const directory: BackupAddress = { kind: "directory", path: join(path, "place") };
  const { signal } = new AbortController();
  const options = { dataDir, clock, s3, diskReserve: 0, version: "1.2.3", signal };
  const client = () => coffer.client(key);
  const removeNow = (name: string) =>
    client().send("DELETE", `/v0/files/by-path?drive_id=${drive}&path=${name}`);
  const completeIn = async (address: BackupAddress): Promise<string[]> => {
    const place =
      address.kind === "s3" ? new S3Place(address, { s3, clock }) : new DirectoryPlace(address.path);
    const kept = await keptBackups(place);
    return kept.filter(({ isComplete }) => isComplete).map(({ id }) => id);
  };
  const namesIn = (part: string) =>
    [...bucket.objects.keys()].filter((name) => name.startsWith(part)).toSorted();
  const closing = opening.move();
  return {
    coffer,
    bucket,
    /** A place for backups outside the bucket. */
    directory,
    at: (name: string) => join(path, name),
    upload: (name: string, bytes: Uint8Array) => put(client(), drive, name, bytes),
    /** Deletes a file for good, so long ago that its content may be removed. */
    remove: async (name: string) => {
      await removeNow(name);
      await coffer.appliance.services.sweep.run();
      changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE refs = 0");
    },
    /** Deletes a file for good, if it is there. */
    removeNow,
    sweep: () => coffer.appliance.services.sweep.run(),
    held: () => heldBy(client(), drive),
    /** The objects of contents, by their digests. */
    blobs: () => namesIn("one/blobs/").map((name) => basename(name)),
    /** The backups that have a lease. */
    leases: () => namesIn("one/leases/").map((name) => basename(name)),
    completeIn,
    /** The complete backups in the bucket. */
    complete: () => completeIn(IN_BUCKET),
    backUp: (address: BackupAddress, keep = 7, backupContents: Way = "leave") =>
      backUpTo(address, keep, { ...options, backupContents }),
    /** Moves contents from where they were to where new ones go. */
    migrate: () =>
      migrate({
        ...options,
        to: null,
        rate: null,
        isFull: false,
        isDryRun: false,
        lingerMs: 0,
        clock: systemClock,
        tell: () => {},
      }),
    restore: (
      address: BackupAddress,
      into: string,
      backupContents: Way = "leave",
      id: string | null = null,
    ) => restoreFrom(address, id, { dataDir: join(path, into), backupContents, s3, clock }),
    /** What `coffer verify --backup` prints of the newest one in a place, without the summary. */
    check: async (address: BackupAddress, isFull: boolean): Promise<string[]> => {
      const lines: string[] = [];
      for await (const event of checkBackup(address, null, { dataDir, s3, clock, isFull })) {
        if (event.kind === "progress") continue;
        lines.push(`${event.kind === "finding" ? event.code : event.kind} ${event.about}`);
      }
      return lines;
    },
    /** What the drive has in a directory that was restored, after the server was stopped. */
    heldIn: async (name: string, blobs: string | null = BLOBS): Promise<Held> => {
      await coffer.close();
      await using other = await startAppliance({}, { env: bucket.env, prepare: realTime });
      await other.restart({ "data-dir": join(path, name), ...(blobs === null ? {} : { blobs }) });
      return await heldBy(other.client(key), drive);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
