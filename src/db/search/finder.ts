import type { Database as Sqlite } from "bun:sqlite";
import { boundsOf, Work } from "./work.ts";
import { findFiltered, type Ranked } from "./filtered.ts";
import type { FilePk } from "../../domain/id.ts";
import { type SearchTerm, snippetOf } from "../../domain/search/query.ts";
import { Connection } from "../engine/connection.ts";
import { openIndex } from "./index-tables.ts";
import { Matching } from "./matching.ts";
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
    const top = new Top(offset + limit);
    const bounds = boundsOf(drives.length);
    let isExact = true;
    for (const drive of drives) {
      await work.next();
      const { found, isWhole } = await (terms === null
        ? findFiltered(this.#statements, drive, request, bounds, work)
        : new Matching(this.#statements, drive, request, work).find(terms, bounds));
      for (const one of found) top.add(one);
      isExact &&= isWhole;
    }
    await work.next();
    this.#rows += work.rows;
    const hits: SearchHit[] = [];
    for (const { file, score, slice } of top.sorted().slice(offset)) {
      const passage = slice === null || work.isLate ? null : this.#passage(file, slice, terms ?? []);
      if (passage !== null) await work.next();
      hits.push({ file, score, slice, passage });
    }
    return { hits, total: top.seen, isExact };
  }

  /** The passage of a document that a term matches; null for other files. */
  #passage(file: FilePk, slice: number, terms: readonly SearchTerm[]): string | null {
    const text = this.#statements.document(file);
    return text === null ? null : snippetOf(Bun.zstdDecompressSync(text).toString(), slice, terms);
  }
}

class Top {
  seen = 0;
  readonly #wanted: number;
  #best: Ranked[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(hit: Ranked): void {
    this.seen += 1;
    this.#best.push(hit);
    if (this.#best.length >= 2 * this.#wanted + SPARE) this.#best = this.sorted();
  }

  sorted(): Ranked[] {
    return this.#best.toSorted(best).slice(0, this.#wanted);
  }
}

/** By score, then last changed first, then last created first. */
function best(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.updatedAt - a.updatedAt || b.file - a.file;
}
