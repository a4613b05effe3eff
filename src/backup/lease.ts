import { hostname } from "node:os";
import type { Clock } from "../process/clock.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { LEASE_MS } from "../db/upkeep/store.ts";
import { acquireLock } from "../db/engine/lock.ts";
import type { Tables } from "../db/tables.ts";
import { BackupError } from "./place.ts";

/** How often the lease is renewed while it holds. */
const RENEWALS = 4;

/**
 * Keeps a server from removing contents, and other backups from starting. If this process is killed, the lock is free
 * at once; contents are removed again when the lease in the database has ended.
 */
export interface Lease extends AsyncDisposable {
  /** @throws BackupError if the lease has ended, because this process or its machine was held up for long */
  requireHeld(): void;
}

/** @throws BackupError while another backup of this store is running */
export async function takeLease({ backupLockFile }: DataDirectory, tables: Tables, clock: Clock) {
  const locked = acquireLock(backupLockFile);
  if (!locked.ok) {
    const who = locked.holder === null ? "" : ` in process ${locked.holder.pid} on ${locked.holder.host}`;
    throw new BackupError(`A backup of this data directory is running already${who}. Wait for its end.`);
  }
  await using opened = new AsyncDisposableStack();
  opened.defer(() => locked.lock.release());
  const holder = `${process.pid} on ${hostname()}, ${crypto.randomUUID()}`;
  let heldUntil = 0;
  const hold = (take: (now: number) => boolean) =>
    tables.writeFromReserve(() => {
      const now = clock.now();
      if (take(now)) heldUntil = now + LEASE_MS;
    });
  await hold((now) => {
    // Who has the lock may: a lease of another was left by a process that was killed.
    tables.backups.take(holder, now);
    return true;
  });
  // If this fails, it ends by itself.
  opened.defer(async () => {
    await tables.writeFromReserve(() => tables.backups.release(holder)).catch(() => {});
  });
  // One that fails is not the end: the next may succeed in time, and `requireHeld` tells.
  const renew = () => hold((now) => tables.backups.renew(holder, now)).catch(() => {});
  const timer = setInterval(() => void renew(), LEASE_MS / RENEWALS);
  opened.defer(() => clearInterval(timer));
  const owned = opened.move();
  return {
    requireHeld: () => {
      if (clock.now() < heldUntil) return;
      throw new BackupError(
        "The backup was held up for too long, so contents may have been removed. Run it again.",
      );
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
