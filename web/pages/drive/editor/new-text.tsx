import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { Icon } from "../../../components/icon.tsx";
import { Name } from "../../../components/name.tsx";
import { useModal } from "../../../lib/browser/modal.ts";
import { leave } from "../../../lib/browser/router.tsx";
import { nameOf } from "../../../lib/files.ts";
import type { DriveStore } from "../store/drive.ts";
import type { FolderStore } from "../store/folder.ts";
import { Editor } from "./editor.tsx";
import { type Begun, useEditing } from "./use-editing.ts";
import { t } from "../../../lib/words/text.ts";

interface NewTextProps {
  readonly begun: Begun;
  readonly folder: FolderStore;
  readonly store: DriveStore;
  readonly onClose: () => void;
}

/** Edits a text that becomes a file, over the page of its folder. */
export function NewText({ begun, folder, store, onClose }: NewTextProps) {
  const editing = useEditing(store, begun);
  const close = () => {
    const file = editing.file.record.peek();
    onClose();
    if (file !== null) folder.cursor.standOn(file.id);
  };
  const element = useModal(() => leave(close));
  const { value: record } = editing.file.record;
  return (
    <dialog ref={element} class="preview" aria-labelledby="new-file">
      <header class="preview-head">
        <div class="preview-what">
          <h2 id="new-file">
            <Name text={nameOf(editing.file.path)} />
          </h2>
          <p class="soft">{record === null ? t("New file") : record.mime_type}</p>
        </div>
        <button
          type="button"
          class="button quiet"
          aria-label={t("Close editor")}
          onClick={() => element.current?.close()}
        >
          <Icon svg={closeIcon} />
        </button>
      </header>
      <div class="preview-parts">
        <div class="preview-shown">
          <Editor editing={editing} store={store} onDone={() => element.current?.close()} />
        </div>
      </div>
    </dialog>
  );
}
