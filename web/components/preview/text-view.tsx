import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { readTextStart, TEXT_BYTES, type TextStart } from "../../lib/contents.ts";
import { formatBytes } from "../../lib/format.ts";
import { layOutJson } from "../../lib/json-layout.ts";
import { useLoad } from "../../lib/load.ts";
import { parseMarkdown } from "../../lib/markdown.ts";
import { isOverlong } from "../../lib/markdown-size.ts";
import type { FileRecord } from "../../lib/types.ts";
import { Failure } from "../failure.tsx";
import { LinesView } from "./lines-view.tsx";
import { MarkdownView } from "./markdown-view.tsx";
import { NoView } from "./no-view.tsx";
import { TableView } from "./table-view.tsx";
import { Views } from "./views.tsx";

/** Longer documents are shown as their source: a browser would take seconds to lay them out. */
const MOST_MARKDOWN = 256 * 1024;
const MOST_ELEMENTS = 20_000;

interface TextViewProps {
  readonly file: FileRecord;
  readonly kind: "markdown" | "json" | "table" | "text" | "unknown";
}

/** A text: laid out where its kind has a layout, and as it is stored. */
export function TextView({ file, kind }: TextViewProps) {
  const { loaded, reload } = useLoad(file.id, (signal) => readTextStart(file, signal));
  if (loaded.state === "loading") return <p class="preview-body preview-none soft">Loading…</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { text, isCut } = loaded.value;
  if (text === null) return <NoView file={file} why="Not a text file, and its type is unknown." />;
  if (text === "") return <p class="preview-body preview-none soft">This file is empty.</p>;
  return <TextShown kind={kind} start={{ text, isCut }} size={file.size} />;
}

interface TextShownProps {
  readonly kind: TextViewProps["kind"];
  readonly start: TextStart & { readonly text: string };
  readonly size: number;
}

function TextShown({ kind, start, size }: TextShownProps) {
  const [view, setView] = useState(0);
  const laidOut = useMemo(() => layOut(kind, start), [kind, start.text, start.isCut]);
  return (
    <>
      {laidOut !== null && <Views names={[laidOut.name, "Source"]} current={view} onChange={setView} />}
      {start.isCut && (
        <p class="notice careful preview-note">
          Showing the first {formatBytes(TEXT_BYTES)} of {formatBytes(size)}. Download the file to see the
          rest.
        </p>
      )}
      {kind === "markdown" && laidOut === null && (
        <p class="notice careful preview-note">This document is too long to format. Showing its source.</p>
      )}
      {laidOut !== null && view === 0 ? laidOut.shown : <LinesView text={start.text} />}
    </>
  );
}

/** Null where the source is all there is to show. */
function layOut(
  kind: TextViewProps["kind"],
  { text, isCut }: TextShownProps["start"],
): { name: string; shown: VNode } | null {
  switch (kind) {
    case "markdown": {
      const blocks = text.length > MOST_MARKDOWN ? null : parseMarkdown(text);
      if (blocks === null || isOverlong(blocks, MOST_ELEMENTS)) return null;
      return { name: "Document", shown: <MarkdownView blocks={blocks} /> };
    }
    case "table":
      return { name: "Table", shown: <TableView text={text} /> };
    case "json": {
      const lines = isCut ? null : layOutJson(text);
      return lines === null ? null : { name: "Formatted", shown: <LinesView text={lines} /> };
    }
    case "text":
    case "unknown":
      return null;
  }
}
