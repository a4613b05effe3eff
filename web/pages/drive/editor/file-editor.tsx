import { Failure } from "../../../components/failure.tsx";
import { useLoad } from "../../../lib/api/load.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { FileRecord } from "../../../lib/api/types.ts";
import { keyOf, readDraft } from "../../../lib/editing/drafts.ts";
import { EditedFile } from "../../../lib/editing/edited-file.ts";
import { readStored, type Unreadable } from "../../../lib/editing/stored.ts";
import type { DriveStore } from "../store/drive.ts";
import { Editor } from "./editor.tsx";
import { type Begun, useEditing } from "./use-editing.ts";
import { mark, type PlainMessage, t } from "../../../lib/words/text.ts";

interface FileEditorProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  /** Told once nothing is edited any more, with the file that the text is of by then. */
  readonly onDone: (file: FileRecord) => void;
}

const WHY_NOT: Readonly<Record<Unreadable, PlainMessage>> = {
  "too-large": mark("This file can't be edited here: it is too large."),
  "no-text": mark("This file can't be edited here: it is not a text in UTF-8."),
  "too-complex": mark("This file can't be edited here: its lines are too long, or too complex to be shown."),
};

/** Edits the text of a file, in place of its preview; if changes of it were kept here that were not saved, with these. */
export function FileEditor({ file, store, onDone }: FileEditorProps) {
  const { account } = useSession();
  const { loaded, reload } = useLoad(file.id, async (signal) => {
    const edited = new EditedFile(store.drive, file.path, file);
    const draft = await readDraft(keyOf(account.id, edited));
    const stored = await readStored(file, signal);
    return typeof stored === "string" ? stored : { file: edited, stored, draft };
  });
  if (loaded.state === "loading") return <p class="preview-body preview-none soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { value } = loaded;
  if (typeof value !== "string") return <Opened begun={value} store={store} onDone={onDone} />;
  return (
    <div class="preview-body preview-none">
      <p>{t(WHY_NOT[value])}</p>
      <button type="button" class="button" onClick={() => onDone(file)}>
        {t("Back")}
      </button>
    </div>
  );
}

function Opened({ begun, store, onDone }: Omit<FileEditorProps, "file"> & { readonly begun: Begun }) {
  const editing = useEditing(store, begun);
  const end = () => {
    const file = editing.file.record.peek();
    if (file !== null) onDone(file);
  };
  return <Editor editing={editing} store={store} onDone={end} />;
}
