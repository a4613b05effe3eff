import commentsIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import versionsIcon from "lucide-static/icons/history.svg" with { type: "text" };
import { useId, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { CommentedLinesContext } from "../../components/preview/commented-lines.ts";
import { Preview } from "../../components/preview/preview.tsx";
import type { Steps } from "../../components/preview/step-buttons.tsx";
import { useLoad } from "../../lib/api/load.ts";
import { useMedia } from "../../lib/browser/media.ts";
import { linesOf, listComments, threadsOf } from "../../lib/comments.ts";
import type { Comment, FileRecord } from "../../lib/api/types.ts";
import type { Happening } from "../../lib/fates.ts";
import { CommentsPanel } from "./comments/comments-panel.tsx";
import { VersionsDialog } from "./dialogs/versions.tsx";
import { FileHappening } from "./file-happening.tsx";
import type { DriveStore } from "./store/drive.ts";

const NOTHING: readonly Comment[] = [];

interface FilePreviewProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  /** The way to the files beside it, if it is known. */
  readonly steps: Steps | null;
  /** What others did to it since it is shown; null for nothing. */
  readonly happening: Happening | null;
  /** The file may be another now. */
  readonly reload: () => void;
  readonly onClose: () => void;
}

/** A file over the page of its drive, with what was said of it beside its content. */
export function FilePreview({ file, store, steps, happening, reload, onClose }: FilePreviewProps) {
  const { id, content_hash: content } = file;
  const comments = useLoad(`${id} ${content}`, async (signal) => ({
    id,
    all: await listComments(id, signal),
  }));
  useLayoutEffect(
    () => store.watch((each) => each.file_id === id && each.type.startsWith("comment.") && comments.reload()),
    [store, id, comments.reload],
  );
  const { loaded } = comments;
  const said = loaded.state === "ready" && loaded.value.id === id ? loaded.value.all : NOTHING;
  const threads = useMemo(() => threadsOf(said), [said]);
  const lines = useMemo(() => linesOf(threads.open), [threads]);
  const isWide = useMedia("(width >= 60rem)");
  const [chosen, setChosen] = useState<boolean | null>(null);
  // What has come of itself does not go of itself, such as with the last that is resolved.
  const [cameFor, setCameFor] = useState<string | null>(null);
  const isOpen = chosen ?? (cameFor === id || (isWide && threads.open.length > 0));
  useLayoutEffect(() => {
    if (isOpen) setCameFor(id);
  }, [isOpen, id]);
  const panel = useId();
  return (
    <CommentedLinesContext.Provider value={lines}>
      <Preview
        file={file}
        steps={steps}
        notice={
          happening !== null && (
            <FileHappening file={file} happening={happening} isReadOnly={store.isReadOnly} onShow={reload} />
          )
        }
        beside={
          isOpen && (
            <CommentsPanel
              key={id}
              id={panel}
              file={file}
              threads={threads}
              error={loaded.state === "failed" ? loaded.error : null}
              isReadOnly={store.isReadOnly}
              onChange={comments.reload}
            />
          )
        }
        onClose={onClose}
      >
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
        {!store.isReadOnly && happening?.kind !== "deleted" && (
          <VersionsButton file={file} store={store} onClose={reload} />
        )}
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
