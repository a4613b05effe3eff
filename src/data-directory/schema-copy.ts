import { readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "../domain/errors.ts";
import { type DataDirectory, makeDurably, sync } from "./data-directory.ts";
import type { Upgrade } from "../db/engine/opening.ts";
import type { Log } from "../process/log.ts";

const DRAFT = "unfinished.db";

interface SchemaCopyParts {
  readonly directory: DataDirectory;
  /** Bytes that the copy leaves free on the disk of the data directory. */
  readonly diskReserve: number;
  readonly log: Log;
  readonly isUnwanted: boolean;
}

/** Only the last upgrade's copy is kept; one that has its name is complete, and synced. Throws an Error with advice. */
export function copyBeforeUpgrade(parts: SchemaCopyParts, upgrade: Upgrade): void {
  const { directory, log, isUnwanted } = parts;
  const { from, to, size, copyTo } = upgrade;
  if (isUnwanted) {
    log.warn("upgrading the database without a copy of it", { from, to });
    return;
  }
  const path = join(directory.beforeUpgrade, `schema-${from}.db`);
  log.info("copying the database before it is upgraded: the copy is the way back to the older Coffer", {
    from,
    to,
    copy: path,
    bytes: size,
  });
  const draft = join(directory.beforeUpgrade, DRAFT);
  try {
    makeDurably(directory.beforeUpgrade);
    rmSync(draft, { force: true });
    requireRoom(parts, upgrade);
    copyTo(draft);
    sync(draft);
    renameSync(draft, path);
    sync(directory.beforeUpgrade);
    for (const name of readdirSync(directory.beforeUpgrade)) {
      if (name !== basename(path)) rmSync(join(directory.beforeUpgrade, name));
    }
  } catch (error) {
    discard(draft);
    throw noCopy(upgrade, path, error);
  }
}

/** If this fails too, the next attempt does it. */
function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The first error is the one to tell.
  }
}

function requireRoom({ directory, diskReserve }: SchemaCopyParts, { size }: Upgrade): void {
  const { bavail, bsize } = statfsSync(directory.root);
  const room = Math.max(0, bavail * bsize - diskReserve);
  if (size > room)
    throw new Error(`${size} bytes are needed, and ${room} are free beyond COFFER_DISK_RESERVE`);
}

function noCopy({ from, to }: Upgrade, path: string, cause: unknown): Error {
  return new Error(
    `The database must be upgraded from schema version ${from} to ${to}. Before, it is copied to ${path}, and that ` +
      `failed: ${messageOf(cause)}. Nothing has been changed, and the older Coffer still works. Free some space, or mend what is ` +
      "wrong; or make a backup with the older Coffer, and start this one once with --upgrade-without-copy.",
    { cause },
  );
}
