import { batch } from "@preact/signals-core";
import {
  type DrivePath,
  type Entry,
  nameOf,
  parentOf,
  transferFile,
  transferFolder,
} from "../../../lib/files.ts";
import { Steps, type Undoable } from "../../../lib/files/steps.ts";
import { formatCount } from "../../../lib/words/format.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import { restoreFromTrash } from "../../../lib/trash.ts";
import type { DriveStore } from "./drive.ts";

/** The deletion of a file or folder, which left an entry in the trash. */
export function deletion(store: DriveStore, path: string, trashId: string): Undoable {
  const undo = async () => {
    const restored = await restoreFromTrash(trashId);
    store.tree.addFolder(restored.path.endsWith("/") ? restored.path : parentOf(restored.path));
  };
  return { path, undo };
}

/** The moving of a file or folder, or its renaming; `to` is where it stands since, without a slash. */
export function moving(store: DriveStore, entry: Entry, to: DrivePath): Undoable {
  const { drive } = store;
  const { path } = entry;
  const undo = async () => {
    if (entry.kind === "file") {
      const file = await transferFile("move", entry.key, { drive, path });
      store.fileChanged(file);
      return;
    }
    const from = { ...to, path: `${to.path}/` };
    const folder = await transferFolder("move", from, { drive, path });
    batch(() => {
      if (to.drive === drive) store.folderRemoved(from.path);
      store.folderMade(folder);
    });
  };
  return { path, undo };
}

/**
 * Takes back what was done, the last first, and says so. What stands in a place that was left stays there.
 *
 * @throws ApiError the first refusal, if there was any; all the rest was taken back
 */
export async function takeBack(store: DriveStore, done: readonly Undoable[]): Promise<string> {
  const steps = new Steps({ onProgress: () => {}, signal: new AbortController().signal }, done.length);
  for (const { path, undo } of done.toReversed()) await steps.take(path, undo);
  // What was put back may stand beside its place, and counts have changed.
  store.reload();
  const [refused] = steps.left;
  if (refused !== undefined) throw refused.error;
  const [only] = done;
  if (only === undefined || done.length > 1) return `Put back ${formatCount(done.length, "item")}.`;
  return `Put back “${plain(nameOf(only.path))}”.`;
}
