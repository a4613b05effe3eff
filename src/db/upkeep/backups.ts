import type { Database } from "../engine/database.ts";

/** How long a lease holds if it is not renewed, in milliseconds. */
export const LEASE_MS = 120_000;

/** The lease of the backup that is running, and when the last ones succeeded. */
export class BackupsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      expiry: sql.prepare<{ time: number }, []>("SELECT expires_at AS time FROM backup_lease WHERE pk = 1"),
      take: sql.prepare<never, [string, number]>(
        `INSERT INTO backup_lease (pk, holder, expires_at) VALUES (1, ?, ?)
       ON CONFLICT (pk) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
      ),
      renew: sql.prepare<never, [number, string, number]>(
        "UPDATE backup_lease SET expires_at = ? WHERE pk = 1 AND holder = ? AND expires_at > ?",
      ),
      release: sql.prepare<never, [string]>("DELETE FROM backup_lease WHERE pk = 1 AND holder = ?"),
      success: sql.prepare<{ at: number }, [string]>("SELECT at FROM backup_success WHERE place = ?"),
      putSuccess: sql.prepare<never, [string, number]>(
        "INSERT INTO backup_success (place, at) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET at = excluded.at",
      ),
    };
  }

  /** Whether a backup is running: then no row of a content may be removed. */
  isRunning(now: number): boolean {
    const expiry = this.#sql.expiry.get()?.time ?? 0;
    // A lease that ends too late is from before the clock was set back.
    return expiry > now && expiry <= now + LEASE_MS;
  }

  /** Takes the lease, whoever has it: a lock keeps two backups apart. Inside a write. */
  take(holder: string, now: number): void {
    this.#sql.take.run(holder, now + LEASE_MS);
  }

  /** Returns false if the lease has ended: contents may have been removed since. Inside a write. */
  renew(holder: string, now: number): boolean {
    return this.#sql.renew.run(now + LEASE_MS, holder, now).changes > 0;
  }

  /** Ends a lease, if it is still this holder's. Inside a write. */
  release(holder: string): void {
    this.#sql.release.run(holder);
  }

  /** When the last backup into a place was complete, in milliseconds; null if there was none. */
  succeededAt(place: string): number | null {
    return this.#sql.success.get(place)?.at ?? null;
  }

  /** Inside a write. */
  putSuccess(place: string, at: number): void {
    this.#sql.putSuccess.run(place, at);
  }
}
