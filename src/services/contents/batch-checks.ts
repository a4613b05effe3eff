import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, invalid, pathTaken } from "../../domain/errors.ts";
import { type File, hasExpired } from "../../domain/files/file.ts";
import { asFilePath, asFolderPath, type FilePath, parentFolder, ROOT } from "../../domain/files/path.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import type { OnConflict } from "../../domain/files/taken.ts";
import { keepsVersions } from "../../domain/history/history.ts";
import { RECORD_BYTES } from "../../domain/limits.ts";
import type { Parts } from "../parts.ts";

/** Where something stands in the body of a batch. */
interface SentPlace {
  /** Null in an archive. */
  readonly line: number | null;
  readonly path: string;
}

/** A file of a batch, as far as it must be known before any is written. */
export interface CheckedFile {
  readonly path: FilePath;
  /** Bytes. */
  readonly size: number;
  readonly precondition: Precondition;
}

interface Part {
  readonly sent: SentPlace;
  /** Null for a folder. */
  readonly file: CheckedFile | null;
}

type Checks = Pick<Parts, "tables" | "access" | "quota" | "retention" | "clock"> & {
  readonly caller: Caller;
  /** An id or slug. */
  readonly drive: string;
  readonly onConflict: OnConflict;
};

/** After so many files others have their turn. */
const TURN = 50;

/**
 * Throws what would be thrown by a write of one of these files, and says of which, before any is written. What changes
 * after that is found by the writes.
 */
export async function requireAllAtOnce(parts: Checks, all: readonly Part[]): Promise<void> {
  const drive = parts.access.driveToWrite(parts.caller, parts.drive, null);
  const paths = new Set<FilePath>();
  let bytes = 0;
  for (const [at, { sent, file }] of all.entries()) {
    if (at % TURN === TURN - 1) await nextTurn();
    if (file === null) continue;
    try {
      if (paths.has(file.path)) throw invalid("path", "is there twice in this batch");
      paths.add(file.path);
      bytes += file.size - (requireWritable(parts, drive, file)?.size ?? 0);
    } catch (error) {
      throw error instanceof CofferError ? errorAt(sent, error) : error;
    }
  }
  parts.quota.requireRoom(drive, parts.clock.now(), bytes);
  parts.quota.requireRecordRoom(drive, all.length * RECORD_BYTES.entry);
}

/** The error of one file as that of all: it says which. */
export function errorAt({ line, path }: SentPlace, error: CofferError): CofferError {
  const place = line === null ? `"${path}"` : `line ${line}${path === "" ? "" : ` ("${path}")`}`;
  return new CofferError(
    error.code,
    `Nothing was written, because of ${place}: ${error.message}`,
    error.field,
  );
}

/** Throws as a write of the file would. Returns the file that it replaces; null if there is none. */
function requireWritable(parts: Checks, drive: Drive, { path, precondition }: CheckedFile): File | null {
  const { tables, access, caller, onConflict, retention } = parts;
  access.driveToWrite(caller, drive.id, path);
  const found = tables.files.byPath(drive.pk, path);
  const present = found === null || hasExpired(found, parts.clock.now()) ? null : found;
  requirePrecondition(precondition, present);
  if (onConflict === "keep_both") return null;
  const asFolder = asFolderPath(path);
  if (tables.folders.byPath(drive.pk, asFolder) !== null) throw pathTaken("folder", asFolder);
  requireFolders(parts, drive, path);
  if (present === null) return null;
  if (onConflict === "fail") throw pathTaken("file", path);
  if (onConflict === "replace" && !keepsVersions(retention)) {
    throw new CofferError(
      "CONFLICT",
      `The file "${path}" exists, and this server keeps no earlier contents: all or nothing is for new files only.`,
    );
  }
  return present;
}

/** Throws CONFLICT if a file is where a folder is needed. */
function requireFolders({ tables, clock }: Checks, drive: Drive, path: FilePath): void {
  for (let at = parentFolder(path); at !== ROOT; at = parentFolder(at)) {
    if (tables.folders.byPath(drive.pk, at) !== null) return;
    const file = tables.files.byPath(drive.pk, asFilePath(at));
    if (file !== null && !hasExpired(file, clock.now())) throw pathTaken("file", asFilePath(at));
  }
}
