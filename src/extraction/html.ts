import { decodeHTML } from "entities";
import { Refused } from "../domain/contents/extraction.ts";
import { encodingsFor } from "../domain/contents/texts/text-encoding.ts";
import type { TextSink } from "./text-sink.ts";

/** Elements that begin and end a line. */
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol option p pre search section summary table tbody tfoot thead title tr ul".split(
    " ",
  ),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
/** Elements that end a cell. */
const IN_TABLES: ReadonlySet<string> = new Set([...CELLS, "tr", "table", "tbody", "thead", "tfoot"]);
/** Elements whose text nobody sees. */
const UNSEEN: ReadonlySet<string> = new Set(
  "script style template noscript noembed noframes iframe".split(" "),
);
/** Encodings that a document may declare, besides those that its bytes show. */
const DECLARED = [
  "shift_jis",
  "euc-jp",
  "iso-2022-jp",
  "gbk",
  "gb2312",
  "gb18030",
  "big5",
  "euc-kr",
  "koi8-r",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "iso-8859-2",
  "iso-8859-5",
  "iso-8859-7",
  "iso-8859-9",
  "iso-8859-15",
] as const;
/** Where an encoding is declared: in the first bytes (WHATWG HTML, 4.2.5.4). */
const DECLARED_BYTES = 1024;

export function readHtml(bytes: Uint8Array, sink: TextSink): void {
  readMarkup(decoded(bytes), sink);
}

/** Text of an XHTML document, in which any element may be closed at once. */
export function readXhtml(text: string, sink: TextSink): void {
  readMarkup(
    text.replaceAll(/<(script|style|title|template|iframe|textarea)\b([^<>]*)\/>/gi, "<$1$2></$1>"),
    sink,
  );
}

function readMarkup(markup: string, sink: TextSink): void {
  let [unseen, pre, isInCell] = [0, 0, false];
  // The text of one node may come in several pieces, which may end inside an entity.
  let text = "";
  // End tags may be left out, so that what comes next ends a cell. A table in a cell is lines of its own.
  const endCell = () => {
    if (isInCell) sink.closeCell();
    isInCell = false;
  };
  const open = (name: string) => {
    if (UNSEEN.has(name)) unseen += 1;
    if (name === "pre") pre += 1;
    if (IN_TABLES.has(name)) endCell();
    if (name === "br") sink.endLine();
    if (BLOCKS.has(name)) sink.endText();
    if (!CELLS.has(name)) return;
    sink.openInline();
    isInCell = true;
  };
  const close = (name: string) => {
    if (UNSEEN.has(name)) unseen -= 1;
    if (name === "pre") pre -= 1;
    if (IN_TABLES.has(name)) endCell();
    if (BLOCKS.has(name)) sink.endText();
  };
  new HTMLRewriter()
    .on("*", {
      element: (element) => {
        const name = element.tagName;
        open(name);
        const isClosed = BLOCKS.has(name) || UNSEEN.has(name) || IN_TABLES.has(name);
        if (isClosed && element.canHaveContent) element.onEndTag(() => close(name));
      },
    })
    .onDocument({
      text: (piece) => {
        if (unseen > 0) return;
        text += piece.text;
        if (!piece.lastInTextNode) return;
        addText(decodeHTML(text), pre > 0, sink);
        text = "";
      },
    })
    .transform(markup);
  sink.endText();
}

function addText(text: string, isPre: boolean, sink: TextSink): void {
  if (!isPre) return sink.words(text);
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (at > 0) sink.endLine();
    sink.text(line);
  }
}

/** By the byte order mark, the declaration, as UTF-8, or else as Latin-1. */
function decoded(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_BYTES));
  const label = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1]?.toLowerCase();
  const declared = DECLARED.filter((encoding) => encoding === label);
  const [first, ...others] = encodingsFor(bytes);
  const candidates = first === "utf-8" ? [...declared, first, ...others] : encodingsFor(bytes);
  for (const encoding of candidates) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch (error) {
      // A decoder throws TypeError for bytes that are invalid in its encoding.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new Refused("damaged");
}
