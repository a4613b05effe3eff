import type { DrivePk } from "../id.ts";
import { type FilePath, containingFolder, lastSegment } from "../path.ts";
import type { SearchTerm } from "./query.ts";
import { foldName, type Word } from "./words.ts";

/**
 * The terms of the full-text index. Each starts with its drive and its kind: `f` a filename, `d` a folder, `t` a
 * tag, `w` a text. So every drive has its own lists, however common a word is in others. Names are indexed as all
 * runs of three characters (shorter at the end), so a part of a word is found as a phrase of such runs. Terms
 * consist of letters, digits, `_` and characters beyond ASCII, which the index's tokenizer does not split.
 */
type Marker = "f" | "d" | "t" | "w";

const GRAM = 3;

/** Where a term may match, and its share of a file's score; the shares add up to 1. */
export interface SearchField {
  readonly marker: Marker;
  /** Whether only whole words match. Such a match counts in addition to that of its characters. */
  readonly isWhole: boolean;
  readonly weight: number;
}

export const NAME_FIELDS: readonly SearchField[] = [
  { marker: "f", isWhole: false, weight: 0.4 },
  { marker: "f", isWhole: true, weight: 0.2 },
  { marker: "t", isWhole: false, weight: 0.2 },
  { marker: "d", isWhole: false, weight: 0.1 },
];
export const TEXT_WEIGHT = 0.1;

/** The terms of a file's names, as text for the tokenizer. */
export function nameTokens(
  drive: DrivePk,
  { filename, path, tags }: { filename: string; path: FilePath; tags: readonly string[] },
): string {
  const folder = containingFolder(path);
  return [
    ...[...new Set([filename, lastSegment(path)])].map((name) => grams(drive, "f", foldName(name))),
    ...(folder === "" ? [] : [grams(drive, "d", foldName(folder))]),
    ...tags.map((tag) => grams(drive, "t", foldName(tag))),
  ].join(" ");
}

/** The terms of words, as text for the tokenizer. */
export function textTokens(drive: DrivePk, words: Iterable<Word>): string {
  const start = `${drive}w`;
  let tokens = "";
  for (const { text } of words) tokens += `${start}${text} `;
  return tokens;
}

/** The full-text expression for a term in a kind of name. */
export function nameMatch(drive: DrivePk, field: SearchField, { needle }: SearchTerm): string {
  const points = Array.from(field.isWhole ? `_${needle}_` : needle);
  const start = `${drive}${field.marker}`;
  if (points.length < GRAM) return `"${start}${points.join("")}" *`;
  const runs = points.slice(GRAM - 1).map((_, index) => start + points.slice(index, index + GRAM).join(""));
  return `"${runs.join(" ")}"`;
}

/** The full-text expression for a term in a text. */
export function textMatch(drive: DrivePk, { words, isPrefix }: SearchTerm): string {
  return `"${words.map((word) => `${drive}w${word}`).join(" ")}"${isPrefix ? " *" : ""}`;
}

function grams(drive: DrivePk, marker: Marker, name: string): string {
  const points = Array.from(name);
  return points.map((_, index) => `${drive}${marker}${points.slice(index, index + GRAM).join("")}`).join(" ");
}
