import trashIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import { useEffect, useRef, useState } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { say } from "../components/toast.tsx";
import { asApiError } from "../lib/api/api.ts";
import { isManaged } from "../lib/drive-places.ts";
import { listDrives } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { nameOf, parentOf } from "../lib/files.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { useLoad } from "../lib/api/load.ts";
import { plain } from "../lib/contents/overrides.ts";
import { usePages } from "../lib/api/pages.ts";
import { useSession } from "../lib/api/session.tsx";
import { type Progress, progressWords } from "../lib/files/steps.ts";
import { listTrash, restoreFromTrash, restoreMany, wholeTrash } from "../lib/trash.ts";
import type { Drive, TrashEntry } from "../lib/api/types.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { plural, t } from "../lib/words/text.ts";
import { DeleteForGood, EmptyTrash } from "./trash/dialogs.tsx";
import { TrashRow } from "./trash/row.tsx";

/** What the person is about to delete for good. */
type Doing = { readonly what: "delete"; readonly entry: TrashEntry } | { readonly what: "empty" };

/** What was deleted, the last first: of one drive, by its id, or of all. */
export function Trash({ driveId }: { readonly driveId: string | null }) {
  const drives = useLoad("drives", listDrives).loaded;
  const { loaded, reload, more } = usePages("trash", (part, signal) => listTrash(driveId, part, signal));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { progress, putBack } = usePutBack(() => {
    setSelected(new Set());
    reload();
  });
  const [doing, setDoing] = useState<Doing | null>(null);
  useFeed(driveId, reload);
  const known = drives.state === "ready" ? drives.value : [];
  const drive = known.find(({ id }) => id === driveId);
  const entries = loaded.state === "ready" ? loaded.value.data : [];
  const chosen = entries.filter(({ id }) => selected.has(id));
  const select = ({ id }: TrashEntry) => setSelected((before) => before.symmetricDifference(new Set([id])));
  const heading = useHeadingAfterLoss(entries.length);
  const close = () => setDoing((now) => (now === doing ? null : now));
  const finish = () => {
    close();
    reload();
  };
  const restore = async (entry: TrashEntry) => {
    try {
      say(restoredTo(entry, (await restoreFromTrash(entry.id)).path));
    } catch (error) {
      say(asApiError(error).message);
    }
    reload();
  };
  return (
    <>
      <DriveHead title={t("Trash")} drive={drive} heading={heading}>
        {drive !== undefined && entries.length > 0 && isManaged(drive) && (
          <button type="button" class="button" onClick={() => setDoing({ what: "empty" })}>
            {t("Empty trash")}
          </button>
        )}
      </DriveHead>
      {entries.length > 0 && (
        <div class="row list-tools">
          {progress === null ? (
            <button
              type="button"
              class="button"
              onClick={() => void putBack(async () => (chosen.length > 0 ? chosen : wholeTrash(driveId)))}
            >
              {chosen.length > 0
                ? plural(chosen.length, "Put back {count} item", "Put back {count} items")
                : t("Put back all")}
            </button>
          ) : (
            <p class="soft" role="status">
              <progress aria-label={t("Putting back")} value={progress.done} max={progress.of} />{" "}
              {t("Putting back: {progress}", { progress: progressWords(progress) })}
            </p>
          )}
          {chosen.length > 0 && (
            <button type="button" class="button quiet" onClick={() => setSelected(new Set())}>
              {t("Select none")}
            </button>
          )}
        </div>
      )}
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && entries.length === 0 && <NothingThere />}
      {entries.length > 0 && (
        <ul class="list">
          {entries.map((entry) => (
            <TrashRow
              key={entry.id}
              entry={entry}
              drive={driveOf(entry, known)}
              showsDrive={driveId === null}
              isSelected={selected.has(entry.id)}
              onSelect={() => select(entry)}
              onRestore={() => void restore(entry)}
              onDelete={() => setDoing({ what: "delete", entry })}
            />
          ))}
        </ul>
      )}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
      {doing?.what === "delete" && <DeleteForGood entry={doing.entry} onClose={close} onDone={finish} />}
      {doing?.what === "empty" && drive !== undefined && (
        <EmptyTrash drive={drive} onClose={close} onDone={finish} />
      )}
    </>
  );
}

/** Puts many entries back, and says what came of it. Null while it does nothing. */
function usePutBack(onEnd: () => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const putBack = async (find: () => Promise<readonly TrashEntry[]>) => {
    setProgress({ done: 0, of: 1, pause: null });
    try {
      const entries = await find();
      const { signal } = abort.current;
      const left = await restoreMany(entries, { onProgress: setProgress, signal });
      const [refused] = left;
      const done = plural(entries.length - left.length, "Put back {count} item.", "Put back {count} items.");
      say(refused === undefined ? done : `${done}${sentenceSpace()}${refused.error.message}`);
    } catch (error) {
      say(asApiError(error).message);
    }
    setProgress(null);
    onEnd();
  };
  return { progress, putBack };
}

function NothingThere() {
  const { keep_days: days } = useSession().account.limits;
  return (
    <Empty svg={trashIcon} title={t("Nothing in the trash")}>
      <p class="soft">
        {days === 0
          ? t("This server keeps nothing that is deleted.")
          : plural(
              days,
              "What you or an agent deletes comes here first, and can be put back for {count} day.",
              "What you or an agent deletes comes here first, and can be put back for {count} days.",
            )}
      </p>
    </Empty>
  );
}

function driveOf({ drive_id: id }: TrashEntry, drives: readonly Drive[]): Drive | undefined {
  return drives.find((drive) => drive.id === id);
}

/** Where something was put back to, in words. */
function restoredTo(entry: TrashEntry, path: string): string {
  const name = plain(nameOf(entry.path));
  if (path === entry.path) {
    const folder = plain(parentOf(path));
    return folder === ""
      ? t("Put back “{name}”.", { name })
      : t("Put “{name}” back into {folder}.", { name, folder });
  }
  return t("Put “{name}” back as {path}.", { name, path: plain(path) });
}
