import type { Database as Sqlite } from "bun:sqlite";
import { type Bounds, boundsOf, Work } from "./work.ts";
import { findFiltered, type Ranked } from "./filtered.ts";
import { requiredOf } from "../../domain/search/common-words.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import { passageAt, snippetOf } from "../../domain/search/snippets.ts";
import { fused } from "../../domain/search/fusion.ts";
import { Connection } from "../engine/connection.ts";
import { isDamage, openIndex } from "./index-tables.ts";
import { Matching } from "./matching.ts";
import { NearestFiles } from "./nearest.ts";
import { type DrivePartials, findPartials, rankPartials } from "./relaxed.ts";
import type { SearchFound, SearchHit, SearchRequest } from "./request.ts";
import { type SearchStatements, searchStatements } from "./statements.ts";

/** Hits are sorted when there are twice the wanted number plus this many, so that few hits are not sorted often. */
const SPARE = 1000;

/**
 * Runs searches on its own connection. It works drive by drive, on each drive's own lists, and counts and ranks only
 * what it finds there: nothing of other drives is read or affects the result. Several searches take turns.
 *
 * Its work is bounded. If more files match, it takes the newest files, those that were updated last, and those whose
 * filenames or tags match; with filters alone, those that were updated last. If it finds few files, it goes on, so rare
 * matches are found. All pages of an answer come from the same files.
 */
export class SearchFinder {
  readonly #sql: Sqlite;
  #index;
  #statements: SearchStatements;
  #nearest: NearestFiles | null = null;
  #rows = 0;

  constructor(sql: Sqlite) {
    this.#sql = sql;
    this.#index = openIndex(sql);
    this.#statements = searchStatements(new Connection(sql), this.#index);
  }

  /** The work of all finished searches, in rows read. */
  get rows(): number {
    return this.#rows;
  }

  /** `proceeds` is called after every statement. Throws Overrun. */
  async find(request: SearchRequest, proceeds: () => void = () => {}): Promise<SearchFound> {
    const { drives, terms, offset, limit } = request;
    const work = new Work(request.budget, proceeds);
    if (this.#index === "temp") {
      this.#index = openIndex(this.#sql);
      this.#statements = searchStatements(new Connection(this.#sql), this.#index);
    }
    const bounds = boundsOf(drives.length);
    const { found, isExact, isRelaxed } =
      terms === null
        ? await this.#filtered(request, bounds, work)
        : await this.#matching(request, terms, bounds, work);
    const near = await this.#near(request, bounds, work);
    const ranked = near.length === 0 ? found.sorted() : mixed(found.sorted(), near);
    await work.next();
    this.#rows += work.rows;
    const hits: SearchHit[] = [];
    for (const { updatedAt: _, size: __, ...hit } of ranked.slice(offset, offset + limit)) {
      const passage = work.isLate ? null : this.#passage(hit, requiredOf(terms ?? []));
      if (passage !== null) await work.next();
      hits.push({ ...hit, passage });
    }
    return {
      hits,
      total: near.length === 0 ? found.seen : ranked.length,
      isExact,
      isRelaxed: isRelaxed || (found.seen === 0 && near.length > 0),
    };
  }

  /** The files that are nearest in meaning, if it is known; what words find does not wait for it. */
  async #near(request: SearchRequest, bounds: Bounds, work: Work): Promise<Ranked[]> {
    const { meaning } = request;
    if (meaning === null || work.isLate) return [];
    try {
      this.#nearest ??= await NearestFiles.open(this.#sql, meaning.model);
      const found = this.#nearest?.find(this.#statements, request, meaning.vector, { bounds, work });
      return (await found) ?? [];
    } catch (error) {
      if (isDamage(error)) return [];
      throw error;
    }
  }

  async #filtered(request: SearchRequest, bounds: Bounds, work: Work): Promise<Answer> {
    const found = new Top(request, latest);
    let isExact = true;
    for (const drive of request.drives) {
      await work.next();
      const one = await findFiltered(this.#statements, drive, request, bounds, work);
      found.add(one.found);
      isExact &&= one.isWhole;
    }
    return { found, isExact, isRelaxed: false };
  }

  /** The files that have all terms; the common ones only if there are no others. If there are none, those with most. */
  async #matching(
    request: SearchRequest,
    terms: readonly SearchTerm[],
    bounds: Bounds,
    work: Work,
  ): Promise<Answer> {
    const required = requiredOf(terms);
    const others = terms.filter((term) => !required.includes(term));
    const found = new Top(request, others.length === 0 ? latest : shortest);
    let [isExact, hasAll] = [true, others.length === 0];
    for (const drive of request.drives) {
      await work.next();
      const matching = new Matching(this.#statements, drive, request, work);
      const one = await matching.find(required, bounds);
      hasAll ||= await matching.hasOneWith(others, bounds);
      found.add(one.found);
      isExact &&= one.isWhole;
    }
    if (found.seen > 0) return { found, isExact, isRelaxed: !hasAll };
    return required.length === 1 || work.isLate
      ? { found, isExact, isRelaxed: false }
      : this.#relaxed(request, required, bounds, work);
  }

  async #relaxed(
    request: SearchRequest,
    terms: readonly SearchTerm[],
    bounds: Bounds,
    work: Work,
  ): Promise<Answer> {
    const all: DrivePartials[] = [];
    for (const drive of request.drives) {
      await work.next();
      all.push(await findPartials(this.#statements, drive, request, { terms, bounds, work }));
    }
    const found = new Top(request, shortest);
    found.add(
      rankPartials(
        all.flatMap(({ partials }) => partials),
        terms.length,
      ),
    );
    return { found, isExact: all.every(({ isWhole }) => isWhole), isRelaxed: found.seen > 0 };
  }

  /** The passage of a document that a term matches, or that is nearest; null for other files. */
  #passage({ file, slice, near }: Omit<SearchHit, "passage">, terms: readonly SearchTerm[]): string | null {
    const document = slice === null && near === null ? null : this.#statements.document(file);
    if (document === null) return null;
    const text = Bun.zstdDecompressSync(document).toString();
    return slice === null ? passageAt(text, near ?? 0) : snippetOf(text, slice, terms);
  }
}

interface Answer extends Pick<SearchFound, "isExact" | "isRelaxed"> {
  readonly found: Top;
}

/** Files that words find, and files that are near in meaning, in one order, with new scores. */
function mixed(words: readonly Ranked[], near: readonly Ranked[]): Ranked[] {
  const nearOf = new Map(near.map((one) => [one.file, one]));
  const byFile = new Map(
    words.map((one) => [one.file, { ...one, near: nearOf.get(one.file)?.near ?? null }]),
  );
  const scores = fused([words, near].map((list) => list.map(({ file }) => file)));
  return [...scores].flatMap(([file, score]) => {
    const one = byFile.get(file) ?? nearOf.get(file);
    return one === undefined ? [] : [{ ...one, score: Math.round(score * 1000) / 1000 }];
  });
}

/** The best of all files that are added, up to the end of a page. */
class Top {
  seen = 0;
  readonly #wanted: number;
  readonly #order: (a: Ranked, b: Ranked) => number;
  #best: Ranked[] = [];

  constructor({ offset, limit, meaning }: SearchRequest, order: (a: Ranked, b: Ranked) => number) {
    // To mix them with others, all are needed.
    this.#wanted = meaning === null ? offset + limit : Number.POSITIVE_INFINITY;
    this.#order = order;
  }

  add(hits: readonly Ranked[]): void {
    this.seen += hits.length;
    this.#best = this.#best.concat(hits);
    if (this.#best.length >= 2 * this.#wanted + SPARE) this.#best = this.sorted();
  }

  sorted(): Ranked[] {
    return this.#best.toSorted(this.#order).slice(0, this.#wanted);
  }
}

/** By score, then last changed first, then last created first. */
function latest(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.updatedAt - a.updatedAt || b.file - a.file;
}

/** By score, then the smallest first: there the words are closer together. */
function shortest(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.size - b.size || latest(a, b);
}
