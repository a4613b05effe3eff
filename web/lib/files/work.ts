import { BULK_DELETE_IDS } from "../../../src/domain/limits.ts";
import { ApiError, call } from "../api.ts";
import { type Entry, transferFolder } from "../files.ts";
import { nameOf } from "./place.ts";
import { type Left, Steps, type Work } from "./steps.ts";

/** Deletes files and whole folders; what could not be deleted comes back. */
export async function deleteEntries(drive: string, entries: readonly Entry[], work: Work): Promise<Left[]> {
  const files = entries.filter((entry) => entry.kind === "file");
  const folders = entries.filter((entry) => entry.kind === "folder");
  const steps = new Steps(work, entries.length);
  for (let start = 0; start < files.length; start += BULK_DELETE_IDS) {
    const some = files.slice(start, start + BULK_DELETE_IDS);
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
  const error = new ApiError(404, "NOT_FOUND", "It no longer exists, or you can't delete it.");
  return files.filter(({ key }) => failed.has(key)).map(({ path }) => ({ path, error }));
}

async function removeFolder(drive: string, path: string): Promise<void> {
  await call("DELETE", "/v0/folders", { body: { drive_id: drive, path, confirm: true } });
}

/** What is to be moved or copied, and where to. */
export interface Transfer {
  readonly kind: "move" | "copy";
  readonly drive: string;
  readonly entries: readonly Entry[];
  /** Slug or id. */
  readonly toDrive: string;
  readonly toFolder: string;
}

/**
 * Moves or copies files, and folders with all that is in them; each goes whole or stays as it was.
 * What stands at a destination already stays there, and what would have replaced it comes back.
 */
export async function transferEntries(transfer: Transfer, work: Work): Promise<Left[]> {
  const { kind, drive, entries, toDrive, toFolder } = transfer;
  const steps = new Steps(work, entries.length);
  for (const entry of entries) {
    const to = toFolder + nameOf(entry.path);
    await steps.take(entry.path, () =>
      entry.kind === "folder"
        ? transferFolder(kind, { drive, path: entry.path }, { drive: toDrive, path: `${to}/` })
        : call("POST", `/v0/files/${entry.file.id}/${kind}`, {
            body: { destination_path: to, destination_drive_id: toDrive },
          }),
    );
  }
  return steps.left;
}
