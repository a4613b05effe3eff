import { useContext } from "preact/hooks";
import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import type { ComponentChildren, VNode } from "preact";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { useModal } from "../../lib/browser/modal.ts";
import { previewKind } from "../../lib/contents/preview-kind.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { DocumentView } from "./document-view.tsx";
import { ImageView } from "./image-view.tsx";
import { MediaView } from "./media-view.tsx";
import { NoView } from "./no-view.tsx";
import { PdfView } from "./pdf-view.tsx";
import { TextView } from "./text-view.tsx";

interface PreviewProps {
  readonly file: ShownFile;
  /** What else can be done with the file, before closing it. */
  readonly children?: ComponentChildren;
  /** What is to be known of the file before its content. */
  readonly notice?: ComponentChildren;
  /** What stands in place of the content. */
  readonly instead?: ComponentChildren;
  /** What stands beside the content. */
  readonly beside?: ComponentChildren;
  readonly onClose: () => void;
}

/**
 * Shows what is in a file, over the page. Contents are hostile: they become texts, images, media or drawn pages, and
 * nothing in them runs in our origin.
 */
export function Preview({ file, children, notice, instead, beside, onClose }: PreviewProps) {
  const element = useModal(onClose);
  const { download } = useContext(ContentSourceContext);
  return (
    <dialog ref={element} class="preview" aria-labelledby="preview-title">
      <header class="preview-head">
        <div class="preview-what">
          <h2 id="preview-title">
            <Name text={file.filename} />
          </h2>
          <p class="soft">
            {file.mime_type} · {formatBytes(file.size)} ·{" "}
            <time dateTime={file.updated_at} title={formatTime(file.updated_at)}>
              {formatRelative(file.updated_at)}
            </time>
          </p>
        </div>
        <a class="button" href={download(file)} download={file.filename}>
          <Icon svg={downloadIcon} /> <span class="preview-label">Download</span>
        </a>
        {children}
        <button
          type="button"
          class="button quiet"
          aria-label="Close preview"
          onClick={() => element.current?.close()}
        >
          <Icon svg={closeIcon} />
        </button>
      </header>
      {notice}
      <div class="preview-parts">
        <div class="preview-shown">{instead || <PreviewContent file={file} />}</div>
        {beside}
      </div>
    </dialog>
  );
}

/** What is in a file. Its parent is a column, of which it fills what is left. */
export function PreviewContent({ file }: { readonly file: ShownFile }): VNode {
  const kind = previewKind(file);
  const key = file.id + file.content_hash;
  switch (kind) {
    case "image":
      return <ImageView key={key} file={file} />;
    case "audio":
    case "video":
      return <MediaView key={key} file={file} kind={kind} />;
    case "pdf":
      return <PdfView key={key} file={file} />;
    case "document":
      return <DocumentView key={key} file={file} why="Browsers can't show this kind of document." />;
    case "none":
      return <NoView file={file} why="No preview for this file type." />;
    case "markdown":
    case "json":
    case "table":
    case "text":
    case "unknown":
      // Not by its content: where that changes while it is read, one stays at the same lines.
      return <TextView key={file.id + kind} file={file} kind={kind} />;
  }
}
