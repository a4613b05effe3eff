import style from "../../../styles/editor.css" with { type: "text" };
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeptFocus } from "../../../lib/browser/focus.ts";
import { useStyle } from "../../../lib/browser/style.ts";
import { leave } from "../../../lib/browser/router.tsx";
import type { Editing } from "../../../lib/editing/editing.ts";
import type { DriveStore } from "../store/drive.ts";
import { Collisions } from "./collisions.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { Notices } from "./notices.tsx";
import { SaveAsDialog } from "./save-as-dialog.tsx";
import { TextArea } from "./text-area.tsx";
import { useDraft } from "./use-draft.ts";
import { useLeaving } from "./use-leaving.ts";
import { t } from "../../../lib/words/text.ts";

interface EditorProps {
  readonly editing: Editing;
  readonly store: DriveStore;
  /** Told once nothing is to be edited any more. */
  readonly onDone: () => void;
}

/** A text that is edited: its buttons, what is to be known, and the text or, for a while, what collides in it. */
export function Editor({ editing, store, onDone }: EditorProps) {
  const section = useRef<HTMLElement>(null);
  const [isNaming, setNaming] = useState(false);
  const isDirty = editing.isDirty.value;
  const undecided = editing.undecided.value;
  const isTaken = editing.notice.value?.kind === "taken";
  const draft = useDraft(editing);
  const leaving = useLeaving(isDirty, section);
  useKeptFocus(section);
  useStyle(style);
  useLayoutEffect(() => store.watch((change) => editing.told(change)), [store, editing]);
  const save = () => editing.save();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      void save();
    };
    // Before the text, which hands no key on.
    addEventListener("keydown", press, { capture: true });
    return () => removeEventListener("keydown", press, { capture: true });
  }, []);
  return (
    <section ref={section} class="editor" tabIndex={-1} aria-label={t("Editor")}>
      <div class="row preview-bar">
        <button
          type="button"
          class="button primary"
          title={t("Save (Ctrl+S)")}
          aria-keyshortcuts="Control+S Meta+S"
          aria-disabled={!editing.canSave.value}
          onClick={() => void save()}
        >
          {t("Save")}
        </button>
        <button type="button" class="button" onClick={() => leave(onDone)}>
          {t("Done")}
        </button>
        <span role="status">{stateOf(editing, draft.isKept)}</span>
        <small class="soft editor-hint">{t("To leave the text by keyboard, press Escape, then Tab.")}</small>
      </div>
      {undecided === null ? (
        <Notices editing={editing} onSave={() => void save()} onSaveAs={() => setNaming(true)} />
      ) : (
        <Collisions editing={editing} undecided={undecided} />
      )}
      <TextArea editing={editing} isHidden={undecided !== null} />
      {leaving !== null && <LeaveDialog leaving={leaving} onSave={save} onDiscard={draft.drop} />}
      {(isNaming || isTaken) && (
        <SaveAsDialog
          editing={editing}
          onClose={() => {
            setNaming(false);
            if (editing.notice.peek()?.kind === "taken") editing.notice.value = null;
          }}
        />
      )}
    </section>
  );
}

function stateOf({ isBusy, isDirty, notice }: Editing, isKept: boolean | null): string {
  if (!isDirty.value) return notice.value?.kind === "saved" ? t("Saved") : "";
  if (isBusy.value) return t("Saving…");
  if (isKept === null) return t("Not saved");
  return isKept ? t("Not saved, draft kept") : t("Not saved, and this browser keeps no drafts");
}
