import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";
import { DAY_MS } from "../domain/time.ts";
import { listedParts, mainPart, relationshipsOf } from "./office.ts";
import type { TextSink } from "./text-sink.ts";
import { type Attributes, readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Columns of a sheet, to which the last is `XFD`. */
const COLUMNS = 16_384;

/** Formats of dates and times that need no declaration (ECMA-376, part 1, section 18.8.30). */
const BUILT_IN = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;
/** The first day of 1970, counted as spreadsheets do: in days from the end of 1899. */
const EPOCH_DAYS = 25_569;
/** The last day of the year 9999. */
const MOST_DAYS = 2_958_466;

/** What cells of all sheets refer to. */
interface Shared {
  readonly strings: readonly string[];
  /** The styles of cells that show dates, by their numbers. */
  readonly dates: ReadonlySet<number>;
}

/** Text of a spreadsheet: each sheet under its name, rows as lines, cells with tabs between them. */
export function readXlsx(archive: ZipArchive, sink: TextSink): void {
  const parts = relationshipsOf(archive, mainPart(archive)).values();
  const others = [...parts].filter(({ target }) => archive.has(target));
  const strings = others.find(({ type }) => type === "sharedStrings");
  const styles = others.find(({ type }) => type === "styles");
  const shared = {
    strings: strings === undefined ? [] : sharedStrings(archive, strings.target, sink),
    dates: styles === undefined ? new Set<number>() : dateStyles(archive.pieces(styles.target)),
  };
  for (const { target, attributes } of listedParts(archive, "sheet", "worksheet")) {
    sink.endLine();
    sink.text(attributes["name"] ?? "");
    sink.endLine();
    readSheet(archive, target, shared, sink);
  }
}

/** The strings of all sheets. Cells name them by their numbers. */
function sharedStrings(archive: ZipArchive, part: string, sink: TextSink): string[] {
  const strings: string[] = [];
  let [string, units] = ["", 0];
  readXml(archive.pieces(part), {
    // How the text is pronounced.
    ignored: ["rPh"],
    texts: ["t"],
    open: { si: () => (string = "") },
    close: {
      si: () => {
        sink.check();
        strings.push(string);
      },
    },
    text: (text) => {
      units += text.length;
      if (units > EXTRACTION_LIMITS.units) throw new Refused("size");
      string += text;
    },
  });
  return strings;
}

function readSheet(archive: ZipArchive, part: string, shared: Shared, sink: TextSink): void {
  let [type, style, value] = ["n", 0, ""];
  /** The column of the cell, and of the last one with text in its row; from 0. */
  let [column, last] = [-1, -1];
  readXml(archive.pieces(part), {
    texts: ["v", "t"],
    open: {
      row: () => ([column, last] = [-1, -1]),
      c: (attributes) => {
        column = columnOf(attributes["r"]) ?? column + 1;
        if (column >= COLUMNS) throw new Refused("damaged");
        [type, style, value] = [attributes["t"] ?? "n", Number(attributes["s"] ?? 0), ""];
      },
    },
    close: {
      row: () => sink.endText(),
      c: () => {
        const text = cellText(type, style, value, shared).replaceAll(/[\t\r\n]+/g, " ");
        if (text === "") return;
        sink.tabs(last === -1 ? column : column - last);
        sink.text(text);
        last = column;
      },
    },
    text: (text) => (value += text),
  });
}

function cellText(type: string, style: number, value: string, { strings, dates }: Shared): string {
  switch (type) {
    case "s":
      return strings[Number(value)] ?? "";
    case "b":
      return value === "1" ? "TRUE" : "FALSE";
    case "n":
      return dates.has(style) ? (dateText(Number(value)) ?? value) : value;
    default:
      return value;
  }
}

/** The column of a reference such as `AB12`, from 0; null without one. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,4}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The numbers of those styles of cells that show numbers as dates or times. */
function dateStyles(styles: Iterable<Uint8Array>): Set<number> {
  const custom = new Set<number>();
  const found = new Set<number>();
  let [isCell, style] = [false, 0];
  readXml(styles, {
    open: {
      numFmt: (attributes) => {
        if (isDateCode(attributes["formatCode"] ?? "")) custom.add(formatOf(attributes));
      },
      cellXfs: () => (isCell = true),
      xf: (attributes) => {
        if (!isCell) return;
        const format = formatOf(attributes);
        const isDate =
          custom.has(format) || BUILT_IN.some(([first, last]) => format >= first && format <= last);
        if (isDate) found.add(style);
        style += 1;
      },
    },
    close: { cellXfs: () => (isCell = false) },
  });
  return found;
}

/** A day, a time, or both, as ISO 8601 writes them; null for a number that is none. */
function dateText(days: number): string | null {
  if (!(days >= 0 && days < MOST_DAYS)) return null;
  const iso = new Date(Math.round(((days - EPOCH_DAYS) * DAY_MS) / 1000) * 1000).toISOString();
  if (days < 1) return iso.slice(11, 19);
  return Number.isInteger(days) ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** Whether a format has letters of dates outside of what it quotes, escapes or puts in brackets. */
function isDateCode(code: string): boolean {
  return /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|_./g, ""));
}

function formatOf(attributes: Attributes): number {
  return Number(attributes["numFmtId"] ?? 0);
}
