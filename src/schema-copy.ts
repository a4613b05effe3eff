import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { type DataDirectory, makeDurably, syncDirectory } from "./data-directory.ts";
import type { Upgrade } from "./db/migrate.ts";
import { isFull } from "./db/write-failures.ts";
import type { Log } from "./log.ts";

/** The name of a copy that is not complete. */
const DRAFT = "unfinished.db";

/** What a copy needs. */
export interface SchemaCopyParts {
  readonly directory: DataDirectory;
  /** Bytes that the copy leaves free on the disk of the data directory. */
  readonly diskReserve: number;
  readonly log: Log;
  /** Whether the operator wants none. */
  readonly isUnwanted: boolean;
}

/**
 * Copies the database beside itself before its schema is upgraded: with the copy in its place, the older executable
 * works again. Only the copy of the last upgrade is kept. A copy that has its name is complete, and synced.
 *
 * @throws Error that says what to do, if there is no room
 */
export function copyBeforeUpgrade(parts: SchemaCopyParts, upgrade: Upgrade): void {
  const { directory, log, isUnwanted } = parts;
  const { from, to, size, copyTo } = upgrade;
  if (isUnwanted) {
    log.warn("upgrading the database without a copy of it", { from, to });
    return;
  }
  const name = `schema-${from}.db`;
  const [path, draft] = [join(directory.beforeUpgrade, name), join(directory.beforeUpgrade, DRAFT)];
  makeDurably(directory.beforeUpgrade);
  rmSync(draft, { force: true });
  requireRoom(parts, upgrade, path);
  log.info("copying the database before it is upgraded: the copy is the way back to the older Coffer", {
    from,
    to,
    copy: path,
    bytes: size,
  });
  try {
    copyTo(draft);
    sync(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    throw isFull(error) ? noRoom(upgrade, path, 0) : error;
  }
  renameSync(draft, path);
  syncDirectory(directory.beforeUpgrade);
  for (const other of readdirSync(directory.beforeUpgrade)) {
    if (other !== name) rmSync(join(directory.beforeUpgrade, other));
  }
}

function requireRoom({ directory, diskReserve }: SchemaCopyParts, upgrade: Upgrade, path: string): void {
  const { bavail, bsize } = statfsSync(directory.root);
  const room = Math.max(0, bavail * bsize - diskReserve);
  if (upgrade.size > room) throw noRoom(upgrade, path, room);
}

function noRoom({ from, to, size }: Upgrade, path: string, room: number): Error {
  return new Error(
    `The database must be upgraded from schema version ${from} to ${to}, and is copied to ${path} before. This needs ` +
      `${size} bytes, and ${room} are free beyond COFFER_DISK_RESERVE. Nothing has been changed, and the older Coffer ` +
      "still works. Free some space; or make a backup with the older Coffer, and start this one once with " +
      "--upgrade-without-copy.",
  );
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
