import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { countFolder, describeEntries, type Entry } from "../../lib/files.ts";
import { among, selectedBytes } from "../../lib/files-selection.ts";
import { deleteEntries } from "../../lib/files-work.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import { useLoad } from "../../lib/load.ts";
import { useWork } from "./use-work.ts";
import { WorkReport } from "./work-report.tsx";

const NAMED = 5;
/** Folders counted before deleting; beyond it, the question says that it does not know. */
const COUNTED = 50;

interface DeleteDialogProps {
  readonly driveId: string;
  readonly entries: readonly Entry[];
  /** With what was done, in words. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

/** Says what would go, with all in the folders, and deletes it when that is wanted. */
export function DeleteDialog({ driveId, entries, onDone, onClose }: DeleteDialogProps) {
  const what = describeEntries(entries);
  const { loaded } = useLoad("preview", () => filesIn(driveId, entries));
  const { work, start, stop } = useWork(
    (run) => deleteEntries(driveId, entries, run),
    () => onDone(`Deleted ${what}.`),
  );
  return (
    <Dialog title={`Delete ${what}?`} onClose={onClose}>
      {work.state === "idle" && (
        <>
          <Names entries={entries} />
          {loaded.state === "loading" && <p class="soft">Counting what is in it…</p>}
          {loaded.state === "failed" && <Failure error={loaded.error} />}
          {loaded.state === "ready" && <p>{consequence(entries, loaded.value)}</p>}
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
      <WorkReport work={work} onStop={stop} onClose={onClose} />
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

/** Files below the folders among the entries; null where there are too many folders to ask for each. */
async function filesIn(driveId: string, entries: readonly Entry[]): Promise<number | null> {
  const folders = entries.filter(({ kind }) => kind === "folder");
  if (folders.length > COUNTED) return null;
  let files = 0;
  for (const { path } of folders) files += await countFolder(driveId, path);
  return files;
}

function consequence(entries: readonly Entry[], inFolders: number | null): string {
  const files = entries.filter(({ kind }) => kind === "file").length;
  const folders = entries.length - files;
  const parts = [
    files > 0 && `${formatCount(files, "file")} (${formatBytes(selectedBytes(among(entries)))})`,
    folders > 0 &&
      `${formatCount(folders, "folder")} with ${inFolders === null ? "everything" : formatCount(inFolders, "file")} in ${folders === 1 ? "it" : "them"}`,
  ].filter((part) => part !== false);
  return `${parts.join(" and ")} will be gone for good.`;
}
