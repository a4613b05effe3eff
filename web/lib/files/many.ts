import { BULK_FILES } from "../../../src/domain/limits.ts";
import { ApiError, call } from "../api/api.ts";
import { refusalInWords } from "../api/server-message.ts";
import type { DrivePath } from "../files.ts";
import type { Left } from "./steps.ts";
import type { Decision } from "./taken.ts";

/** How many characters of paths one request may name: its body is bounded, and each takes up to three bytes. */
const REQUEST_CHARACTERS = 300_000;

/** Parts of a selection, each small enough for one request. */
export function inRequests<T extends { readonly path: string }>(all: readonly T[]): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let characters = 0;
  for (const one of all) {
    if (part.length === BULK_FILES || characters + one.path.length > REQUEST_CHARACTERS) {
      parts.push(part);
      [part, characters] = [[], 0];
    }
    part.push(one);
    characters += one.path.length;
  }
  return part.length === 0 ? parts : [...parts, part];
}

/** Files and folders of a drive, by their paths. */
export interface DrivePaths {
  readonly drive: string;
  readonly paths: readonly string[];
}

/** What became of paths that were to be deleted. */
export interface DeletedPaths {
  readonly failed: readonly string[];
  /** The entries of the trash of the others; null where nothing is kept. */
  readonly trash_ids: readonly (string | null)[];
  /** All of it, as `undoBatch` takes it. */
  readonly batch_id: string | null;
}

/** Deletes files and folders, no more than one of `inRequests`. @param signal ends waiting for a server that is away */
export function deletePaths({ drive, paths }: DrivePaths, signal: AbortSignal): Promise<DeletedPaths> {
  const body = { drive_id: drive, paths, confirm: true };
  return call("POST", "/v0/files/bulk-delete", { body, untilAnswered: signal });
}

/** Why one of many was not done. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What became of one of many that were to be moved or copied. */
export interface Transferred {
  readonly path: string;
  readonly status: "done" | "skipped" | "failed";
  /** Where it, or its copy, is now. */
  readonly to?: string;
  readonly error?: Failure;
}

/** What became of many. */
export interface TransferredPaths {
  /** In the order in which they were named. */
  readonly results: readonly Transferred[];
  readonly batch_id: string | null;
}

/** Moves or copies files and folders into a folder; the paths and the signal are as for `deletePaths`. */
export function transferPaths(
  how: "move" | "copy",
  { drive, paths }: DrivePaths,
  to: DrivePath,
  onConflict: "fail" | Decision,
  signal?: AbortSignal,
): Promise<TransferredPaths> {
  const body = {
    drive_id: drive,
    paths,
    destination_path: to.path === "" ? "/" : to.path,
    destination_drive_id: to.drive,
    on_conflict: onConflict,
  };
  return call("POST", `/v0/paths/${how}`, { body, untilAnswered: signal ?? true });
}

/** What became of changes that were to be taken back. */
export interface UndoneChanges {
  /** Takes the taking back back; null where nothing was done. */
  readonly batch_id: string | null;
  readonly undone: number;
  readonly failed: readonly { readonly path: string; readonly error: Failure }[];
  readonly failed_count: number;
}

/** Takes back some changes of a drive, no more than `UNDONE_CHANGES`. */
export function undoChanges(drive: string, ids: readonly string[], key?: string): Promise<UndoneChanges> {
  const options =
    key === undefined ? ({ untilAnswered: true } as const) : { headers: { "idempotency-key": key } };
  return call("POST", "/v0/undo", { body: { drive_id: drive, change_ids: ids }, ...options });
}

/** Takes back what one request did in a drive. What stayed as it is, as far as the server names it. */
export async function undoBatch(drive: string, batch: string): Promise<Left[]> {
  const { failed } = await undoWholeBatch(drive, batch);
  return failed.map(({ path, error }) => ({ path, error: asError(error) }));
}

/** Takes back what one request did in a drive. */
export function undoWholeBatch(drive: string, batch: string): Promise<UndoneChanges> {
  return call("POST", "/v0/undo", { body: { drive_id: drive, batch_id: batch }, untilAnswered: true });
}

/** Why one of many was not done, as the error of a request of its own. */
export function asError(failure: Failure): ApiError {
  const { code } = failure;
  return new ApiError(code === "NOT_FOUND" ? 404 : 409, code, refusalInWords(failure));
}
