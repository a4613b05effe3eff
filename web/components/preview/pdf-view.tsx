import type { FileRecord } from "../../lib/types.ts";
import { NoView } from "./no-view.tsx";
import { useBlobUrl, Whole } from "./whole.tsx";

const MOST_BYTES = 100 * 1024 * 1024;
const PDF = "application/pdf";

/** A PDF in the browser's own viewer, where it has one. */
export function PdfView({ file }: { readonly file: FileRecord }) {
  if (!navigator.pdfViewerEnabled) return <NoView file={file} why="This browser has no viewer for PDF." />;
  return (
    <Whole file={file} most={MOST_BYTES} type={PDF}>
      {(content) => <Frame file={file} content={content} />}
    </Whole>
  );
}

/**
 * Chromium and Firefox refuse to show a PDF in a sandboxed frame, so that this one is none. What keeps the
 * content from running as ours is that the address says application/pdf, whatever the bytes are: they go
 * to the viewer, which is a process and an origin of its own, or nowhere.
 */
function Frame({ file, content }: { readonly file: FileRecord; readonly content: Blob }) {
  const url = useBlobUrl(content);
  return (
    <div class="preview-body">
      {url !== null && <iframe class="preview-frame" title={file.filename} src={url} />}
    </div>
  );
}
