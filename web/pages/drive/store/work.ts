import { batch } from "@preact/signals-core";
import { BULK_FILES } from "../../../../src/domain/limits.ts";
import { ApiError } from "../../../lib/api/api.ts";
import {
  deleteFiles,
  deleteFolder,
  type DrivePath,
  type Entry,
  type FileEntry,
  nameOf,
  transferFile,
  transferFolder,
} from "../../../lib/files.ts";
import { type Left, Steps, type Work } from "../../../lib/files/steps.ts";
import type { DriveStore } from "./drive.ts";
import { deletion, moving } from "./undo.ts";

/** Deletes files and whole folders of a drive; what could not be deleted comes back. */
export function deleteEntries(store: DriveStore, entries: readonly Entry[], work: Work): Promise<Left[]> {
  const files = entries.filter((entry) => entry.kind === "file");
  const folders = entries.filter((entry) => entry.kind === "folder");
  return perform(store, new Steps(work, entries.length), async (steps) => {
    for (let start = 0; start < files.length; start += BULK_FILES) {
      const some = files.slice(start, start + BULK_FILES);
      const about = some.length === 1 ? (some[0]?.path ?? "") : `${some.length} files`;
      await steps.take(about, () => deleteSome(store, some, steps), some.length);
    }
    for (const { path } of folders) {
      await steps.take(path, async () => {
        const entry = await deleteFolder(store.drive, path);
        store.folderRemoved(path);
        if (entry !== null) steps.note(deletion(store, path, entry));
      });
    }
  });
}

/** Deletes at most as many as one request takes. */
async function deleteSome(store: DriveStore, files: readonly FileEntry[], steps: Steps): Promise<void> {
  const { deleted, failed, trash_ids: entries = [] } = await deleteFiles(files.map(({ key }) => key));
  const refused = new Set(failed);
  store.filesRemoved(files.filter(({ key }) => !refused.has(key)));
  const paths = new Map(files.map(({ key, path }) => [key, path]));
  for (const [at, id] of deleted.entries()) {
    const entry = entries[at] ?? null;
    if (entry !== null) steps.note(deletion(store, paths.get(id) ?? "", entry));
  }
  const error = new ApiError(404, "NOT_FOUND", "It no longer exists, or you can't delete it.");
  for (const { key, path } of files) if (refused.has(key)) steps.left.push({ path, error });
}

/** What is to be moved or copied, and where to. */
export interface Transfer {
  readonly how: "move" | "copy";
  readonly entries: readonly Entry[];
  /** Slug or id. */
  readonly toDrive: string;
  readonly toFolder: string;
}

/**
 * Moves or copies files of a drive, and folders with all that is in them; each goes whole or stays as it was.
 * What stands at a destination already stays there, and what would have replaced it comes back.
 */
export function transferEntries(store: DriveStore, transfer: Transfer, work: Work): Promise<Left[]> {
  const { how, entries, toDrive, toFolder } = transfer;
  return perform(store, new Steps(work, entries.length), async (steps) => {
    for (const entry of entries) {
      const to = { drive: toDrive, path: toFolder + nameOf(entry.path) };
      await steps.take(entry.path, async () => {
        await transferOne(store, how, entry, to);
        if (how === "move") steps.note(moving(store, entry, to));
      });
    }
  });
}

async function transferOne(
  store: DriveStore,
  how: Transfer["how"],
  entry: Entry,
  to: DrivePath,
): Promise<void> {
  if (entry.kind === "file") {
    const file = await transferFile(how, entry.key, to);
    batch(() => {
      if (how === "move") store.filesRemoved([entry]);
      store.fileChanged(file);
    });
  } else {
    const from = { drive: store.drive, path: entry.path };
    const folder = await transferFolder(how, from, { ...to, path: `${to.path}/` });
    if (how === "move") store.folderMoved(entry.path, folder);
    else store.folderMade(folder);
  }
}

/** Takes the steps. If not all were taken, or some failed, the folder is loaded again. */
async function perform(
  store: DriveStore,
  steps: Steps,
  take: (steps: Steps) => Promise<void>,
): Promise<Left[]> {
  let isDone = false;
  try {
    await take(steps);
    isDone = steps.left.length === 0 && !steps.isStopped;
  } finally {
    if (isDone) store.settle();
    else store.reload();
  }
  return steps.left;
}
