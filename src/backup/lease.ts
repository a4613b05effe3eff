import { hostname } from "node:os";
import type { Clock } from "../process/clock.ts";
import { type DataDirectory } from "../data-directory/data-directory.ts";
import { LEASE_MS } from "../db/upkeep/backups.ts";
import { acquireLock, type Lock } from "../db/engine/lock.ts";
import type { Tables } from "../db/tables.ts";
import { BackupError } from "./place.ts";

/** How often the lease is renewed while it holds. */
const RENEWALS = 4;

export interface LeaseParts {
  readonly directory: DataDirectory;
  readonly tables: Tables;
  readonly clock: Clock;
}

/**
 * Keeps a server from removing contents, and other backups from starting. If this process is killed, the lock is
 * free at once, and contents are removed again when the lease in the database has ended.
 */
export class Lease implements AsyncDisposable {
  readonly #parts: LeaseParts;
  readonly #lock: Lock;
  readonly #holder = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`;
  #timer: NodeJS.Timeout | null = null;
  #heldUntil = 0;

  private constructor(parts: LeaseParts, lock: Lock) {
    this.#parts = parts;
    this.#lock = lock;
  }

  /** @throws BackupError while another backup of this store is running */
  static async take(parts: LeaseParts): Promise<Lease> {
    const result = acquireLock(parts.directory.backupLockFile);
    if (!result.ok) {
      const who = result.holder === null ? "" : ` in process ${result.holder.pid} on ${result.holder.host}`;
      throw new BackupError(`A backup of this data directory is running already${who}. Wait for its end.`);
    }
    const lease = new Lease(parts, result.lock);
    try {
      await lease.#begin();
      return lease;
    } catch (error) {
      result.lock.release();
      throw error;
    }
  }

  /** @throws BackupError if the lease has ended, because this process or its machine was held up for long */
  requireHeld(): void {
    if (this.#parts.clock.now() < this.#heldUntil) return;
    throw new BackupError(
      "The backup was held up for too long, so contents may have been removed. Run it again.",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    try {
      await this.#parts.tables.writeFromReserve(() => this.#parts.tables.backups.release(this.#holder));
    } catch {
      // It ends by itself.
    } finally {
      this.#lock.release();
    }
  }

  async #begin(): Promise<void> {
    const { tables, clock } = this.#parts;
    await tables.writeFromReserve(() => {
      const now = clock.now();
      // Who has the lock may: a lease of another was left by a process that was killed.
      tables.backups.take(this.#holder, now);
      this.#heldUntil = now + LEASE_MS;
    });
    this.#timer = setInterval(() => void this.#renew(), LEASE_MS / RENEWALS);
  }

  /** A renewal that fails is not the end: the next one may succeed in time. */
  async #renew(): Promise<void> {
    const { tables, clock } = this.#parts;
    try {
      await tables.writeFromReserve(() => {
        const now = clock.now();
        if (tables.backups.renew(this.#holder, now)) this.#heldUntil = now + LEASE_MS;
      });
    } catch {
      // `requireHeld` tells.
    }
  }
}
