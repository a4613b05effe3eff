import { Dialog } from "../../../components/dialog.tsx";
import { Failure } from "../../../components/failure.tsx";
import { Name } from "../../../components/name.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { countFolder, describeDone, describeEntries, type Entry, parentOf } from "../../../lib/files.ts";
import type { Done } from "../../../lib/files/steps.ts";
import { bytesIn } from "../../../lib/files/selection.ts";
import { listFolders } from "../../../lib/files/folders.ts";
import { formatBytes, formatCount } from "../../../lib/words/format.ts";
import { useLoad } from "../../../lib/api/load.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { DriveStore } from "../store/drive.ts";
import { deleteEntries } from "../store/work.ts";
import { useWork, WorkReport } from "./work.tsx";

const NAMED = 5;
/** Folders that are each asked for; of more, the list they stand in is read again. */
const ASKED_ONE_BY_ONE = 10;
const PAGE = 1000;

interface DeleteDialogProps {
  readonly store: DriveStore;
  readonly entries: readonly Entry[];
  /** With what was done, in words, and how to take it back. */
  readonly onDone: (message: string, done: readonly Done[]) => void;
  /** Some of it was done, and the rest is left. */
  readonly onPartlyDone: (message: string, done: readonly Done[]) => void;
  readonly onClose: () => void;
}

/** Says what would go, with all in the folders, and deletes it when that is wanted. */
export function DeleteDialog({ store, entries, ...ends }: DeleteDialogProps) {
  const what = describeEntries(entries);
  const keepDays = useSession().account.limits.keep_days;
  const { loaded } = useLoad("preview", () =>
    filesIn(
      store.drive,
      entries.filter(({ kind }) => kind === "folder").map(({ path }) => path),
    ),
  );
  const { work, start, stop, done } = useWork(
    (run) => deleteEntries(store, entries, run),
    (all) => ends.onDone(`Deleted ${what}.`, all),
  );
  const onClose = () => {
    if (done.length > 0) ends.onPartlyDone(`Deleted ${describeDone(done)}.`, done);
    ends.onClose();
  };
  return (
    <Dialog title={`Delete ${what}?`} onClose={onClose}>
      {work.state === "idle" && (
        <>
          <Names entries={entries} />
          {loaded.state === "loading" && <p class="soft">Counting files…</p>}
          {loaded.state === "failed" && <Failure error={loaded.error} />}
          {loaded.state === "ready" && <p>{consequence(entries, loaded.value, keepDays)}</p>}
          <div class="row">
            <button type="button" class="button danger" disabled={loaded.state !== "ready"} onClick={start}>
              Delete
            </button>
            <button type="button" class="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
      <WorkReport work={work} how="delete" onStop={stop} onClose={onClose} />
    </Dialog>
  );
}

function Names({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <ul class="paths">
      {entries.slice(0, NAMED).map(({ key, path }) => (
        <li key={key}>
          <Name text={path} />
        </li>
      ))}
      {entries.length > NAMED && <li class="soft">and {(entries.length - NAMED).toLocaleString()} more</li>}
    </ul>
  );
}

/** How many files these folders, which all stand in the same one, hold at this moment. */
async function filesIn(driveId: string, folders: readonly string[]): Promise<number> {
  let files = 0;
  if (folders.length <= ASKED_ONE_BY_ONE) {
    for (const path of folders) files += await filesInOne(driveId, path);
    return files;
  }
  const parent = parentOf(folders[0] ?? "");
  const wanted = new Set(folders);
  for (let page = 1, more = true; more && wanted.size > 0; page += 1) {
    const { data, total } = await listFolders(driveId, parent, { page, limit: PAGE });
    for (const { path, file_count: count } of data) if (wanted.delete(path)) files += count;
    more = page * PAGE < total;
  }
  return files;
}

/** None in a folder that is gone: the others can go all the same. */
async function filesInOne(driveId: string, folder: string): Promise<number> {
  try {
    return await countFolder(driveId, folder);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 0;
    throw error;
  }
}

function consequence(entries: readonly Entry[], inFolders: number, keepDays: number): string {
  const files = entries.filter(({ kind }) => kind === "file");
  const folders = entries.length - files.length;
  const parts = [
    files.length > 0 && `${formatCount(files.length, "file")} (${formatBytes(bytesIn(files))})`,
    folders > 0 &&
      `${formatCount(folders, "folder")} with ${formatCount(inFolders, "file")} in ${folders === 1 ? "it" : "them"}`,
  ].filter((part) => part !== false);
  const what = parts.join(" and ");
  if (keepDays === 0) return `${what} will be permanently deleted.`;
  return `${what} will go to the trash, and can be put back for ${formatCount(keepDays, "day")}.`;
}
