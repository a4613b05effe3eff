import type { StoreId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { ContentFacts } from "../../domain/contents/content.ts";

/** Milliseconds. */
const MINUTE = 60_000;

/** What the database records about its contents directory, and about the time. */
export function store({ sql }: Database) {
  const minute = sql.number<[]>("PRAGMA user_version");
  return {
    /** The identity; null in a new database, or one of an earlier version. */
    id: sql.value<StoreId, []>("SELECT id FROM store WHERE pk = 1"),
    /** Contents without a row that were written up to this time must not be removed; milliseconds. */
    straysKeptUntil: sql.number<[]>("SELECT strays_kept_until FROM store WHERE pk = 1"),
    put: sql.write<[id: StoreId, straysKeptUntil: number]>(
      `INSERT INTO store (pk, id, strays_kept_until) VALUES (1, ?, ?)
       ON CONFLICT (pk) DO UPDATE SET id = excluded.id, strays_kept_until = excluded.strays_kept_until`,
    ),
    /** When the clock was last right, to the minute; 0 for never. Kept where SQLite leaves a number to us. */
    trustedAt: () => minute() * MINUTE,
    /** Inside a write. */
    putTrustedAt: (now: number) => {
      sql.run(`PRAGMA user_version = ${Math.max(0, Math.floor(now / MINUTE))}`);
    },
  };
}

/** How long a lease holds if it is not renewed, in milliseconds. */
export const LEASE_MS = 120_000;

/** The lease of the backup that is running, and when the last ones succeeded. */
export function backups({ sql }: Database) {
  const expiry = sql.number<[]>("SELECT expires_at FROM backup_lease WHERE pk = 1");
  const take = sql.write<[holder: string, expiresAt: number]>(
    `INSERT INTO backup_lease (pk, holder, expires_at) VALUES (1, ?, ?)
     ON CONFLICT (pk) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
  );
  const renew = sql.writeAny<[holder: string, now: number, expiresAt: number]>(
    "UPDATE backup_lease SET expires_at = ?3 WHERE pk = 1 AND holder = ?1 AND expires_at > ?2",
  );
  return {
    /** Whether a backup is running: then no row of a blob may be removed. */
    isRunning: (now: number) => {
      const until = expiry();
      // A lease that ends too late is from before the clock was set back.
      return until > now && until <= now + LEASE_MS;
    },
    /** Takes the lease, whoever has it: a lock keeps two backups apart. Inside a write. */
    take: (holder: string, now: number) => take(holder, now + LEASE_MS),
    /** Returns false if the lease has ended: contents may have been removed since. Inside a write. */
    renew: (holder: string, now: number) => renew(holder, now, now + LEASE_MS),
    /** Ends a lease, if it is still this holder's. */
    release: sql.write<[holder: string]>("DELETE FROM backup_lease WHERE pk = 1 AND holder = ?"),
    /** When the last backup into a place was complete, in milliseconds; null if there was none. */
    succeededAt: sql.value<number, [place: string]>("SELECT at FROM backup_success WHERE place = ?"),
    putSuccess: sql.write<[place: string, at: number]>(
      "INSERT INTO backup_success (place, at) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET at = excluded.at",
    ),
  };
}

/** How far the check of all contents has come. Times are milliseconds since the epoch. */
export type ScrubState = {
  readonly startedAt: number;
  /** The last digest that was checked; empty at the start of a round. */
  readonly reached: string;
  readonly contents: number;
  /** When the last round ended; null if none has. */
  readonly finishedAt: number | null;
};

export function scrub({ sql }: Database) {
  return {
    /** Null before the first round. */
    state: sql.get<ScrubState, []>(
      "SELECT started_at AS startedAt, reached, contents, finished_at AS finishedAt FROM scrub WHERE pk = 1",
    ),
    put: sql.write<[ScrubState]>(
      `INSERT OR REPLACE INTO scrub (pk, started_at, reached, contents, finished_at)
       VALUES (1, :startedAt, :reached, :contents, :finishedAt)`,
    ),
    /** Some blobs of files after a digest and up to another, in the order of their digests. */
    contents: sql.all<ContentFacts, [after: string, to: string, limit: number]>(
      "SELECT digest, size FROM blob WHERE digest > ? AND digest <= ? AND refs > 0 ORDER BY digest LIMIT ?",
    ),
  };
}
