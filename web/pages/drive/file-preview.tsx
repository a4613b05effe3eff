import commentsIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import versionsIcon from "lucide-static/icons/history.svg" with { type: "text" };
import { useId, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { later } from "../../components/later.tsx";
import { CommentedLinesContext } from "../../components/preview/commented-lines.ts";
import { Preview } from "../../components/preview/preview.tsx";
import { useLoad } from "../../lib/api/load.ts";
import { useMedia } from "../../lib/browser/media.ts";
import { leave, navigate } from "../../lib/browser/router.tsx";
import { linesOf, listComments, threadsOf } from "../../lib/comments.ts";
import { mayBeEdited } from "../../lib/contents/preview-kind.ts";
import type { FileRecord } from "../../lib/api/types.ts";
import type { Happening } from "../../lib/fates.ts";
import { CommentsPanel } from "./comments/comments-panel.tsx";
import { EditButton } from "./edit-button.tsx";
import { FileHappening } from "./file-happening.tsx";
import type { DriveStore } from "./store/drive.ts";

const DraftNotice = later(async () => (await import("./editor/draft-notice.tsx")).DraftNotice, null);
const FileEditor = later(async () => (await import("./editor/file-editor.tsx")).FileEditor);
const VersionsDialog = later(async () => (await import("./dialogs/versions.tsx")).VersionsDialog, null);

interface FilePreviewProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  /** What others did to it since it is shown; null for nothing. */
  readonly happening: Happening | null;
  /** The file may be another now. */
  readonly reload: () => void;
  readonly onClose: () => void;
}

/** A file over the page of its drive, with what was said of it beside its content. */
export function FilePreview({ file, store, happening, reload, onClose }: FilePreviewProps) {
  const { id, content_hash: content } = file;
  const comments = useLoad(`${id} ${content}`, (signal) => listComments(id, signal));
  useLayoutEffect(
    () => store.watch((each) => each.file_id === id && each.type.startsWith("comment.") && comments.reload()),
    [store, id, comments.reload],
  );
  const { loaded } = comments;
  const threads = useMemo(() => threadsOf(loaded.state === "ready" ? loaded.value : []), [loaded]);
  const lines = useMemo(() => linesOf(threads.open), [threads]);
  const isWide = useMedia("(width >= 60rem)");
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? (isWide && threads.open.length > 0);
  // What has come of itself does not go of itself, such as with the last that is resolved.
  useLayoutEffect(() => {
    if (isOpen) setChosen(true);
  }, [isOpen]);
  const panel = useId();
  const [isEditing, setEditing] = useState(false);
  const endEditing = ({ id: now }: FileRecord) => {
    setEditing(false);
    // Where the file was deleted meanwhile, the text became another.
    if (now === id) reload();
    else navigate(`${location.pathname}?file=${now}`, { replace: true });
  };
  const canChange = !store.isReadOnly && happening?.kind !== "deleted";
  const canEdit = canChange && mayBeEdited(file) && !isEditing;
  const edit = () => setEditing(true);
  return (
    <CommentedLinesContext.Provider value={lines}>
      <Preview
        file={file}
        notice={
          // The editor says it in its own way.
          !isEditing && (
            <>
              {happening !== null && (
                <FileHappening
                  file={file}
                  happening={happening}
                  isReadOnly={store.isReadOnly}
                  onShow={reload}
                />
              )}
              {canEdit && <DraftNotice file={file} onContinue={edit} />}
            </>
          )
        }
        instead={isEditing && <FileEditor file={file} store={store} onDone={endEditing} />}
        beside={
          isOpen && (
            <CommentsPanel
              id={panel}
              file={file}
              threads={threads}
              error={loaded.state === "failed" ? loaded.error : null}
              isReadOnly={store.isReadOnly}
              onChange={comments.reload}
            />
          )
        }
        onClose={() => leave(onClose)}
      >
        {canEdit && <EditButton onEdit={edit} />}
        <button
          type="button"
          class="button"
          aria-expanded={isOpen}
          aria-controls={panel}
          onClick={() => setChosen(!isOpen)}
        >
          <Icon svg={commentsIcon} /> <span class="preview-label">Comments</span>
          {threads.open.length > 0 && <span class="badge">{threads.open.length.toLocaleString()}</span>}
        </button>
        {canChange && <VersionsButton file={file} store={store} onClose={reload} />}
      </Preview>
    </CommentedLinesContext.Provider>
  );
}

interface VersionsButtonProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  /** Another version may be shown since. */
  readonly onClose: () => void;
}

function VersionsButton({ file, store, onClose }: VersionsButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    onClose();
  };
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon svg={versionsIcon} /> <span class="preview-label">Versions</span>
      </button>
      {isOpen && <VersionsDialog file={file} store={store} onClose={close} />}
    </>
  );
}
