import type { VNode } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { readTextStart, TEXT_BYTES, type TextStart } from "../../lib/contents/contents.ts";
import { formatBytes } from "../../lib/words/format.ts";
import { mark, type PlainMessage, t } from "../../lib/words/text.ts";
import { languageOf } from "../../lib/code/languages.ts";
import { parseCsv } from "../../lib/contents/csv.ts";
import { parseJsonLines } from "../../lib/contents/json-lines.ts";
import { shownData } from "../../lib/contents/shown-text.ts";
import { parseJson } from "../../lib/contents/json.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { Block } from "../../lib/markdown/document.ts";
import { formatDocument } from "../../lib/markdown/format.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { Failure } from "../failure.tsx";
import { Careful } from "./careful.tsx";
import { CommentedLinesContext } from "./commented-lines.ts";
import { JsonView } from "./json-view.tsx";
import { LinesView } from "./lines-view.tsx";
import { ScrolledDocument } from "./markdown/document.tsx";
import { NoView } from "./no-view.tsx";
import { MOST_COLUMNS, MOST_ROWS, TableView } from "./table-view.tsx";
import { Views } from "./views.tsx";

interface TextViewProps {
  readonly file: ShownFile;
  readonly kind: "markdown" | "json" | "json-lines" | "table" | "text" | "unknown";
}

/** Why a whole text of some kinds is shown as its source alone. */
const NOT_FORMATTED: Readonly<Partial<Record<TextViewProps["kind"], PlainMessage>>> = {
  markdown: mark("This document is too long or complex to format. Showing its source."),
  json: mark("This is not valid JSON, or it is too long or nested to fold. Showing its source."),
  "json-lines": mark("This is not JSON on every line, so it is not a table. Showing its source."),
};

/** A text: formatted, where its kind can be, and its source. */
export function TextView({ file, kind }: TextViewProps) {
  const { inline } = useContext(ContentSourceContext);
  const { loaded, reload } = useLoad(file.id + file.content_hash, async (signal) => {
    const start = await readTextStart(inline(file), file, signal);
    const isDocument = kind === "markdown" && start.text !== null;
    return {
      ...start,
      document: isDocument ? await formatDocument({ format: "markdown", text: start.text }, signal) : null,
    };
  });
  if (loaded.state === "loading") return <p class="preview-body preview-none soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { text, isCut, document } = loaded.value;
  if (text === null) return <NoView file={file} why={t("Not a text file, and its type is unknown.")} />;
  if (text === "") return <p class="preview-body preview-none soft">{t("This file is empty.")}</p>;
  return <TextShown file={file} kind={kind} start={{ text, isCut, document }} />;
}

interface TextShownProps extends TextViewProps {
  readonly start: TextStart & {
    readonly text: string;
    /** The blocks of Markdown; null for another kind, or if it cannot be formatted. */
    readonly document: readonly Block[] | null;
  };
}

function TextShown({ file, kind, start }: TextShownProps) {
  const [view, setView] = useState(0);
  const commented = useContext(CommentedLinesContext);
  const notFormatted = NOT_FORMATTED[kind];
  const laidOut = useMemo(
    () => layOut(file, kind, start),
    [file.path, kind, start.text, start.isCut, start.document],
  );
  return (
    <>
      {laidOut !== null && <Views names={[t(laidOut.name), t("Source")]} current={view} onChange={setView} />}
      {start.isCut && (
        <Careful>
          {t("Showing the first {part} of {size}. Download the file to see the rest.", {
            part: formatBytes(TEXT_BYTES),
            size: formatBytes(file.size),
          })}
        </Careful>
      )}
      {laidOut === null && !start.isCut && notFormatted !== undefined && <Careful>{t(notFormatted)}</Careful>}
      {laidOut !== null && view === 0 ? (
        laidOut.shown
      ) : (
        <LinesView
          text={start.text}
          language={languageOf(file.filename, file.mime_type)}
          commented={commented}
        />
      )}
    </>
  );
}

/** The formatted view and its name; null where only the source can be shown. */
function layOut(
  { path }: ShownFile,
  kind: TextViewProps["kind"],
  { text, isCut, document }: TextShownProps["start"],
): { name: PlainMessage; shown: VNode } | null {
  switch (kind) {
    case "markdown":
      return (
        document && { name: mark("Document"), shown: <ScrolledDocument blocks={document} path={path} /> }
      );
    case "table":
      return { name: mark("Table"), shown: <TableView table={parseCsv(text, MOST_ROWS + 1)} /> };
    case "json-lines": {
      const whole = isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
      const table = shownData(parseJsonLines(whole, MOST_ROWS, MOST_COLUMNS));
      return table && { name: mark("Table"), shown: <TableView table={table} /> };
    }
    case "json": {
      const root = isCut ? null : parseJson(text);
      return root && { name: mark("Tree"), shown: <JsonView root={root} /> };
    }
    case "text":
    case "unknown":
      return null;
  }
}
