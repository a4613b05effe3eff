import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import type { Expression, SearchField } from "../../domain/search/tokens.ts";
import { NAME_FIELDS, nameMatch, openEnd, TEXT_WEIGHT, textMatch } from "../../domain/search/tokens.ts";
import { firstAfter } from "../files/files.ts";
import { type Bounds, ENOUGH, isEnough, type Work } from "./work.ts";
import { type DriveFound, type Ranked, selectedBy } from "./filtered.ts";
import type { Descending, FieldFiles, Place } from "./lists.ts";
import { ABOVE_ALL, Few, intersection, TermFiles } from "./lists.ts";
import { postingsOf } from "./postings.ts";
import type { SearchRequest } from "./request.ts";
import { type SearchStatements, selectionOf } from "./statements.ts";

const CANDIDATES = 125;
/** How many lists of the index are combined for the start of a word; if few files are found, more follow. */
const LISTS = 512;
/** How many times the rows of a search these may take. */
const CUT_SHARE = 2;
const LAST_CHANGED = 100;

const isOf = (...markers: string[]) => NAME_FIELDS.filter(({ marker }) => markers.includes(marker));
const FILENAMES = isOf("f");
/** The fields that count more than texts, in order of weight. */
const NAMED: readonly (readonly SearchField[])[] = [
  FILENAMES.filter(({ isWhole }) => isWhole),
  FILENAMES,
  isOf("f", "t"),
];

interface Known {
  readonly term: SearchTerm;
  /** What to ask the index of texts; null if no text can match. */
  readonly text: Expression | null;
  /** Whether names are searched as well. */
  readonly isNamed: boolean;
  /** The first of the words that are left out, of those that start with the term; null if none is. */
  readonly next: string | null;
}

/** What to find: the files that are in all of `lists`. */
interface Lists {
  readonly lists: readonly Descending<Place>[];
  readonly scored: readonly TermFiles[];
}

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
    const selected = selectedBy(this.#statements, this.#drive, this.#request, bounds.few, this.#work);
    const some: readonly FilePk[] | null = selected === null ? null : JSON.parse(selected.files);
    const few = selected?.isAll === true ? some : null;
    this.#work.allow(bounds.mostRows);
    let known = terms.map((term) => this.#know(term, null));
    let end = await this.#search(known, few, bounds);
    if (end !== null) await this.#findBetter(known, some, end, bounds);
    const isCut = () => known.some(({ next }) => next !== null);
    // The other words of the start of a word: each part of them is asked for every file that has the other terms.
    if (isCut()) this.#work.allow(bounds.mostRows * CUT_SHARE);
    while (end === null && isCut() && this.#found.size < ENOUGH && !this.#work.isSpent) {
      known = known.map((one) => (one.next === null ? one : this.#know(one.term, one.next)));
      end = await this.#search(known, few, bounds);
    }
    return { found: [...this.#found.values()], isWhole: end === null && !isCut() };
  }

  /** Finds the files that match all terms. Returns the last, or null if there are no more. */
  #search(known: readonly Known[], few: readonly FilePk[] | null, bounds: Bounds): Promise<number | null> {
    const start = this.#work.rows;
    const terms = known.map((one) => this.#everywhere(one));
    if (few !== null) return this.#take([new Few(few), ...terms], terms, ABOVE_ALL, () => false);
    return this.#take(terms, terms, ABOVE_ALL, (files) => isEnough(bounds, files, this.#work.rows - start));
  }

  /** @param some files that one of the filters selects */
  async #findBetter(
    known: readonly Known[],
    some: readonly FilePk[] | null,
    below: number,
    bounds: Bounds,
  ): Promise<void> {
    for (const { lists, scored } of this.#better(known, some)) {
      this.#work.allow(bounds.betterRows);
      await this.#take(lists, scored, below, (files) => files >= bounds.betterFiles);
    }
  }

  /** @param terms make the scores @param isDone whether so many are enough @returns the last; null if all are found */
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
        if (candidates.length < CANDIDATES) continue;
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
    return this.#work.isSpent ? end : null;
  }

  #keep(candidates: readonly Candidate[]): number {
    if (candidates.length === 0) return 0;
    const byFile = new Map(candidates.map((candidate) => [candidate.file, candidate]));
    const files = JSON.stringify(candidates.map(({ file }) => file));
    const fitting = this.#statements.fitting({ ...selectionOf(this.#drive, this.#request), files });
    this.#work.did(candidates.length);
    for (const { pk, updatedAt } of fitting) {
      const candidate = byFile.get(pk);
      const before = this.#found.get(pk);
      if (candidate !== undefined && candidate.score > (before?.score ?? -1)) {
        this.#found.set(pk, { ...candidate, updatedAt });
      }
    }
    return fitting.length;
  }

  *#better(known: readonly Known[], some: readonly FilePk[] | null): Generator<Lists, void> {
    const everywhere = () => known.map((one) => this.#everywhere(one));
    const changed = this.#statements.lastChanged(this.#drive, LAST_CHANGED);
    this.#work.did(changed.length);
    for (const files of [changed, some ?? []]) {
      const terms = everywhere();
      yield { lists: [new Few(files), ...terms], scored: terms };
    }
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

  #everywhere({ term, text, isNamed }: Known): TermFiles {
    const names = isNamed ? this.#names(term, NAME_FIELDS) : [];
    if (text === null) return new TermFiles(names);
    const files = postingsOf(this.#statements.texts, text, this.#work);
    return new TermFiles([...names, { files, weight: TEXT_WEIGHT }]);
  }

  #names(term: SearchTerm, fields: readonly SearchField[]): FieldFiles[] {
    return fields.map((field) => ({
      files: postingsOf(this.#statements.names, nameMatch(this.#drive, field, term), this.#work),
      weight: field.weight,
    }));
  }

  /** @param from for the start of a word, where to go on; null for the first time, when names are searched as well */
  #know(term: SearchTerm, from: string | null): Known {
    const isNamed = from === null;
    const start = openEnd(this.#drive, term);
    if (start === null) return { term, text: textMatch(this.#drive, term, []), isNamed, next: null };
    const most = Math.floor(LISTS / term.words.length);
    const { ends, next } = this.#endsOf(start, from ?? start, most);
    return { term, text: ends.length === 0 ? null : textMatch(this.#drive, term, ends), isNamed, next };
  }

  /** The terms of the index with a start, from one of them on, and the first after these. */
  #endsOf(start: string, from: string, most: number): { ends: readonly string[]; next: string | null } {
    const ends: string[] = [];
    const { nextTerm } = this.#statements;
    let found = nextTerm(from);
    while (found?.startsWith(start) === true) {
      if (ends.length === most) return { ends, next: found };
      ends.push(found);
      this.#work.did(1);
      found = nextTerm(firstAfter(found));
    }
    return { ends, next: null };
  }
}

type Candidate = Omit<Ranked, "updatedAt">;

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
