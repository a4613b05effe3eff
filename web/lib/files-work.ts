import { ApiError, call } from "./api.ts";
import { createFolder, type Entry, listFolder } from "./files.ts";
import { nameOf } from "./files-place.ts";
import { type Left, Steps, type Work } from "./files-steps.ts";
import { plain } from "./overrides.ts";
import type { FileRecord } from "./types.ts";

const IDS_A_REQUEST = 1000;
const PAGE = 1000;
/** More files than this are not moved one by one from a browser. */
const FILES_A_TRANSFER = 5000;

/** Deletes files and whole folders; what could not be deleted comes back. */
export async function deleteEntries(drive: string, entries: readonly Entry[], work: Work): Promise<Left[]> {
  const files = entries.filter((entry) => entry.kind === "file");
  const folders = entries.filter((entry) => entry.kind === "folder");
  const steps = new Steps(work, entries.length);
  for (let start = 0; start < files.length; start += IDS_A_REQUEST) {
    const some = files.slice(start, start + IDS_A_REQUEST);
    const about = some.length === 1 ? (some[0]?.path ?? "") : `${some.length} files`;
    await steps.take(about, async () => steps.left.push(...(await deleteFiles(some))), some.length);
  }
  for (const { path } of folders) await steps.take(path, () => removeFolder(drive, path));
  return steps.left;
}

/** Deletes at most as many as one request takes. */
async function deleteFiles(files: readonly Entry[]): Promise<Left[]> {
  const body = { file_ids: files.map(({ key }) => key) };
  const answer = await call<{ failed: string[] }>("POST", "/v0/files/bulk-delete", { body });
  const failed = new Set(answer.failed);
  const error = new ApiError(404, "NOT_FOUND", "It was gone already, or is not yours to delete.");
  return files.filter(({ key }) => failed.has(key)).map(({ path }) => ({ path, error }));
}

async function removeFolder(drive: string, path: string): Promise<void> {
  await call("DELETE", "/v0/folders", { body: { drive_id: drive, path, confirm: true } });
}

export interface Transfer {
  readonly kind: "move" | "copy";
  readonly drive: string;
  readonly entries: readonly Entry[];
  /** Slug or id. */
  readonly toDrive: string;
  readonly toFolder: string;
  /** Given where a single entry gets a new name on the way. */
  readonly newName?: string;
}

/**
 * Moves or copies files, and folders with all below them, file by file. What stands at a destination
 * already stays there, and what would have replaced it is left where it was.
 *
 * @throws ApiError when the folders hold too much, or lie in their own destination
 */
export async function transferEntries(transfer: Transfer, work: Work): Promise<Left[]> {
  const { drive, toDrive, kind } = transfer;
  const { files, folders } = await plan(transfer, work.signal);
  const emptied = kind === "move" ? folders.toReversed() : [];
  const steps = new Steps(work, folders.length + files.length + emptied.length);
  for (const { to } of folders) await steps.take(to, () => createFolder(toDrive, to));
  for (const { file, to } of files) {
    const body = { destination_path: to, destination_drive_id: toDrive };
    await steps.take(file.path, () => call("POST", `/v0/files/${file.id}/${kind}`, { body }));
  }
  for (const { from } of emptied) await steps.take(from, () => removeEmpty(drive, from));
  return steps.left;
}

/** Removes a folder only where nothing is left in it. */
async function removeEmpty(drive: string, path: string): Promise<void> {
  const { total, folders } = await listFolder(drive, path, { limit: 1 });
  if (total === 0 && folders.length === 0) await removeFolder(drive, path);
}

interface Plan {
  readonly files: { readonly file: FileRecord; readonly to: string }[];
  /** Parents before what is in them. */
  readonly folders: { readonly from: string; readonly to: string }[];
}

async function plan(transfer: Transfer, signal: AbortSignal): Promise<Plan> {
  const { drive, toDrive, toFolder, entries } = transfer;
  const made: Plan = { files: [], folders: [] };
  for (const entry of entries) {
    const to = toFolder + (transfer.newName ?? nameOf(entry.path));
    if (entry.kind === "file") made.files.push({ file: entry.file, to });
    else if (drive === toDrive && `${to}/`.startsWith(entry.path)) throw intoItself(entry.path, to);
    else await planFolder(made, drive, { from: entry.path, to: `${to}/` }, signal);
  }
  return made;
}

async function planFolder(
  made: Plan,
  drive: string,
  folder: Plan["folders"][number],
  signal: AbortSignal,
): Promise<void> {
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, to } = next;
    made.folders.push(next);
    let page = await listFolder(drive, from, { limit: PAGE, signal });
    waiting.push(...page.folders.map((path) => ({ from: path, to: to + path.slice(from.length) })));
    for (;;) {
      made.files.push(...page.data.map((file) => ({ file, to: to + nameOf(file.path) })));
      if (made.files.length > FILES_A_TRANSFER) throw tooMuch();
      if (page.next_cursor === null) break;
      page = await listFolder(drive, from, { limit: PAGE, cursor: page.next_cursor, signal });
    }
  }
}

function intoItself(from: string, to: string): ApiError {
  const where = `${to}/` === from ? "where it is already" : "into itself";
  return new ApiError(409, "CONFLICT", `The folder “${plain(nameOf(from))}” cannot go ${where}.`);
}

function tooMuch(): ApiError {
  const most = FILES_A_TRANSFER.toLocaleString();
  return new ApiError(0, "TOO_MUCH", `The folders hold more than ${most} files. Take fewer at once.`);
}
