import { MOST_UNDONE, undoableBy } from "../../lib/activity.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { By, Drive } from "../../lib/api/types.ts";
import { formatRelative } from "../../lib/words/format.ts";
import { rich, t } from "../../lib/words/text.ts";
import { Who } from "../by.tsx";
import { Dialog } from "../dialog.tsx";
import { Failure } from "../failure.tsx";
import { UndoChanges } from "../undo-changes.tsx";

interface UndoDoingsProps {
  readonly drive: Drive;
  readonly by: By;
  readonly since: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Takes back what somebody did in a drive since a time, after it has said what that is. */
export function UndoDoings({ drive, by, since, onClose, onDone }: UndoDoingsProps) {
  const { loaded, reload } = useLoad("changes", (signal) =>
    undoableBy(drive.id, by?.id ?? "", since, signal),
  );
  if (loaded.state === "ready" && loaded.value.length > 0) {
    return (
      <UndoChanges drive={drive} changes={loaded.value} onClose={onClose} onDone={onDone}>
        <p>
          {rich("{who} made these changes since your last visit, {when}.", {
            who: <Who by={by} />,
            when: formatRelative(since),
          })}
          {loaded.value.length >= MOST_UNDONE &&
            ` ${t("There are more: these are the last {count} changes.", { count: MOST_UNDONE })}`}
        </p>
      </UndoChanges>
    );
  }
  return (
    <Dialog title={t("Undo")} onClose={onClose}>
      {loaded.state === "loading" && <p class="soft">{t("Looking at what can be undone…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <p>{t("Nothing of it can be undone.")}</p>}
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}
