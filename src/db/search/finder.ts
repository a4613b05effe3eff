import { fileIsAlive } from "../alive.ts";
import type { Database as Sqlite, Statement } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DrivePk, FilePk } from "../../domain/id.ts";
import { NAME_FIELDS, nameMatch, TEXT_WEIGHT, textMatch } from "../../domain/search/tokens.ts";
import type { SearchTerm } from "../../domain/search/query.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";
import type { Parameters } from "../parameters.ts";
import { firstAfter, type PathRange } from "../path-range.ts";
import { Top } from "./ranking.ts";
import type { SearchFilters, SearchFound, SearchRequest } from "./request.ts";

/** Rows per statement, so that other searches can run in between. */
const ROWS = 20_000;
/** Rows of the first statement if each may be expensive, as for phrases in repetitive texts. */
const FIRST_ROWS = 100;
/** How many candidates are looked up at once. */
const CANDIDATES = 1000;
/** How long a search runs before others get a turn, in milliseconds. */
const TURN_MS = 10;

/** A search took longer than its budget. */
export class Overrun extends Error {}

interface Match {
  readonly at: number;
  readonly file: FilePk;
  readonly slice: number | null;
}

interface Mark {
  readonly weight: number;
  readonly slice: number | null;
}

interface Selection extends PathRange, Omit<SearchFilters, "tags"> {
  readonly drive: DrivePk;
  readonly tags: string;
  readonly now: number;
}

const FITS = `f.drive = :drive AND f.path >= :from AND f.path < :to
  AND ${fileIsAlive(":now")}
  AND (:minSize IS NULL OR f.size >= :minSize) AND (:maxSize IS NULL OR f.size <= :maxSize)
  AND (:updatedFrom IS NULL OR f.updated_at >= :updatedFrom)
  AND (:updatedBefore IS NULL OR f.updated_at < :updatedBefore)
  AND (:mimeType IS NULL OR substr(f.mime_type, 1, length(:mimeType)) = :mimeType
       AND (substr(:mimeType, -1) = '/' OR substr(f.mime_type, length(:mimeType) + 1, 1) IN ('', ';', ' ', char(9))))
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:tags) o
     WHERE NOT EXISTS (SELECT 1 FROM file_tag x WHERE x.drive = f.drive AND x.tag = o.value AND x.path = f.path))`;

/**
 * Runs searches on its own connection. It works drive by drive, on each drive's own lists, and counts and ranks only
 * what it finds there: nothing of other drives is read or affects the result. Several searches take turns.
 */
export class SearchFinder {
  readonly #names;
  readonly #texts;
  readonly #candidates;
  readonly #files;

  constructor(sql: Sqlite) {
    this.#names = sql.prepare<Match, [string, number, number]>(
      `SELECT rowid AS at, rowid AS file, NULL AS slice
         FROM search_name WHERE search_name MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?`,
    );
    this.#texts = sql.prepare<Match, [string, number, number]>(
      `SELECT rowid AS at, rowid / ${SLICES_A_FILE} AS file, rowid % ${SLICES_A_FILE} AS slice
         FROM search_text WHERE search_text MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?`,
    );
    this.#candidates = sql.prepare<
      { pk: FilePk; updatedAt: number },
      [Parameters<Selection & { files: string }>]
    >(
      `SELECT f.pk, f.updated_at AS updatedAt FROM json_each(:files) c CROSS JOIN file f ON f.pk = c.value WHERE ${FITS}`,
    );
    this.#files = sql.prepare<{ pk: FilePk; path: string; updatedAt: number }, [Parameters<Selection>]>(
      `SELECT f.pk, f.path, f.updated_at AS updatedAt FROM file f INDEXED BY file_path WHERE ${FITS}
        ORDER BY f.path LIMIT ${ROWS}`,
    );
  }

  /** `proceeds` is called before every statement. Throws Overrun. */
  async find(request: SearchRequest, proceeds: () => void = () => {}): Promise<SearchFound> {
    const turns = new Turns(request.budget, proceeds);
    const top = new Top(request.offset + request.limit);
    for (const drive of request.drives) {
      await (request.terms === null
        ? this.#findFiltered(drive, request, top, turns)
        : this.#findMatching(drive, request.terms, request, top, turns));
    }
    const hits = top.sorted().slice(request.offset);
    return { hits: hits.map(({ file, score, slice }) => ({ file, score, slice })), total: top.seen };
  }

  async #findFiltered(drive: DrivePk, request: SearchRequest, top: Top, turns: Turns): Promise<void> {
    let selection = selectionOf(drive, request);
    for (let rows = ROWS; rows === ROWS;) {
      const found = this.#files.all(selection);
      for (const { pk, updatedAt } of found) top.add({ file: pk, score: 0, slice: null, updatedAt });
      rows = found.length;
      selection = { ...selection, from: firstAfter(found.at(-1)?.path ?? "") };
      await turns.next();
    }
  }

  async #findMatching(
    drive: DrivePk,
    terms: readonly SearchTerm[],
    request: SearchRequest,
    top: Top,
    turns: Turns,
  ): Promise<void> {
    let marks: ReadonlyMap<FilePk, Mark> | null = null;
    for (const term of terms) {
      marks = await this.#mark(drive, term, marks, turns);
      if (marks.size === 0) return;
    }
    if (marks === null) return;
    const selection = selectionOf(drive, request);
    const files = [...marks.keys()];
    for (let at = 0; at < files.length; at += CANDIDATES) {
      const chunk = JSON.stringify(files.slice(at, at + CANDIDATES));
      for (const { pk, updatedAt } of this.#candidates.all({ ...selection, files: chunk })) {
        const mark = marks.get(pk);
        if (mark !== undefined) {
          const score = Math.round((mark.weight / terms.length) * 1000) / 1000;
          top.add({ file: pk, score, slice: mark.slice, updatedAt });
        }
      }
      await turns.next();
    }
  }

  /** The files where a term matches, among those in `before`; null for all files. */
  async #mark(
    drive: DrivePk,
    term: SearchTerm,
    before: ReadonlyMap<FilePk, Mark> | null,
    turns: Turns,
  ): Promise<ReadonlyMap<FilePk, Mark>> {
    const marks = new Map<FilePk, Mark>();
    const add = (file: FilePk, weight: number, slice: number | null) => {
      const known = marks.get(file) ?? (before === null ? { weight: 0, slice: null } : before.get(file));
      if (known === undefined) return;
      marks.set(file, { weight: known.weight + weight, slice: known.slice ?? slice });
    };
    for (const field of NAME_FIELDS) {
      await matching(this.#names, nameMatch(drive, field, term), turns, ({ file }) =>
        add(file, field.weight, null),
      );
    }
    let last: FilePk | null = null;
    await matching(this.#texts, textMatch(drive, term), turns, ({ file, slice }) => {
      // Rows are in order, so those of one file follow each other.
      if (file !== last) add(file, TEXT_WEIGHT, slice);
      last = file;
    });
    return marks;
  }
}

/** Passes every matching row to `take`, in order. Each statement is run to its end, so none holds a snapshot. */
async function matching(
  statement: Statement<Match, [string, number, number]>,
  expression: string,
  turns: Turns,
  take: (row: Match) => void,
): Promise<void> {
  let after = -1;
  // For a prefix, every statement first collects all words with it, so few large statements are better.
  let limit = expression.endsWith("*") ? ROWS : FIRST_ROWS;
  for (let isFull = true; isFull;) {
    const start = performance.now();
    const found = statement.all(expression, after, limit);
    for (const row of found) take(row);
    isFull = found.length === limit;
    if (performance.now() - start < TURN_MS) limit = Math.min(2 * limit, ROWS);
    after = found.at(-1)?.at ?? after;
    await turns.next();
  }
}

function selectionOf(drive: DrivePk, { paths, filters, now }: SearchRequest): Selection {
  return { ...paths, ...filters, tags: JSON.stringify(filters.tags), drive, now };
}

/** The turns of one search on the thread. */
class Turns {
  readonly #deadline: number;
  readonly #proceeds: () => void;
  #turnEnd = performance.now() + TURN_MS;

  constructor(budget: number, proceeds: () => void) {
    this.#deadline = performance.now() + budget;
    this.#proceeds = proceeds;
    proceeds();
  }

  /** Lets other searches run if it is their turn. Throws Overrun when the budget is spent. */
  async next(): Promise<void> {
    const now = performance.now();
    if (now > this.#deadline) throw new Overrun("a search took too long");
    if (now >= this.#turnEnd) {
      await nextTurn();
      this.#turnEnd = performance.now() + TURN_MS;
    }
    this.#proceeds();
  }
}
