import type { ComponentChildren } from "preact";
import type { Change, Drive } from "../lib/api/types.ts";
import { changesInWords, takeBackChanges } from "../lib/undo-changes.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { plural, t } from "../lib/words/text.ts";
import { FormDialog } from "./forms/form-dialog.tsx";
import { say } from "./toast.tsx";

interface UndoChangesProps {
  readonly drive: Drive;
  /** The newest first. */
  readonly changes: readonly Change[];
  /** What is to be known before. */
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
  /** They were taken back. */
  readonly onDone?: () => void;
}

/** Asks before many changes are taken back. */
export function UndoChanges({ drive, changes, children, onClose, onDone }: UndoChangesProps) {
  return (
    <FormDialog
      title={plural(changes.length, "Undo {count} change?", "Undo {count} changes?")}
      submit={t("Undo")}
      onClose={onClose}
      onSubmit={async (_, once) => {
        const { said, undo } = await takeBackChanges(drive.id, changes, once["idempotency-key"]);
        say(said, { undo });
        onDone?.();
        onClose();
      }}
    >
      {children}
      <p>
        {t("They are: {changes}.", { changes: changesInWords(changes) })}
        {sentenceSpace()}
        {t(
          "What is new goes to the trash. What was changed, deleted or moved is as it was before. What somebody has changed since stays as it is.",
        )}
      </p>
    </FormDialog>
  );
}
