import type { DrivePk } from "../id.ts";
import { containingFolder, type FilePath, lastSegment } from "../files/path.ts";
import { englishStemOf } from "./english-stems.ts";
import { type Language, languageOf } from "./languages.ts";
import type { SearchTerm } from "./query.ts";
import { stemOf } from "./stems.ts";
import { LONGEST_BEGINNING, type Vocabulary } from "./vocabulary.ts";
import { foldName, spellingsIn, wordsIn } from "./words.ts";

/**
 * The terms of the full-text index. Each starts with its drive and its kind: `f` a filename, `d` a folder, `t` a
 * tag, `w` a word of a text, `p` the first letters of such a word, `s` its stem where that is not the word itself, `n` the
 * English stem of a word of a filename, folder or tag, `l` the language of a text if it has stems and is not English.
 * So every drive has its own lists, however common a word is in others. Names are indexed as all runs of three characters, so a part of a word is found as a phrase of
 * such runs, and as all single characters and pairs. So a search for a few letters reads one list, and does not combine
 * those of many words. Terms consist of letters, digits, `_` and characters beyond ASCII, which the index's tokenizer
 * does not split.
 */
type Marker = "f" | "d" | "t" | "w" | "p" | "s" | "n" | "l";

/** Where names are: a filename, a folder, a tag. */
export const NAME_MARKERS = ["f", "d", "t"] as const satisfies readonly Marker[];

const GRAM = 3;

/** Where a term may match, and its share of a file's score; the shares add up to 1. */
export interface SearchField {
  readonly marker: Marker;
  /** Whether only whole words match. Such a match counts in addition to that of its characters. */
  readonly isWhole: boolean;
  readonly weight: number;
}

/** What a match in each place adds to the score of a file. */
export interface Weights {
  readonly names: readonly SearchField[];
  /** Where the stem of a word of a name matches, and nothing else of the names. */
  readonly nameStem: number;
  readonly text: number;
}

const NAME_FIELDS: readonly SearchField[] = [
  { marker: "f", isWhole: false, weight: 0.4 },
  { marker: "f", isWhole: true, weight: 0.2 },
  { marker: "t", isWhole: false, weight: 0.2 },
  { marker: "d", isWhole: false, weight: 0.1 },
];
export const WEIGHTS: Weights = { names: NAME_FIELDS, nameStem: 0.15, text: 0.1 };

/** For files that have only some of the terms: a whole word counts more than letters that happen to be in a name. */
export const RELAXED_WEIGHTS: Weights = {
  names: [
    { marker: "f", isWhole: false, weight: 0.2 },
    { marker: "f", isWhole: true, weight: 0.5 },
    { marker: "t", isWhole: false, weight: 0.6 },
    { marker: "d", isWhole: false, weight: 0.2 },
  ],
  nameStem: 0.6,
  text: 0.7,
};

/** Where a word begins inside a name such as `addDays`. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/u;

export function nameTokens(
  drive: DrivePk,
  { filename, path, tags }: { filename: string; path: FilePath; tags: readonly string[] },
): string {
  const folder = containingFolder(path);
  const names = [...new Set([filename, lastSegment(path)])];
  return [
    ...names.map((name) => grams(drive, "f", foldName(name))),
    ...(folder === "" ? [] : [grams(drive, "d", foldName(folder))]),
    ...tags.map((tag) => grams(drive, "t", foldName(tag))),
    listed(drive, "n", stemsOf([...names, folder, ...tags])),
  ].join(" ");
}

/** The stems of all words of some names, also of those that begin with a capital inside a name. */
function stemsOf(names: readonly string[]): string[] {
  const words = names.flatMap((name) => name.split(HUMP).flatMap(spellingsIn).flatMap(wordsIn));
  return [...new Set(words.map((word) => stemOf(word, null)))];
}

/**
 * The terms of words, as text for the tokenizer: all words in order, then the first letters of each, and its stems: the
 * English one, and that of the language of the text.
 *
 * @param spellings the words as they stand in the text
 */
export function textTokens(drive: DrivePk, spellings: readonly string[], vocabulary: Vocabulary): string {
  const { all, distinct } = vocabulary.count(spellings);
  const language = languageOf(distinct);
  const beginnings = new Set<string>();
  const stems = new Set<string>();
  for (const word of distinct) {
    for (const letters of word.beginnings) beginnings.add(letters);
    for (const stem of language === null ? word.stems : word.stemsIn(language)) stems.add(stem);
  }
  const lists = [
    listed(drive, "w", all),
    listed(drive, "p", [...beginnings]),
    listed(drive, "s", [...stems]),
  ];
  return [...lists, ...(language === null ? [] : [languageTerm(drive, language)])].join(" ");
}

/** Words as terms of a kind, as text for the tokenizer. */
function listed(drive: DrivePk, marker: Marker, words: readonly string[]): string {
  const start = `${drive}${marker}`;
  return words.length === 0 ? "" : start + words.join(` ${start}`);
}

/** The term of the texts of a drive that are in a language; how all such terms begin, for none. */
export function languageTerm(drive: DrivePk, language: Language | ""): string {
  return `${drive}l${language}`;
}

/** What the index is asked. */
export interface Expression {
  /** In the language of full-text queries. */
  readonly text: string;
  /** How many lists of the index it reads. */
  readonly lists: number;
  /** Null if it has no phrase: then each file in its lists matches. */
  readonly phrase: Phrase | null;
}

/** What is known of a phrase before its positions are compared. */
export interface Phrase {
  /** An expression for files that have its terms anywhere. */
  readonly anywhere: string;
  /** How often it has the same term. */
  readonly repeats: number;
}

/** Of how many terms of a phrase its files must have all, before positions are compared. */
const ANYWHERE_TERMS = 16;

/** The full-text expression for a term in a kind of name. */
export function nameMatch(
  drive: DrivePk,
  field: Omit<SearchField, "weight">,
  { needle }: Pick<SearchTerm, "needle">,
): Expression {
  const points = Array.from(field.isWhole ? `_${needle}_` : needle);
  const start = `${drive}${field.marker}`;
  if (points.length < GRAM) return expression([start + points.join("")]);
  return expression(
    points.slice(GRAM - 1).map((_, index) => start + points.slice(index, index + GRAM).join("")),
  );
}

/** The index's term for the start of a word at the end of a search term, if there is no list for that; else null. */
export function openEnd(drive: DrivePk, { words, isPrefix }: SearchTerm): string | null {
  const last = words.at(-1);
  return !isPrefix || last === undefined || isShortBeginning(words) ? null : `${drive}w${last}`;
}

/** Whether there is a list of the texts that have a word with this beginning. */
function isShortBeginning(words: readonly string[]): boolean {
  return words.length === 1 && Array.from(words[0] ?? "").length <= LONGEST_BEGINNING;
}

/** Finds the names with a word that has an English stem. */
export function nameStemMatch(drive: DrivePk, stem: string): Expression {
  return expression([`${drive}n${stem}`]);
}

/**
 * Finds a term in a text; null if it can be in none.
 *
 * @param ends if there is an `openEnd`, the index's terms that start with it
 * @param stems what other forms of the term have, that by the rules of English first
 */
export function textMatch(
  drive: DrivePk,
  { words, isPrefix }: SearchTerm,
  { ends, stems }: Record<"ends" | "stems", readonly string[]>,
): Expression | null {
  const known = words.map((word) => `${drive}w${word}`);
  const others = stems.flatMap((stem) => stemTerms(drive, stem, words));
  const anyOf = (terms: readonly string[]) => expressionOfAny(drive, [...terms, ...others], stems[0] ?? null);
  if (!isPrefix) return stems.length === 0 ? expression(known) : anyOf(known);
  if (isShortBeginning(words)) return anyOf(words.map((word) => `${drive}p${word}`));
  const before = known.slice(0, -1);
  if (before.length === 0) return anyOf(ends);
  return ends.length === 0 ? null : expression(before, ends);
}

/** The index's terms of words with a stem. A word that is its own stem is in no list of stems. */
function stemTerms(drive: DrivePk, stem: string, [word]: readonly string[]): string[] {
  return stem === word ? [`${drive}s${stem}`] : [`${drive}w${stem}`, `${drive}s${stem}`];
}

/**
 * The expression for files with any of some terms; null if there are none. The list of an English stem has every text
 * that the lists of its words have: those are not read. Only a word that is the stem itself is not in it.
 *
 * @param stem the English one, if its list is among the terms
 */
function expressionOfAny(drive: DrivePk, terms: readonly string[], stem: string | null): Expression | null {
  const start = `${drive}w`;
  const isFormOf = (word: string) => word !== stem && englishStemOf(word) === stem;
  const lists = terms.filter((term) => !term.startsWith(start) || !isFormOf(term.slice(start.length)));
  return lists.length === 0 ? null : expression([], lists);
}

/** The expression for terms that follow each other, with any of some terms after them. */
function expression(terms: readonly string[], ends: readonly string[] = []): Expression {
  const texts = ends.length === 0 ? [quoted(terms)] : ends.map((end) => quoted([...terms, end]));
  const words = terms.length + Math.min(ends.length, 1);
  return {
    text: texts.join(" OR "),
    lists: words * texts.length,
    phrase: words === 1 ? null : phraseOf(terms),
  };
}

function phraseOf(terms: readonly string[]): Phrase {
  const times = new Map<string, number>();
  for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
  // Longer words are in fewer texts.
  const rarest = [...times.keys()].toSorted((a, b) => b.length - a.length).slice(0, ANYWHERE_TERMS);
  return {
    anywhere: rarest.map((term) => quoted([term])).join(" AND "),
    repeats: Math.max(...times.values()),
  };
}

function quoted(terms: readonly string[]): string {
  return `"${terms.join(" ")}"`;
}

/** The runs of a name in order, then its characters and pairs, so no phrase spans two names. */
function grams(drive: DrivePk, marker: Marker, name: string): string {
  const points = Array.from(name);
  const runs = points.slice(GRAM - 1).map((_, index) => points.slice(index, index + GRAM).join(""));
  const short = new Set([...points, ...points.slice(1).map((point, index) => `${points[index]}${point}`)]);
  return listed(drive, marker, [...runs, ...short]);
}
