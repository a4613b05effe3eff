import { readXml } from "./xml.ts";

/** Formats of dates and times that need no declaration (ECMA-376, part 1, section 18.8.30). */
const BUILT_IN = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;
/** The first day of 1970, counted as spreadsheets do: in days from the end of 1899. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
/** The last day of the year 9999. */
const MOST_DAYS = 2_958_466;

/** The numbers of those styles of cells that show numbers as dates or times. */
export function dateStyles(styles: Iterable<Uint8Array>): Set<number> {
  const custom = new Set<number>();
  const found = new Set<number>();
  let [isCell, style] = [false, 0];
  readXml(styles, {
    open: (name, attributes) => {
      const format = Number(attributes["numFmtId"] ?? 0);
      if (name === "numFmt" && isDateCode(attributes["formatCode"] ?? "")) custom.add(format);
      if (name === "cellXfs") isCell = true;
      if (name !== "xf" || !isCell) return;
      if (custom.has(format) || BUILT_IN.some(([first, last]) => format >= first && format <= last)) {
        found.add(style);
      }
      style += 1;
    },
    close: (name) => {
      if (name === "cellXfs") isCell = false;
    },
  });
  return found;
}

/** A day, a time, or both, as ISO 8601 writes them; null for a number that is none. */
export function dateText(days: number): string | null {
  if (!(days >= 0 && days < MOST_DAYS)) return null;
  const iso = new Date(Math.round(((days - EPOCH_DAYS) * DAY_MS) / 1000) * 1000).toISOString();
  if (days < 1) return iso.slice(11, 19);
  return Number.isInteger(days) ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** Whether a format has letters of dates outside of what it quotes, escapes or puts in brackets. */
function isDateCode(code: string): boolean {
  return /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|_./g, ""));
}
