import { useState } from "preact/hooks";
import { Failure } from "../../../components/failure.tsx";
import { say } from "../../../components/toast.tsx";
import { keepsVersions } from "../../../lib/api/account.ts";
import { useLoad } from "../../../lib/api/load.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { FileRecord } from "../../../lib/api/types.ts";
import { askMerge } from "../../../lib/editing/ask-merge.ts";
import { EditedFile } from "../../../lib/editing/edited-file.ts";
import { Editing } from "../../../lib/editing/editing.ts";
import { readStored, type StoredText } from "../../../lib/editing/stored.ts";
import { describeEntries, fileEntry } from "../../../lib/files.ts";
import { restoreBefore } from "../../../lib/versions.ts";
import type { DriveStore } from "../store/drive.ts";
import { Editor } from "./editor.tsx";

interface FileEditorProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  readonly onDone: () => void;
}

/** Edits the text of a file, in place of its preview. */
export function FileEditor(props: FileEditorProps) {
  const { file, onDone } = props;
  const { loaded, reload } = useLoad(file.id, (signal) => readStored(file, signal));
  if (loaded.state === "loading") return <p class="preview-body preview-none soft">Loading…</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  if (loaded.value !== null) return <Opened {...props} base={loaded.value} />;
  return (
    <div class="preview-body preview-none">
      <p>This file can't be edited here: it is not a text in UTF-8.</p>
      <button type="button" class="button" onClick={onDone}>
        Back
      </button>
    </div>
  );
}

function Opened({ file, store, base, onDone }: FileEditorProps & { readonly base: StoredText }) {
  const { account } = useSession();
  const [editing] = useState(() => {
    const onSaved = (saved: FileRecord) => tellSaved(saved);
    const edited = new EditedFile(store.drive, file.path, file);
    return new Editing({ file: edited, base, me: account.id, merge: askMerge, onSaved });
  });
  const tellSaved = (saved: FileRecord) => {
    store.fileChanged(saved);
    const named = describeEntries([fileEntry(saved)]);
    const undo = async () => {
      store.fileChanged(await restoreBefore(saved));
      await editing.refresh();
      return `Put back what ${named} held before.`;
    };
    say(`Saved ${named}.`, keepsVersions(account) ? { undo } : {});
  };
  return <Editor editing={editing} store={store} onDone={onDone} />;
}
