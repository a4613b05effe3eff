import { setTimeout as sleep } from "node:timers/promises";
import { SHARDS } from "../blobs/migration/migration-place.ts";
import { UnavailableBlob } from "../blobs/blob-place.ts";
import type { BucketSettings } from "../blobs/stored-blobs.ts";
import { asRefusal } from "../blobs/system-error.ts";
import { type DataDirectory, findDataDirectory } from "../data-directory/data-directory.ts";
import { isBucket } from "../data-directory/disks-file.ts";
import { acquireLock } from "../db/engine/lock.ts";
import { VerifiedDatabase } from "../db/verify/verified-database.ts";
import { messageOf } from "../domain/errors.ts";
import { inParallel } from "../process/in-parallel.ts";
import type { SteadyClock } from "../process/clock.ts";
import { AT_ONCE, Copies, NoRoomForCopies } from "./copies.ts";
import { CopyPace } from "./pace.ts";
import { MigrationPlaces } from "./places.ts";
import { type Amount, type MigrationPlan, survey } from "./survey.ts";

/** How long a server may need to open what it has found, in milliseconds. */
const LINGER_MS = 3000;

/** The contents cannot be moved; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** What a migration says while it runs. */
export type MigrationEvent =
  /** Before anything is changed. */
  | ({ readonly kind: "plan" } & MigrationPlan)
  /** A disk or a bucket that cannot be used, and why. */
  | { readonly kind: "away"; readonly about: string }
  /** A content that is not whole, and stays where it is. */
  | { readonly kind: "damaged"; readonly about: string }
  /** How many contents have been looked at, and how many bytes were copied. */
  | { readonly kind: "copying"; readonly contents: number; readonly bytes: number }
  | { readonly kind: "removing"; readonly contents: number };

export interface MigrationOptions {
  readonly dataDir: string;
  /** The root of the disk to copy to, absolute, or a bucket; null to move from former places to the current ones. */
  readonly to: string | null;
  /** Bytes that are to stay free on each disk. */
  readonly diskReserve: number;
  /** Where buckets are, and who may use them. */
  readonly s3: BucketSettings;
  /** Bytes a second; null for no limit. */
  readonly rate: number | null;
  /** Whether all bytes of copies are read again. */
  readonly isFull: boolean;
  /** Whether it only says what there is to do. */
  readonly isDryRun: boolean;
  /** Overrides `LINGER_MS`. */
  readonly lingerMs?: number;
  readonly clock: SteadyClock;
  readonly signal: AbortSignal;
  readonly tell: (event: MigrationEvent) => void;
}

export interface Migrated {
  /** What was at the sources. */
  readonly all: Amount;
  readonly copied: Amount;
  /** Contents that were at a target before. */
  readonly present: number;
  /** Contents that were removed from where they are no longer used. */
  readonly removed: number;
  /** Contents that stay where they are no longer used, as backups need them there. */
  readonly leased: number;
  readonly damaged: number;
  /** Disks, or buckets, that could not be used, before or after. */
  readonly away: number;
  /** Whether a server uses the targets. */
  readonly areTargetsUsed: boolean;
  /** Whether they were copied from a bucket to another one: a server uses one at a time. */
  readonly areBuckets: boolean;
}

/**
 * Copies contents to other disks, or to a bucket, beside a server or without one, and removes them from those that are no
 * longer used.
 * Nothing but the contents themselves is remembered, so it may be killed and run again. Throws MigrationError,
 * DataDirectoryError, and the reason of the signal once that is aborted.
 */
export async function migrate(options: MigrationOptions): Promise<Migrated> {
  const directory = findDataDirectory(options.dataDir);
  using database = VerifiedDatabase.open(directory.database);
  const store = database.storeId();
  if (store === null) {
    throw new MigrationError(
      `The database and the contents in ${options.dataDir} have not been used together yet. Start coffer serve once.`,
    );
  }
  using lock = options.isDryRun ? null : takeLock(directory);
  const places = await MigrationPlaces.find({ ...options, directory, store });
  return await new Migration({ ...options, directory }, places, database).run(lock !== null);
}

class Migration {
  readonly #options: MigrationOptions & { readonly directory: DataDirectory };
  readonly #places: MigrationPlaces;
  readonly #copies: Copies;
  #damaged = 0;

  constructor(
    options: MigrationOptions & { readonly directory: DataDirectory },
    places: MigrationPlaces,
    { isRefused }: VerifiedDatabase,
  ) {
    const { rate, clock, tell } = options;
    const sum = { contents: 0, bytes: 0 };
    this.#options = options;
    this.#places = places;
    this.#copies = new Copies({
      ...options,
      sources: places.sources,
      targets: places.targets,
      isRefused,
      pace: rate === null ? null : new CopyPace(rate, clock),
      onProgress: (contents, bytes) => {
        sum.contents += contents;
        sum.bytes += bytes;
        tell({ kind: "copying", ...sum });
      },
      onDamage: ({ message }) => {
        this.#damaged += 1;
        tell({ kind: "damaged", about: message });
      },
    });
  }

  async run(isReal: boolean): Promise<Migrated> {
    try {
      return await this.#run(isReal);
    } catch (error) {
      throw error instanceof UnavailableBlob ? unreachable(error) : error;
    }
  }

  async #run(isReal: boolean): Promise<Migrated> {
    const { sources, targets } = this.#places;
    const { tell } = this.#options;
    for (const about of this.#places.away) tell({ kind: "away", about });
    if (sources.length > 0 && targets.length === 0)
      throw new MigrationError("No place that the contents could be moved to can be used now.");
    const plan = await survey(sources, targets);
    tell({ kind: "plan", ...plan });
    requireRoom(plan);
    if (!isReal || plan.all.contents === 0) return this.#result(plan, { removed: 0, leased: 0, gone: 0 });
    await this.#copy();
    const removal = await this.#removeAll();
    return this.#result(plan, { ...removal, gone: await this.#places.countGone() });
  }

  async #copy(): Promise<void> {
    try {
      await this.#places.prepare();
      await this.#copies.run();
    } catch (error) {
      if (!(error instanceof NoRoomForCopies) && asRefusal(error) === error) throw error;
      // What is left, as others write to the disks too.
      requireRoom(await survey(this.#places.sources, this.#places.targets));
      throw new MigrationError(`The disks are full: ${messageOf(error)}. ${ROOM}`, { cause: error });
    }
  }

  /** Removes what is at a target from the places that are no longer used. Counts it, and what backups need there. */
  async #removeAll() {
    const { sources } = this.#places;
    const { lingerMs = LINGER_MS, signal, tell } = this.#options;
    const former = sources.filter((source) => this.#places.mayRemoveFrom(source));
    const counts = { removed: 0, leased: 0 };
    if (former.length === 0) return counts;
    if (former.some(({ name }) => isBucket(name))) requireNoBackup(this.#options.directory);
    // A server may have found a content at its old place, and open it there only now.
    await sleep(lingerMs, undefined, { signal });
    for (let shard = 0; shard < SHARDS; shard += 1) {
      for (const source of former) {
        await this.#places.requireSame();
        const { removable, leased } = await this.#copies.copied(source, shard);
        counts.leased += leased;
        await inParallel(removable, AT_ONCE, async ({ digest }) => {
          signal.throwIfAborted();
          await source.remove(digest);
          counts.removed += 1;
          tell({ kind: "removing", contents: counts.removed });
        });
      }
    }
    return counts;
  }

  #result(
    { all }: MigrationPlan,
    { removed, leased, gone }: { readonly removed: number; readonly leased: number; readonly gone: number },
  ): Migrated {
    const { away, areUsed, areBuckets } = this.#places;
    return {
      all,
      ...this.#copies.done,
      removed,
      leased,
      damaged: this.#damaged,
      away: away.length + gone,
      areTargetsUsed: areUsed,
      areBuckets,
    };
  }
}

function unreachable({ cause }: UnavailableBlob): MigrationError {
  const why = cause === undefined ? "" : ` (${messageOf(cause)})`;
  return new MigrationError(
    `The bucket cannot be reached${why}. Nothing is lost; run coffer blobs migrate again.`,
    {
      cause,
    },
  );
}

const ROOM = "Free some space, or add a disk. Nothing is lost; then run coffer blobs migrate again.";

function requireRoom({ missing, room }: MigrationPlan): void {
  if (missing.bytes <= room) return;
  throw new MigrationError(
    `There is no room for ${missing.bytes} bytes: ${missing.bytes - room} bytes are missing beyond COFFER_DISK_RESERVE. ${ROOM}`,
  );
}

/** One that began before the server left the bucket may leave contents there, and holds them only at its end. */
function requireNoBackup({ root, backupLockFile }: DataDirectory): void {
  const result = acquireLock(backupLockFile);
  if (result.ok) return result.lock.release();
  throw new MigrationError(
    `A backup of ${root} is running, which may need what is in the bucket. All is copied; run coffer blobs migrate again after its end.`,
  );
}

/** One migration at a time: each removes the temporary files of others. */
function takeLock({ root, migrationLockFile }: DataDirectory): Disposable {
  const result = acquireLock(migrationLockFile);
  if (result.ok) return { [Symbol.dispose]: () => result.lock.release() };
  const who = result.holder === null ? "" : ` in process ${result.holder.pid} on ${result.holder.host}`;
  throw new MigrationError(`Contents of ${root} are being moved already${who}. Wait for its end.`);
}
