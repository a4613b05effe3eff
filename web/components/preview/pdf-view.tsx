import { useLoad } from "../../lib/load.ts";
import type { FileRecord } from "../../lib/types.ts";
import { NoView } from "./no-view.tsx";
import { useBlobUrl, Whole } from "./whole.tsx";

const MOST_BYTES = 100 * 1024 * 1024;
const PDF = "application/pdf";
/** Viewers look for the mark of a PDF among so many bytes, whatever stands before it. */
const HEAD_BYTES = 1024;
/** As Chromium's viewer and Firefox's are told it. */
const WITHOUT_SIDEBAR = "#navpanes=0&pagemode=none";

interface ShownProps {
  readonly file: FileRecord;
  readonly content: Blob;
}

/** A PDF in the browser's own viewer, where it has one. */
export function PdfView({ file }: { readonly file: FileRecord }) {
  if (!navigator.pdfViewerEnabled) return <NoView file={file} why="This browser can't show PDFs." />;
  return (
    <Whole file={file} most={MOST_BYTES} type={PDF}>
      {(content) => <Checked file={file} content={content} />}
    </Whole>
  );
}

/** Whether a content begins as a PDF does (ISO 32000-2, 7.5.2). */
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
 * The frame has no sandbox, since Chromium shows no PDF in one, whatever it allows. What keeps the content
 * from running as ours is that the address says application/pdf: the bytes go to the viewer, which is a
 * process and an origin of its own, or nowhere. A script in a PDF is run by the viewer alone; it can open
 * an alert there, but reach neither us nor the network, since the frame inherits our policy.
 */
function Frame({ file, content }: ShownProps) {
  const url = useBlobUrl(content);
  return (
    <div class="preview-body">
      {url !== null && <iframe class="preview-frame" title={file.filename} src={url + WITHOUT_SIDEBAR} />}
    </div>
  );
}
