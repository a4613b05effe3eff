import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import {
  NAME_FIELDS,
  nameMatch,
  openEnd,
  type SearchField,
  TEXT_WEIGHT,
  textMatch,
} from "../../domain/search/tokens.ts";
import { firstAfter } from "../path-range.ts";
import { type Bounds, ENOUGH, isEnough } from "./bounds.ts";
import { type DriveFound, fewOf } from "./filtered.ts";
import { intersection } from "./intersection.ts";
import { ABOVE_ALL, type Descending, Few, type Place, Postings } from "./postings.ts";
import type { Ranked } from "./ranking.ts";
import type { SearchRequest } from "./request.ts";
import { type SearchStatements, selectionOf } from "./statements.ts";
import { type FieldFiles, TermFiles } from "./term-files.ts";
import type { Work } from "./work.ts";

/** How many candidates are looked up at once. */
const CANDIDATES = 125;
/** How many words are combined for the start of a word, unless few files are found. */
const ENDS = 512;
/** Rows per statement if it combines all words, since each statement does so from the start. */
const GATHERED_ROWS = 50_000;
/** How many of the most recently updated files are checked. */
const LAST_CHANGED = 100;

const isOf = (...markers: string[]) => NAME_FIELDS.filter(({ marker }) => markers.includes(marker));
const FILENAMES = isOf("f");
/** The fields that count more than texts, in order of weight. */
const NAMED: readonly (readonly SearchField[])[] = [
  FILENAMES.filter(({ isWhole }) => isWhole),
  FILENAMES,
  isOf("f", "t"),
];

/** A term in the index of a drive. */
interface Known {
  readonly term: SearchTerm;
  /** The full-text expression for texts; null if no text can match. */
  readonly text: string | null;
  /** How many lists of the index it combines. */
  readonly lists: number;
  /** Whether some words are left out that start with the term. */
  readonly isCut: boolean;
}

/** What to find: the files that are in all of `lists`. */
interface Lists {
  readonly lists: readonly Descending<Place>[];
  /** The terms that make their scores. */
  readonly scored: readonly TermFiles[];
}

/** Finds files of a drive by words. */
export class Matching {
  readonly #statements: SearchStatements;
  readonly #drive: DrivePk;
  readonly #request: SearchRequest;
  readonly #work: Work;
  readonly #found = new Map<FilePk, Ranked>();

  constructor(statements: SearchStatements, drive: DrivePk, request: SearchRequest, work: Work) {
    this.#statements = statements;
    this.#drive = drive;
    this.#request = request;
    this.#work = work;
  }

  /** Throws Overrun. */
  async find(terms: readonly SearchTerm[], bounds: Bounds): Promise<DriveFound> {
    const known = terms.map((term) => this.#know(term));
    const isWhole = await this.#search(known, bounds);
    const isCut = known.some((one) => one.isCut);
    if (!isCut || this.#found.size >= ENOUGH) {
      return { found: [...this.#found.values()], isWhole: isWhole && !isCut };
    }
    const isAll = await this.#search(
      known.map((one) => (one.isCut ? this.#gather(one) : one)),
      bounds,
    );
    return { found: [...this.#found.values()], isWhole: isAll };
  }

  async #search(known: readonly Known[], bounds: Bounds): Promise<boolean> {
    const few = fewOf(this.#statements, this.#drive, this.#request, this.#work);
    const start = this.#work.rows;
    const terms = known.map((one) => this.#everywhere(one));
    if (few !== null) {
      await this.#take([new Few(few), ...terms], terms, ABOVE_ALL, () => false);
      return true;
    }
    const end = await this.#take(terms, terms, ABOVE_ALL, (files) =>
      isEnough(bounds, files, this.#work.rows - start),
    );
    if (end === null) return true;
    for (const { lists, scored } of this.#better(known)) {
      const begin = this.#work.rows;
      const isDone = (files: number) =>
        files >= bounds.betterFiles || this.#work.rows - begin >= bounds.betterRows;
      await this.#take(lists, scored, end, isDone);
    }
    return false;
  }

  /**
   * Finds the files that are in all lists.
   *
   * @param terms the terms that make their scores
   * @param isDone whether this number of files is enough
   * @returns the last file, or null if there are no more
   */
  async #take(
    lists: readonly Descending<Place>[],
    terms: readonly TermFiles[],
    below: number,
    isDone: (files: number) => boolean,
  ): Promise<number | null> {
    let candidates: Candidate[] = [];
    let files = 0;
    let end = below;
    for (const file of intersection(lists, below)) {
      if (file !== null) {
        candidates.push(candidateOf(file, terms));
        end = file;
      }
      if (file !== null && candidates.length < CANDIDATES) continue;
      if (file !== null) {
        files += this.#keep(candidates);
        candidates = [];
      }
      if (isDone(files)) {
        this.#keep(candidates);
        return end;
      }
      await this.#work.next();
    }
    this.#keep(candidates);
    return null;
  }

  /** Keeps the candidates that pass the filters; returns their number. */
  #keep(candidates: readonly Candidate[]): number {
    if (candidates.length === 0) return 0;
    const byFile = new Map(candidates.map((candidate) => [candidate.file, candidate]));
    const files = JSON.stringify(candidates.map(({ file }) => file));
    const fitting = this.#statements.fitting.all({ ...selectionOf(this.#drive, this.#request), files });
    this.#work.did(candidates.length);
    for (const { pk, updatedAt } of fitting) {
      const candidate = byFile.get(pk);
      if (candidate !== undefined) this.#found.set(pk, { ...candidate, updatedAt });
    }
    return fitting.length;
  }

  /** The lists for each kind of file that may rank before others. */
  *#better(known: readonly Known[]): Generator<Lists, void> {
    const everywhere = () => known.map((one) => this.#everywhere(one));
    const changed = this.#statements.lastChanged.all(this.#drive, LAST_CHANGED);
    this.#work.did(changed.length);
    const terms = everywhere();
    yield { lists: [new Few(changed.map(({ pk }) => pk)), ...terms], scored: terms };
    for (const fields of NAMED) {
      const lists = known.map(({ term }) => new TermFiles(this.#names(term, fields)));
      yield { lists, scored: everywhere() };
    }
    if (known.length === 1) return;
    for (const one of known) {
      const scored = everywhere();
      yield { lists: [new TermFiles(this.#names(one.term, FILENAMES)), ...scored], scored };
    }
  }

  #everywhere({ term, text, lists }: Known): TermFiles {
    const names = this.#names(term, NAME_FIELDS);
    if (text === null) return new TermFiles(names);
    const files = new Postings(this.#statements.texts, text, lists, this.#work);
    return new TermFiles([...names, { files, weight: TEXT_WEIGHT }]);
  }

  #names(term: SearchTerm, fields: readonly SearchField[]): FieldFiles[] {
    return fields.map((field) => ({
      files: new Postings(this.#statements.names, nameMatch(this.#drive, field, term), 1, this.#work),
      weight: field.weight,
    }));
  }

  #know(term: SearchTerm): Known {
    const start = openEnd(this.#drive, term);
    if (start === null) return { term, text: textMatch(this.#drive, term, []), lists: 1, isCut: false };
    const ends = this.#endsOf(start);
    const isCut = ends.length > ENDS;
    const taken = ends.slice(0, ENDS);
    const text = taken.length === 0 ? null : textMatch(this.#drive, term, taken);
    return { term, text, lists: taken.length, isCut };
  }

  /** The terms of the index with a start; one more than are used if there are more. */
  #endsOf(start: string): string[] {
    const ends: string[] = [];
    const { nextTerm } = this.#statements;
    let next = nextTerm.get(start);
    while (next?.term.startsWith(start) === true && ends.length <= ENDS) {
      ends.push(next.term);
      next = nextTerm.get(firstAfter(next.term));
      this.#work.did(1);
    }
    return ends;
  }

  /** Lets the index combine all words; the time grows with their lists. */
  #gather({ term }: Known): Known {
    return { term, text: textMatch(this.#drive, term, null), lists: GATHERED_ROWS, isCut: false };
  }
}

interface Candidate {
  readonly file: FilePk;
  readonly score: number;
  readonly slice: number | null;
}

function candidateOf(file: FilePk, terms: readonly TermFiles[]): Candidate {
  let weight = 0;
  let slice: number | null = null;
  for (const term of terms) {
    const match = term.seek(file);
    if (match?.file !== file) continue;
    weight += match.weight;
    slice ??= match.slice;
  }
  return { file, score: Math.round((weight / terms.length) * 1000) / 1000, slice };
}
