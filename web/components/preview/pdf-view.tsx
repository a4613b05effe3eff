import { useLoad } from "../../lib/load.ts";
import type { ShownFile } from "../../lib/content-source.ts";
import { DocumentView } from "./document-view.tsx";
import { NoView } from "./no-view.tsx";
import { useBlobUrl, Whole } from "./whole.tsx";

const MOST_BYTES = 100 * 1024 * 1024;
const PDF = "application/pdf";
/** Viewers accept the mark of a PDF anywhere in this many bytes at its start. */
const HEAD_BYTES = 1024;
/** Closes the sidebar: `navpanes` in Chromium's viewer, `pagemode` in Firefox's. */
const WITHOUT_SIDEBAR = "#navpanes=0&pagemode=none";

interface ShownProps {
  readonly file: ShownFile;
  readonly content: Blob;
}

/** A PDF in the browser's own viewer; where it has none, its text. */
export function PdfView({ file }: { readonly file: ShownFile }) {
  if (!navigator.pdfViewerEnabled) return <DocumentView file={file} why="This browser can't show PDFs." />;
  return (
    <Whole file={file} most={MOST_BYTES} type={PDF}>
      {(content) => <Checked file={file} content={content} />}
    </Whole>
  );
}

/** Whether a content has the header of a PDF (ISO 32000-2, 7.5.2). */
async function isPdf(content: Blob): Promise<boolean> {
  return (await content.slice(0, HEAD_BYTES).text()).includes("%PDF-");
}

function Checked({ file, content }: ShownProps) {
  const { loaded } = useLoad(file.id, () => isPdf(content));
  if (loaded.state !== "ready") return null;
  if (!loaded.value) return <NoView file={file} why="Not a valid PDF." />;
  return <Frame file={file} content={content} />;
}

/**
 * The frame has no sandbox, because Chromium shows no PDF in a sandbox, whatever it allows. Instead, the blob has the
 * type application/pdf, so that the browser hands it to its viewer, in a process and an origin of its own, or to
 * nothing. Only the viewer runs a script in a PDF. Such a script can open an alert, but reaches neither the dashboard
 * nor the network, because the frame inherits our policy.
 */
function Frame({ file, content }: ShownProps) {
  const url = useBlobUrl(content);
  return (
    <div class="preview-body">
      {url !== null && <iframe class="preview-frame" title={file.filename} src={url + WITHOUT_SIDEBAR} />}
    </div>
  );
}
