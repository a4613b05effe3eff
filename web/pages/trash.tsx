import { useState } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Failure } from "../components/failure.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { say } from "../components/toast.tsx";
import { asApiError, call } from "../lib/api/api.ts";
import { isManaged } from "../lib/drive-places.ts";
import { listDrives } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { nameOf, parentOf } from "../lib/files.ts";
import { formatCount } from "../lib/words/format.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { useLoad } from "../lib/api/load.ts";
import { plain } from "../lib/contents/overrides.ts";
import { usePages } from "../lib/api/pages.ts";
import { useSession } from "../lib/api/session.tsx";
import { restoreFromTrash } from "../lib/trash.ts";
import type { CursorPage, Drive, TrashEntry } from "../lib/api/types.ts";
import { DeleteForGood, EmptyTrash } from "./trash/dialogs.tsx";
import { TrashRow } from "./trash/row.tsx";

/** What the person is about to delete for good. */
type Doing = { readonly what: "delete"; readonly entry: TrashEntry } | { readonly what: "empty" };

/** What was deleted, the last first: of one drive, by its id, or of all. */
export function Trash({ driveId }: { readonly driveId: string | null }) {
  const drives = useLoad("drives", listDrives).loaded;
  const { loaded, reload, more } = usePages("trash", (part, signal) => {
    const query = new URLSearchParams({ ...(driveId === null ? {} : { drive_id: driveId }), ...part });
    return call<CursorPage<TrashEntry>>("GET", `/v0/trash?${query}`, { signal });
  });
  const [doing, setDoing] = useState<Doing | null>(null);
  useFeed(driveId, reload);
  const known = drives.state === "ready" ? drives.value : [];
  const drive = known.find(({ id }) => id === driveId);
  const entries = loaded.state === "ready" ? loaded.value.data : [];
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
      <DriveHead title="Trash" drive={drive} heading={heading}>
        {drive !== undefined && entries.length > 0 && isManaged(drive) && (
          <button type="button" class="button" onClick={() => setDoing({ what: "empty" })}>
            Empty trash
          </button>
        )}
      </DriveHead>
      {loaded.state === "loading" && <p class="soft">Loading…</p>}
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

function NothingThere() {
  const { keep_days: days } = useSession().account.limits;
  return (
    <div class="empty">
      <h2>Nothing in the trash</h2>
      <p class="soft">
        {days === 0
          ? "This server keeps nothing that is deleted."
          : `What you or an agent deletes comes here first, and can be put back for ${formatCount(days, "day")}.`}
      </p>
    </div>
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
    return folder === "" ? `Put back “${name}”.` : `Put “${name}” back into ${folder}.`;
  }
  return `Put “${name}” back as ${plain(path)}.`;
}
