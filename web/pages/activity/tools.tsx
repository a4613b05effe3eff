import { useState } from "preact/hooks";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { say } from "../../components/toast.tsx";
import { canUndo } from "../../lib/activity.ts";
import { asApiError } from "../../lib/api/api.ts";
import type { Change, Drive } from "../../lib/api/types.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { describeChange } from "../../lib/words/change-words.ts";
import { takeBackBatch, takeBackChanges } from "../../lib/undo-changes.ts";
import { mark, plural, t } from "../../lib/words/text.ts";

/** What an entry can show below itself: how a content changed, or what a batch did one by one. */
export type More = "comparison" | "batch";

/** What there is to show of a change; null for nothing. */
export function moreOf({ type, before, after, version }: Change): More | null {
  if (type.startsWith("files.")) return "batch";
  const isReplaced = before !== null && after !== null && before.content_hash !== after.content_hash;
  return isReplaced && version !== null && version > 1 ? "comparison" : null;
}

const HIDE = { verb: mark("Hide"), of: mark("Hide: {what}") } as const;
const SHOW = { verb: mark("Show"), of: mark("Show: {what}") } as const;
const COMPARE = { verb: mark("Compare"), of: mark("Compare: {what}") } as const;

interface ToolsProps {
  readonly change: Change;
  readonly drive: Drive;
  /** Whether what there is to show is shown. */
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

/** What can be done with an entry of the activity. */
export function Tools({ change, drive, isOpen, onOpen }: ToolsProps) {
  const [isAsking, setAsking] = useState(false);
  const { type, batch_id: batch, file_count: count } = change;
  const more = moreOf(change);
  const paths = { path: plain(change.path), previous: plain(change.previous_path ?? "") };
  const what = describeChange(change, paths).join("");
  const isBatch = batch !== null && type.startsWith("files.");
  const { verb, of } = isOpen ? HIDE : more === "batch" ? SHOW : COMPARE;
  const undo = async () => {
    try {
      const { said, undo: redo } = await takeBackChanges(drive.id, [change]);
      say(said, { undo: redo });
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    <div class="change-tools">
      {(more === "batch" || (more !== null && drive.role !== "reader")) && (
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={t(of, { what })}
          onClick={onOpen}
        >
          {t(verb)}
        </button>
      )}
      {drive.role !== "reader" && (isBatch || canUndo(change)) && (
        <button
          type="button"
          class="button quiet"
          aria-label={t("Undo: {what}", { what })}
          onClick={() => (isBatch ? setAsking(true) : void undo())}
        >
          {t("Undo")}
        </button>
      )}
      {isAsking && batch !== null && (
        <FormDialog
          title={
            count === null
              ? t("Undo this for all files?")
              : plural(count, "Undo this for {count} file?", "Undo this for {count} files?")
          }
          submit={t("Undo")}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            const { said, undo: redo } = await takeBackBatch(drive.id, batch);
            say(said, { undo: redo });
            setAsking(false);
          }}
        >
          <p>
            {t(
              "What is new goes to the trash. What was changed, deleted or moved is as it was before. What somebody has changed since stays as it is.",
            )}
          </p>
        </FormDialog>
      )}
    </div>
  );
}
