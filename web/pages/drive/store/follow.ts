import { batch } from "@preact/signals-core";
import { ApiError } from "../../../lib/api/api.ts";
import { getFile } from "../../../lib/files.ts";
import type { Change, FileRecord } from "../../../lib/api/types.ts";
import type { DriveStore } from "./drive.ts";

/** Files that are asked for one by one; of more, the whole list is read again. */
const ASKED_ONE_BY_ONE = 20;
/** Changes that are taken over one by one; of more, those of folders are, and the list is read again. */
const TAKEN_ONE_BY_ONE = 200;

/**
 * Puts changes of a drive into what its page shows, whoever made them. Cursor, selection and focus stay, as after
 * every change of the list. Never rejects: where an answer does not come, the list is read again.
 */
export async function follow(store: DriveStore, changes: readonly Change[]): Promise<void> {
  store.tell(changes);
  const isMuch = changes.length > TAKEN_ONE_BY_ONE || changes.some(({ type }) => type === "drive.restored");
  const wanted = batch(() => take(store, isMuch ? changes.filter(isOfFolder) : changes));
  if (isMuch || wanted.length > ASKED_ONE_BY_ONE) return store.reload();
  const answers = await Promise.allSettled(wanted.map(({ id }) => findFile(id)));
  batch(() => {
    for (const [at, { id, path }] of wanted.entries()) {
      const answer = answers[at];
      if (answer?.status !== "fulfilled") store.reload();
      else if (answer.value?.drive_id === store.drive) store.fileChanged(answer.value);
      else store.filesRemoved([{ key: id, path }]);
    }
  });
  store.settle();
}

/** A file of which the record is needed. */
interface Wanted {
  readonly id: string;
  readonly path: string;
}

/** Takes over what the changes tell themselves; gives the files of the folder that is shown, to be asked for. */
function take(store: DriveStore, changes: readonly Change[]): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const change of changes) {
    const { type, path, previous_path: previous, file_id: id } = change;
    if (isOfFolder(change)) takeFolder(store, change);
    else if (id !== null && type === "file.deleted") {
      wanted.delete(id);
      if (!store.isAnswered(change)) store.filesRemoved([{ key: id, path }]);
    } else if (id !== null && type.startsWith("file.")) {
      store.touched(path);
      const hasLeft = type === "file.moved" && !store.isAnswered(change);
      if (previous !== null && hasLeft) store.fileLeft(id, previous);
      if (store.isOutOfDate(change)) wanted.set(id, { id, path });
    }
  }
  return [...wanted.values()];
}

function isOfFolder({ type }: Change): boolean {
  return type.startsWith("folder.");
}

function takeFolder(store: DriveStore, change: Change): void {
  const { type, path, previous_path: previous } = change;
  const gone = type === "folder.deleted" ? path : type === "folder.moved" ? previous : null;
  if (gone !== null && !store.isAnswered(change)) store.folderRemoved(gone);
  if (type === "folder.deleted") return;
  store.folderCame(path);
}

/** Null where there is none. */
async function findFile(id: string): Promise<FileRecord | null> {
  try {
    return await getFile(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
