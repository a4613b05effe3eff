import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import { type SearchField, WEIGHTS } from "../../domain/search/tokens.ts";
import { type Bounds, ENOUGH, isEnough, type Work } from "./work.ts";
import { type DriveFound, type Ranked, selectedBy } from "./filtered.ts";
import { ABOVE_ALL, type Descending, Few, intersection, type Place, TermFiles } from "./lists.ts";
import type { SearchRequest } from "./request.ts";
import { type SearchStatements, selectionOf } from "./statements.ts";
import { type Known, TermLists } from "./term-lists.ts";

const CANDIDATES = 125;
/** How many times the rows of a search these may take. */
const CUT_SHARE = 2;
const LAST_CHANGED = 100;

const isOf = (...markers: string[]) => WEIGHTS.names.filter(({ marker }) => markers.includes(marker));
const FILENAMES = isOf("f");
/** The fields that count more than texts, in order of weight. */
const NAMED: readonly (readonly SearchField[])[] = [
  FILENAMES.filter(({ isWhole }) => isWhole),
  FILENAMES,
  isOf("f", "t"),
];

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
  readonly #lists: TermLists;
  readonly #found = new Map<FilePk, Ranked>();

  constructor(statements: SearchStatements, drive: DrivePk, request: SearchRequest, work: Work) {
    this.#statements = statements;
    this.#drive = drive;
    this.#request = request;
    this.#work = work;
    this.#lists = new TermLists(statements, drive, work, WEIGHTS);
  }

  /** Throws Overrun. */
  async find(terms: readonly SearchTerm[], bounds: Bounds): Promise<DriveFound> {
    const selected = selectedBy(this.#statements, this.#drive, this.#request, bounds.few, this.#work);
    const some: readonly FilePk[] | null = selected === null ? null : JSON.parse(selected.files);
    const few = selected?.isAll === true ? some : null;
    this.#work.allow(bounds.mostRows);
    let known = terms.map((term) => this.#lists.know(term, null));
    let end = await this.#search(known, few, bounds);
    if (end !== null) await this.#findBetter(known, some, end, bounds);
    const isCut = () => known.some(({ next }) => next !== null);
    // The other words of the start of a word: each part of them is asked for every file that has the other terms.
    if (isCut()) this.#work.allow(bounds.mostRows * CUT_SHARE);
    while (end === null && isCut() && this.#found.size < ENOUGH && !this.#work.isSpent) {
      known = known.map((one) => (one.next === null ? one : this.#lists.know(one.term, one.next)));
      end = await this.#search(known, few, bounds);
    }
    return { found: [...this.#found.values()], isWhole: end === null && !isCut() };
  }

  /** Whether one of the files that were found has some other terms too. Throws Overrun. */
  async hasOneWith(others: readonly SearchTerm[], bounds: Bounds): Promise<boolean> {
    this.#work.allow(bounds.betterRows);
    const terms = others.map((term) => this.#lists.everywhere(this.#lists.know(term, null)));
    for (const file of intersection([new Few([...this.#found.keys()]), ...terms])) {
      if (file !== null) return true;
      await this.#work.next();
    }
    return false;
  }

  /** Finds the files that match all terms. Returns the last, or null if there are no more. */
  #search(known: readonly Known[], few: readonly FilePk[] | null, bounds: Bounds): Promise<number | null> {
    const start = this.#work.rows;
    const terms = known.map((one) => this.#lists.everywhere(one));
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
    for (const { pk, updatedAt, size } of fitting) {
      const candidate = byFile.get(pk);
      const before = this.#found.get(pk);
      if (candidate !== undefined && candidate.score > (before?.score ?? -1)) {
        this.#found.set(pk, { ...candidate, near: null, updatedAt, size });
      }
    }
    return fitting.length;
  }

  *#better(known: readonly Known[], some: readonly FilePk[] | null): Generator<Lists, void> {
    const everywhere = () => known.map((one) => this.#lists.everywhere(one));
    const changed = this.#statements.lastChanged(this.#drive, LAST_CHANGED);
    this.#work.did(changed.length);
    for (const files of [changed, some ?? []]) {
      const terms = everywhere();
      yield { lists: [new Few(files), ...terms], scored: terms };
    }
    for (const fields of NAMED) {
      const lists = known.map(({ term }) => new TermFiles(this.#lists.names(term, fields)));
      yield { lists, scored: everywhere() };
    }
    if (known.length === 1) return;
    for (const one of known) {
      const scored = everywhere();
      yield { lists: [new TermFiles(this.#lists.names(one.term, FILENAMES)), ...scored], scored };
    }
  }
}

type Candidate = Omit<Ranked, "updatedAt" | "size" | "near">;

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
