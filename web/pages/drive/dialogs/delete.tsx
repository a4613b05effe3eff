import { Dialog } from "../../../components/dialog.tsx";
import { Failure } from "../../../components/failure.tsx";
import { Name } from "../../../components/name.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { countFolder, describeDone, describeEntries, type Entry, parentOf } from "../../../lib/files.ts";
import type { Done } from "../../../lib/files/steps.ts";
import { bytesIn } from "../../../lib/files/selection.ts";
import { listFolders } from "../../../lib/files/folders.ts";
import { formatBytes, formatList } from "../../../lib/words/format.ts";
import { useLoad } from "../../../lib/api/load.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { DriveStore } from "../store/drive.ts";
import { deleteEntries } from "../store/work.ts";
import { useWork, WorkReport } from "./work.tsx";
import { plural, t } from "../../../lib/words/text.ts";

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
    (all) => ends.onDone(t("Deleted {what}.", { what }), all),
  );
  const onClose = () => {
    if (done.length > 0) ends.onPartlyDone(t("Deleted {what}.", { what: describeDone(done) }), done);
    ends.onClose();
  };
  return (
    <Dialog title={t("Delete {what}?", { what })} onClose={onClose}>
      {work.state === "idle" && (
        <>
          <Names entries={entries} />
          {loaded.state === "loading" && <p class="soft">{t("Counting files…")}</p>}
          {loaded.state === "failed" && <Failure error={loaded.error} />}
          {loaded.state === "ready" && <p>{consequence(entries, loaded.value, keepDays)}</p>}
          <div class="row">
            <button type="button" class="button danger" disabled={loaded.state !== "ready"} onClick={start}>
              {t("Delete")}
            </button>
            <button type="button" class="button" onClick={onClose}>
              {t("Cancel")}
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
      {entries.length > NAMED && (
        <li class="soft">{t("and {count} more", { count: entries.length - NAMED })}</li>
      )}
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
  const what = formatList(partsOf(entries, inFolders));
  if (keepDays === 0) {
    return plural(
      entries.length,
      "{what} will be permanently deleted.",
      "{what} will be permanently deleted.",
      { what },
    );
  }
  return plural(
    entries.length,
    "{what} will go to the trash, and can be put back for {days}.",
    "{what} will go to the trash, and can be put back for {days}.",
    { what, days: plural(keepDays, "{count} day", "{count} days") },
  );
}

/** The files and the folders among the entries, in words. */
function partsOf(entries: readonly Entry[], inFolders: number): string[] {
  const files = entries.filter(({ kind }) => kind === "file");
  const folders = entries.length - files.length;
  const parts: string[] = [];
  if (files.length > 0) {
    const size = formatBytes(bytesIn(files));
    parts.push(plural(files.length, "{count} file ({size})", "{count} files ({size})", { size }));
  }
  if (folders > 0) {
    const inside = plural(inFolders, "{count} file", "{count} files");
    parts.push(
      plural(folders, "{count} folder with {files} in it", "{count} folders with {files} in them", {
        files: inside,
      }),
    );
  }
  return parts;
}
