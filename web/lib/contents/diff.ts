import { t } from "../words/text.ts";

/** A line of a unified diff; of `place`, where in the text the lines after it stand. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "place";
  readonly text: string;
}

const KINDS: Readonly<Record<string, DiffLine["kind"]>> = {
  "+": "added",
  "-": "removed",
  " ": "same",
  "@": "place",
};
const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

/** Reads a unified diff of one file, without its head. */
export function readDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  for (const line of diff.split("\n")) {
    const kind = KINDS[line[0] ?? ""];
    // The names of the two files stand before the first place.
    if (kind === undefined || (lines.length === 0 && kind !== "place")) continue;
    if (kind !== "place") lines.push({ kind, text: line.slice(1) });
    else lines.push({ kind, text: t("Line {line}", { line: PLACE.exec(line)?.[2] ?? "?" }) });
  }
  return lines;
}
