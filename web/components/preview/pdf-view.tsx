import { useEffect, useState } from "preact/hooks";
import type { ShownFile } from "../../lib/contents/content-source.ts";
import { type OpenedPdf, PdfReader } from "../../lib/pdf/pdf-reader.ts";
import { mark, t } from "../../lib/words/text.ts";
import { ShowMore } from "../show-more.tsx";
import { DocumentView } from "./document-view.tsx";
import { LinkQuestion } from "./link-question.tsx";
import { NoView } from "./no-view.tsx";
import { PdfPage } from "./pdf-page.tsx";
import { Whole } from "./whole.tsx";

const MOST_BYTES = 100 * 1024 * 1024;
const PDF = "application/pdf";
/** Pages that are put into the page at once; a document may have 100,000. */
const PAGES_AT_ONCE = 200;

interface ShownProps {
  readonly file: ShownFile;
  readonly content: Blob;
}

/**
 * A PDF, drawn page by page. Not in the browser's own viewer: that runs scripts, which open prompts over the dashboard,
 * and follows links in its place; and no sandbox leaves it running. A browser that cannot draw shows the text.
 */
export function PdfView({ file }: { readonly file: ShownFile }) {
  if (!("OffscreenCanvas" in window)) return <DocumentView file={file} why={t(UNABLE)} />;
  return (
    <Whole file={file} most={MOST_BYTES} type={PDF}>
      {(content) => <Opened file={file} content={content} />}
    </Whole>
  );
}

const UNABLE = mark("This browser can't show PDFs.");
const WHY = {
  password: mark("This PDF has a password."),
  damaged: mark("Not a valid PDF."),
  slow: mark("This PDF is too complex to be shown here."),
} as const;

function Opened({ file, content }: ShownProps) {
  const [reader, setReader] = useState<PdfReader | null>(null);
  const [opened, setOpened] = useState<OpenedPdf | null>(null);
  useEffect(() => {
    const made = new PdfReader(content);
    setReader(made);
    void made.open().then(setOpened);
    return () => made[Symbol.dispose]();
  }, [content]);
  if (reader === null || opened === null) {
    return <p class="preview-body preview-none soft">{t("Reading the document…")}</p>;
  }
  if (opened.kind === "opened") return <Pages reader={reader} pages={opened.pages} ratio={opened.ratio} />;
  if (opened.why === "unable") return <DocumentView file={file} why={t(UNABLE)} />;
  return <NoView file={file} why={t(WHY[opened.why])} />;
}

interface PagesProps {
  readonly reader: PdfReader;
  readonly pages: number;
  /** Of the first page, its width by its height. */
  readonly ratio: number;
}

function Pages({ reader, pages, ratio }: PagesProps) {
  const [shown, setShown] = useState(PAGES_AT_ONCE);
  const [asked, setAsked] = useState<string | null>(null);
  const numbers = Array.from({ length: Math.min(shown, pages) }, (_, at) => at + 1);
  return (
    <div class="preview-body pdf" tabIndex={0} role="region" aria-label={t("Pages")}>
      {numbers.map((number) => (
        <PdfPage key={number} reader={reader} number={number} of={pages} ratio={ratio} onLink={setAsked} />
      ))}
      {shown < pages && <ShowMore onMore={() => setShown(shown + PAGES_AT_ONCE)} />}
      {asked !== null && <LinkQuestion href={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}
