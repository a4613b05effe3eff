import type { Database } from "./database.ts";

/** How long a lease holds if it is not renewed, in milliseconds. */
export const LEASE_MS = 120_000;

/** The lease of the backup that is running, and when the last ones succeeded. */
export class BackupsTable {
  readonly #expiry;
  readonly #take;
  readonly #renew;
  readonly #release;
  readonly #success;
  readonly #putSuccess;

  constructor({ sql }: Database) {
    this.#expiry = sql.prepare<{ time: number }, []>(
      "SELECT expires_at AS time FROM backup_lease WHERE pk = 1",
    );
    this.#take = sql.prepare<never, [string, number]>(
      `INSERT INTO backup_lease (pk, holder, expires_at) VALUES (1, ?, ?)
       ON CONFLICT (pk) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
    );
    this.#renew = sql.prepare<never, [number, string, number]>(
      "UPDATE backup_lease SET expires_at = ? WHERE pk = 1 AND holder = ? AND expires_at > ?",
    );
    this.#release = sql.prepare<never, [string]>("DELETE FROM backup_lease WHERE pk = 1 AND holder = ?");
    this.#success = sql.prepare<{ at: number }, [string]>("SELECT at FROM backup_success WHERE place = ?");
    this.#putSuccess = sql.prepare<never, [string, number]>(
      "INSERT INTO backup_success (place, at) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET at = excluded.at",
    );
  }

  /** Whether a backup is running: then no row of a content may be removed. */
  isRunning(now: number): boolean {
    const expiry = this.#expiry.get()?.time ?? 0;
    // A lease that ends too late is from before the clock was set back.
    return expiry > now && expiry <= now + LEASE_MS;
  }

  /** Takes the lease, whoever has it: a lock keeps two backups apart. Inside a write. */
  take(holder: string, now: number): void {
    this.#take.run(holder, now + LEASE_MS);
  }

  /** Returns false if the lease has ended: contents may have been removed since. Inside a write. */
  renew(holder: string, now: number): boolean {
    return this.#renew.run(now + LEASE_MS, holder, now).changes > 0;
  }

  /** Ends a lease, if it is still this holder's. Inside a write. */
  release(holder: string): void {
    this.#release.run(holder);
  }

  /** When the last backup into a place was complete, in milliseconds; null if there was none. */
  succeededAt(place: string): number | null {
    return this.#success.get(place)?.at ?? null;
  }

  /** Inside a write. */
  putSuccess(place: string, at: number): void {
    this.#putSuccess.run(place, at);
  }
}
