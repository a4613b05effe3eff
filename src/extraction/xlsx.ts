import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";
import { mainPart, type Relationship, relationshipsOf } from "./package-parts.ts";
import { dateStyles, dateText } from "./sheet-dates.ts";
import type { TextSink } from "./text-sink.ts";
import { prefixed, readXml } from "./xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Columns of a sheet, to which the last is `XFD`. */
const COLUMNS = 16_384;

interface Sheet {
  readonly name: string;
  readonly part: string;
}

/** What cells of all sheets refer to. */
interface Shared {
  readonly strings: readonly string[];
  /** The styles of cells that show dates, by their numbers. */
  readonly dates: ReadonlySet<number>;
}

/** Text of a spreadsheet: each sheet under its name, rows as lines, cells with tabs between them. */
export function readXlsx(archive: ZipArchive, sink: TextSink): void {
  const main = mainPart(archive);
  const parts = relationshipsOf(archive, main);
  const sheets = sheetsOf(archive, main, parts);
  const others = [...parts.values()].filter(({ target }) => archive.has(target));
  const strings = others.find(({ type }) => type === "sharedStrings");
  const styles = others.find(({ type }) => type === "styles");
  const shared = {
    strings: strings === undefined ? [] : sharedStrings(archive, strings.target, sink),
    dates: styles === undefined ? new Set<number>() : dateStyles(archive.pieces(styles.target)),
  };
  for (const { name, part } of sheets) {
    sink.endLine();
    sink.text(name);
    sink.endLine();
    readSheet(archive, part, shared, sink);
  }
}

function sheetsOf(archive: ZipArchive, main: string, parts: ReadonlyMap<string, Relationship>): Sheet[] {
  const sheets: Sheet[] = [];
  readXml(archive.pieces(main), {
    open: (name, attributes) => {
      if (name !== "sheet") return;
      const part = parts.get(prefixed(attributes, "id") ?? "");
      if (part?.type === "worksheet") sheets.push({ name: attributes["name"] ?? "", part: part.target });
    },
  });
  return sheets;
}

/** The strings of all sheets. Cells name them by their numbers. */
function sharedStrings(archive: ZipArchive, part: string, sink: TextSink): string[] {
  const strings: string[] = [];
  let [string, units, isText, phonetics] = ["", 0, false, 0];
  readXml(archive.pieces(part), {
    open: (name) => {
      if (name === "si") string = "";
      if (name === "t") isText = true;
      // How the text is pronounced.
      if (name === "rPh") phonetics += 1;
    },
    close: (name) => {
      if (name === "t") isText = false;
      if (name === "rPh") phonetics -= 1;
      if (name !== "si") return;
      sink.check();
      strings.push(string);
    },
    text: (text) => {
      if (!isText || phonetics > 0) return;
      units += text.length;
      if (units > EXTRACTION_LIMITS.units) throw new Refused("size");
      string += text;
    },
  });
  return strings;
}

function readSheet(archive: ZipArchive, part: string, shared: Shared, sink: TextSink): void {
  let [type, style, value, isValue] = ["n", 0, "", false];
  /** The column of the cell, and of the last one with text in its row; from 0. */
  let [column, last] = [-1, -1];
  readXml(archive.pieces(part), {
    open: (name, attributes) => {
      if (name === "row") [column, last] = [-1, -1];
      if (name === "v" || name === "t") isValue = true;
      if (name !== "c") return;
      column = columnOf(attributes["r"]) ?? column + 1;
      if (column >= COLUMNS) throw new Refused("damaged");
      [type, style, value] = [attributes["t"] ?? "n", Number(attributes["s"] ?? 0), ""];
    },
    close: (name) => {
      if (name === "v" || name === "t") isValue = false;
      if (name === "row") sink.endText();
      if (name !== "c") return;
      const text = cellText(type, style, value, shared).replaceAll(/[\t\r\n]+/g, " ");
      if (text === "") return;
      sink.tabs(last === -1 ? column : column - last);
      sink.text(text);
      last = column;
    },
    text: (text) => {
      if (isValue) value += text;
    },
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
