import besideIcon from "lucide-static/icons/panel-right.svg" with { type: "text" };
import commentsIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import detailsIcon from "lucide-static/icons/info.svg" with { type: "text" };
import largeIcon from "lucide-static/icons/maximize-2.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { later } from "../../components/later.tsx";
import { MenuButton } from "../../components/menu-button.tsx";
import { CommentedLinesContext } from "../../components/preview/commented-lines.ts";
import { Preview } from "../../components/preview/preview.tsx";
import type { Steps } from "../../components/preview/step-buttons.tsx";
import { useMedia } from "../../lib/browser/media.ts";
import { leave, navigate } from "../../lib/browser/router.tsx";
import { shownPath } from "../../lib/browser/shown-address.ts";
import { titled } from "../../lib/browser/title.ts";
import { linesOf } from "../../lib/comments.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { mayBeEdited } from "../../lib/contents/preview-kind.ts";
import { fileEntry } from "../../lib/files.ts";
import type { FileRecord } from "../../lib/api/types.ts";
import type { Happening } from "../../lib/fates.ts";
import { formatNumber } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { CommentsPanel } from "./comments/comments-panel.tsx";
import { useThreads } from "./comments/use-threads.ts";
import { DetailsPanel } from "./details-panel.tsx";
import { EditButton } from "./edit-button.tsx";
import { FileHappening } from "./file-happening.tsx";
import { ShareButton } from "./share-button.tsx";
import { entryTools } from "./list/entry-actions.ts";
import type { DriveStore } from "./store/drive.ts";
import type { PreviewSize } from "./use-preview-size.ts";

const DraftNotice = later(async () => (await import("./editor/draft-notice.tsx")).DraftNotice, null);
const FileEditor = later(async () => (await import("./editor/file-editor.tsx")).FileEditor);

interface FilePreviewProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  /** The way to the files beside it, if it is known. */
  readonly steps: Steps | null;
  /** What others did to it since it is shown; null for nothing. */
  readonly happening: Happening | null;
  readonly size: PreviewSize;
  /** The file may be another now. */
  readonly reload: () => void;
  readonly onClose: () => void;
}

/** A file on the page of its drive, with what is known and was said of it beside its content. */
export function FilePreview({ file, store, steps, happening, size, reload, onClose }: FilePreviewProps) {
  const { id } = file;
  const { isReadOnly } = store;
  const folder = happening?.kind === "deleted" ? null : store.shown.value;
  const threads = useThreads(store, file);
  const lines = useMemo(() => linesOf(threads.open), [threads.open]);
  // Made modal while a dialog is open above it, it would come over that.
  const isBeside = useHeld(size.isBeside, (store.shown.value?.dialog.value ?? null) !== null);
  const isWide = useMedia("(width >= 60rem)") && !isBeside;
  const [hasComments, setComments] = useComing(id, isWide && threads.open.length > 0);
  const [hasDetails, setDetails] = useState(false);
  const [comments, details] = [useId(), useId()];
  const sizeLabel = isBeside ? t("Large preview") : t("Preview beside the list");
  /** The id of the file that is edited; null while none is. */
  const [edited, setEdited] = useState<string | null>(null);
  const isEditing = edited === id;
  const endEditing = ({ id: now }: FileRecord) => {
    setEdited(null);
    // Where the file was deleted meanwhile, the text became another.
    if (now === id) reload();
    else navigate(`${shownPath()}?file=${now}`, { replace: true });
  };
  const canEdit = !isReadOnly && happening?.kind !== "deleted" && mayBeEdited(file) && !isEditing;
  const edit = () => setEdited(id);
  useEffect(() => {
    const before = document.title;
    document.title = titled(plain(file.filename));
    return () => void (document.title = before);
  }, [file.filename]);
  return (
    <CommentedLinesContext.Provider value={lines}>
      <Preview
        file={file}
        // Whoever writes goes nowhere by the arrow keys.
        steps={isEditing ? null : steps}
        notice={
          // The editor says it in its own way.
          !isEditing && (
            <>
              {happening !== null && (
                <FileHappening file={file} happening={happening} isReadOnly={isReadOnly} onShow={reload} />
              )}
              {canEdit && <DraftNotice file={file} onContinue={edit} />}
            </>
          )
        }
        instead={isEditing && <FileEditor file={file} store={store} onDone={endEditing} />}
        beside={
          (hasDetails || hasComments) && (
            <aside class="preview-side" aria-label={t("Details and comments")}>
              {hasDetails && <DetailsPanel id={details} file={file} folder={folder} />}
              {hasComments && (
                <CommentsPanel key={id} id={comments} file={file} threads={threads} isReadOnly={isReadOnly} />
              )}
            </aside>
          )
        }
        isBeside={isBeside}
        onClose={() => leave(onClose)}
      >
        {canEdit && <EditButton onEdit={edit} />}
        {folder !== null && !isEditing && <ShareButton folder={folder} file={file} />}
        <PartButton
          part={details}
          isOpen={hasDetails}
          svg={detailsIcon}
          name={t("Details")}
          onToggle={setDetails}
        />
        <PartButton
          part={comments}
          isOpen={hasComments}
          svg={commentsIcon}
          name={t("Comments")}
          onToggle={setComments}
        >
          {threads.open.length > 0 && <span class="badge">{formatNumber(threads.open.length)}</span>}
        </PartButton>
        {folder !== null && !isEditing && (
          <MenuButton
            label={t("Actions for {name}", { name: plain(file.filename) })}
            items={entryTools(folder, [fileEntry(file)])}
          />
        )}
        {size.change !== null && (
          <button
            type="button"
            class="button quiet"
            aria-label={sizeLabel}
            title={sizeLabel}
            onClick={size.change}
          >
            <Icon svg={isBeside ? largeIcon : besideIcon} />
          </button>
        )}
      </Preview>
    </CommentedLinesContext.Provider>
  );
}

/** A value, or while it is held what it was before. */
function useHeld<T>(value: T, isHeld: boolean): T {
  const last = useRef(value);
  if (!isHeld) last.current = value;
  return last.current;
}

interface PartButtonProps {
  /** The id of what it opens and closes. */
  readonly part: string;
  readonly isOpen: boolean;
  readonly svg: string;
  readonly name: string;
  readonly onToggle: (isOpen: boolean) => void;
  /** After the name. */
  readonly children?: ComponentChildren;
}

/** Opens and closes a part beside the content. */
function PartButton({ part, isOpen, svg, name, onToggle, children }: PartButtonProps) {
  return (
    <button
      type="button"
      class="button preview-part"
      title={name}
      aria-expanded={isOpen}
      aria-controls={part}
      onClick={() => onToggle(!isOpen)}
    >
      <Icon svg={svg} /> <span class="preview-label">{name}</span>
      {children}
    </button>
  );
}

/**
 * Whether something is open that comes of itself where it `isDue`, unless it was opened or closed by hand. What has come
 * of itself for a file does not go of itself, such as with the last comment that is resolved.
 */
function useComing(id: string, isDue: boolean): [isOpen: boolean, choose: (isOpen: boolean) => void] {
  const [chosen, choose] = useState<boolean | null>(null);
  const [cameFor, setCameFor] = useState<string | null>(null);
  useLayoutEffect(() => {
    if (isDue) setCameFor(id);
  }, [id, isDue]);
  return [chosen ?? (isDue || cameFor === id), choose];
}
