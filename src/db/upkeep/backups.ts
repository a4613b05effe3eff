import type { Database } from "../engine/database.ts";

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
