/** The first rows of a table. */
export interface Table {
  readonly rows: readonly (readonly string[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/**
 * Reads the first `most` rows of values separated by commas, semicolons or tabs (RFC 4180). It accepts any text: a
 * quote inside an unquoted field is an ordinary character, and a quoted field that is never closed runs to the end.
 */
export function parseCsv(text: string, most: number): Table {
  const separator = separatorOf(text);
  // A field and its end; each match begins where the last one ended.
  const field = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)(?:"|$)|)([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\n|\\r|$)`,
    "y",
  );
  const rows: string[][] = [];
  let row: string[] = [];
  field.lastIndex = text.startsWith("\ufeff") ? 1 : 0;
  while (field.lastIndex < text.length) {
    if (rows.length === most) return { rows, isCut: true };
    const match = field.exec(text);
    if (match === null) break;
    const [, quoted, plain = "", end] = match;
    row.push((quoted?.replaceAll('""', '"') ?? "") + plain);
    if (end === separator && field.lastIndex < text.length) continue;
    if (end === separator) row.push("");
    rows.push(row);
    row = [];
  }
  return { rows, isCut: false };
}

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? "";
  const counted = [",", ";", "\t"].map((each) => ({ each, count: line.split(each).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).each;
}
