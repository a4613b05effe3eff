import type { VNode } from "preact";
import type { ShownFile } from "../../lib/contents/content-source.ts";
import { previewKind } from "../../lib/contents/preview-kind.ts";
import { t } from "../../lib/words/text.ts";
import { DocumentView } from "./document-view.tsx";
import { ImageView } from "./image-view.tsx";
import { MediaView } from "./media-view.tsx";
import { NoView } from "./no-view.tsx";
import { NotebookView } from "./notebook-view.tsx";
import { PdfView } from "./pdf-view.tsx";
import { TextView } from "./text-view.tsx";

/** What is in a file, by its kind. */
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
      return <DocumentView key={key} file={file} why={t("Browsers can't show this kind of document.")} />;
    case "notebook":
      return <NotebookView key={key} file={file} />;
    case "none":
      return <NoView file={file} why={t("No preview for this file type.")} />;
    case "markdown":
    case "json":
    case "json-lines":
    case "table":
    case "text":
    case "unknown":
      // Not by its content: where that changes while it is read, one stays at the same lines.
      return <TextView key={file.id + kind} file={file} kind={kind} />;
  }
}
