import type { FilePk } from "../../domain/id.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";
import type { Expression, Phrase } from "../../domain/search/tokens.ts";
import type { Connection } from "../engine/connection.ts";
import { ABOVE_ALL, type Descending, type Posting } from "./lists.ts";
import { openingCost, type Work } from "./work.ts";

/** Rows of the first statement: at least as many as a text has slices. */
const FIRST_ROWS = 32;
/** The rows that a statement should give after a jump, and the most that it should give. */
const FEWEST_ROWS = 8;
const MOST_ROWS = 1024;
/** The most that a range of handles may grow from one statement to the next, and how it shrinks after too many rows. */
const GROWTH = 4;
/** A range with so many rows is too wide, unless it is of one file. */
const TOO_MANY_ROWS = 4096;
const FIRST_SPAN = 32;
/** What a statement for a phrase should cost, in rows: this, or what it costs to open its lists. */
const PHRASE_ROWS = 1024;
/** How many rows are weighed at the cost of reading one. */
const WEIGHED_A_ROW = 4;
/** In how many bytes of a text a phrase is looked for at the cost of a row, if it repeats no term. */
const BYTES_A_ROW = 1280;
/** From so many repeats of a term on, each place in a text is taken to have that term. */
const MANY_REPEATS = 8;

interface PostingRow extends Posting {
  /** Whether the file has changed since: a job for it is waiting. Then it counts as read, and not as a match. */
  readonly isStale: 0 | 1;
}

/** How many rows match, how many bytes their texts or names have, and the lowest of their files. */
interface Weight {
  readonly rows: number;
  readonly bytes: number;
  readonly lowest: FilePk | null;
}

/**
 * The statements that read the matches of an expression.
 *
 * @param below selects those of `?1` at or below a handle, which is `?2`
 * @param inRange selects those of `?1` from `?2` to `?3`
 * @param bytes of a file `f` in which a phrase is looked for
 */
export function postingsStatements(sql: Connection, below: string, inRange: string, bytes: string) {
  type Range = [expression: string, lowest: number, highest: number, limit: number];
  return {
    /** The highest at or below a handle. */
    first: sql.all<PostingRow, [expression: string, highest: number, limit: number]>(
      `${below} ORDER BY rowid DESC LIMIT ?3`,
    ),
    /** The lowest in a range of handles. */
    range: sql.all<PostingRow, Range>(`${inRange} ORDER BY rowid LIMIT ?4`),
    /** What these weigh. */
    weight: sql.get<Weight, Range>(
      `SELECT count(*) AS rows, coalesce(sum(${bytes}), 0) AS bytes, min(f.pk) AS lowest
         FROM (${inRange} LIMIT ?4) c CROSS JOIN file f ON f.pk = c.file`,
    ),
  };
}

type PostingsStatements = ReturnType<typeof postingsStatements>;

export function postingsOf(
  statements: PostingsStatements,
  expression: Expression,
  work: Work,
): Descending<Posting> {
  const { phrase } = expression;
  return phrase === null
    ? new ListPostings(statements, expression, work)
    : new PhrasePostings(statements, { ...expression, phrase }, work);
}

/** The files of an expression, read part by part from the highest handle down. */
abstract class Postings implements Descending<Posting> {
  /** The part that was read last, highest first. */
  protected rows: readonly PostingRow[] = [];
  /** Everything down to this handle was read. */
  protected floor = ABOVE_ALL;
  protected readonly work: Work;
  #at = 0;

  constructor(work: Work) {
    this.work = work;
  }

  seek(atMost: number): Posting | null {
    for (;;) {
      for (let row = this.rows[this.#at]; row !== undefined; row = this.rows[++this.#at]) {
        if (row.file > atMost || row.isStale !== 0) continue;
        // The slices of a text are in descending order; the first is wanted.
        while (this.rows[this.#at + 1]?.file === row.file) row = this.rows[++this.#at] ?? row;
        return row;
      }
      if (this.floor <= 0 || this.work.isSpent) return null;
      this.read(Math.min(atMost, this.floor - 1));
      this.#at = 0;
    }
  }

  /** Reads a part: sets `rows` and `floor`. */
  protected abstract read(highest: number): void;
}

/**
 * The files in lists of the index. It reads only as much as needed: few rows after a jump, and more if file after file
 * is needed. FTS5 quickly finds the start of an ascending list, but not of a descending one. So except for the first
 * rows, it reads ranges of handles, wider ones if there are few rows in them.
 */
class ListPostings extends Postings {
  readonly #statements: PostingsStatements;
  readonly #expression: Expression;
  #wanted = 0;
  #span = 0;

  constructor(statements: PostingsStatements, expression: Expression, work: Work) {
    super(work);
    this.#statements = statements;
    this.#expression = expression;
  }

  protected read(highest: number): void {
    if (this.floor === ABOVE_ALL) this.#readFirst(highest);
    else this.#readRange(highest);
  }

  #readFirst(highest: number): void {
    const { text, lists } = this.#expression;
    this.#wanted = Math.max(FIRST_ROWS, lists);
    this.rows = this.#statements.first(text, highest, this.#wanted);
    const [first, last] = [this.rows[0], this.rows.at(-1)];
    const isAll = first === undefined || last === undefined || this.rows.length < this.#wanted;
    this.floor = isAll ? 0 : last.file;
    this.#span = isAll ? 0 : first.file - last.file + 1;
    this.work.did(this.rows.length, lists);
  }

  #readRange(highest: number): void {
    const { text, lists } = this.#expression;
    const isNear = this.floor - highest <= this.#span;
    const wanted = isNear ? Math.min(2 * this.#wanted, MOST_ROWS) : FEWEST_ROWS;
    this.#wanted = Math.max(wanted, lists);
    const span = (this.#wanted * this.#span) / Math.max(this.rows.length, 1);
    this.#span = Math.ceil(Math.min(span, GROWTH * this.#span));
    for (;;) {
      this.floor = Math.max(highest - this.#span + 1, 0);
      this.rows = this.#statements.range(text, this.floor, highest, TOO_MANY_ROWS).toReversed();
      this.work.did(this.rows.length, lists);
      if (this.rows.length < TOO_MANY_ROWS || this.#span === 1) return;
      this.#span = Math.ceil(this.#span / GROWTH);
    }
  }
}

/**
 * The files with a phrase. FTS5 compares the positions of its terms in each file that has them all: there may be very
 * many such files, and very many positions in each. So this reads ranges of handles, and only after it knows how much
 * there is to compare. That is counted as work, whether the files have the phrase or not.
 *
 * FTS5 does not stop at the end of a range, but at the next match after it. So it is asked for the files with the
 * phrase if the next file above has it, and for those without it otherwise: then it stops at that file.
 */
class PhrasePostings extends Postings {
  readonly #statements: PostingsStatements;
  readonly #expression: Expression;
  readonly #phrase: Phrase;
  readonly #wanted: number;
  #span = FIRST_SPAN;
  /** Whether the last range had no file with all terms. */
  #wasEmpty = true;
  /** Whether the lowest such file so far has the phrase; true if there is none yet. */
  #hasLowest = true;

  constructor(statements: PostingsStatements, expression: Expression & { phrase: Phrase }, work: Work) {
    super(work);
    this.#statements = statements;
    this.#expression = expression;
    this.#phrase = expression.phrase;
    this.#wanted = Math.max(PHRASE_ROWS, openingCost(expression.lists));
  }

  protected read(highest: number): void {
    const next = this.#wasEmpty ? this.#nextBelow(highest) : { start: highest, end: highest };
    if (next === null) {
      this.rows = [];
      this.floor = 0;
      return;
    }
    const { start, end } = next;
    this.#span = Math.max(this.#span, start - end + 1);
    const weight = this.#chooseRange(start);
    this.#wasEmpty = weight.rows === 0;
    this.rows = weight.rows === 0 ? [] : this.#compare(start, weight.rows).toReversed();
    if (weight.rows > 0) this.#hasLowest = this.rows.at(-1)?.file === weight.lowest;
    const cost = this.#costOf(weight);
    this.work.did(this.rows.length + cost, this.#expression.lists);
    const growth = Math.min(this.#wanted / Math.max(cost, 1), GROWTH);
    this.#span = Math.max(1, Math.floor(this.#span * growth));
  }

  /** The next file with all terms, and how far down there are only few: 0 if there are no more. Null if there is none. */
  #nextBelow(highest: number): { readonly start: number; readonly end: number } | null {
    const rows = this.#statements.first(this.#phrase.anywhere, highest, FIRST_ROWS);
    this.work.did(rows.length);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return null;
    return { start: first.file, end: rows.length < FIRST_ROWS ? 0 : last.file };
  }

  /** Chooses how far down to read, so that it does not cost too much. Returns what is in this range. */
  #chooseRange(highest: number): Weight {
    for (;;) {
      this.floor = Math.max(highest - this.#span + 1, 0);
      const weight = this.#weigh(this.#phrase.anywhere, highest);
      this.work.did(weight.rows / WEIGHED_A_ROW);
      const isTooMuch = weight.rows >= TOO_MANY_ROWS || this.#costOf(weight) > GROWTH * this.#wanted;
      if (!isTooMuch || this.#span === 1) return weight;
      this.#span = Math.ceil(this.#span / GROWTH);
    }
  }

  /** What it costs to compare positions, in rows. */
  #costOf({ rows, bytes }: Weight): number {
    const { repeats } = this.#phrase;
    return rows + (bytes * repeats * Math.min(repeats, MANY_REPEATS)) / BYTES_A_ROW;
  }

  /** The rows of the range with the phrase, lowest first. @param all how many rows have all terms */
  #compare(highest: number, all: number): readonly PostingRow[] {
    const { text } = this.#expression;
    const { anywhere } = this.#phrase;
    const read = (expression: string) =>
      this.#statements.range(expression, this.floor, highest, TOO_MANY_ROWS);
    if (this.#hasLowest) return read(text);
    const without = `(${anywhere}) NOT (${text})`;
    if (this.#weigh(without, highest).rows === all) return [];
    // In this order: a file that is indexed in between must not seem to have the phrase.
    const rows = read(anywhere);
    const others = new Set(read(without).map(keyOf));
    return rows.filter((row) => !others.has(keyOf(row)));
  }

  #weigh(expression: string, highest: number): Weight {
    const weight = this.#statements.weight(expression, this.floor, highest, TOO_MANY_ROWS);
    return weight ?? { rows: 0, bytes: 0, lowest: null };
  }
}

function keyOf({ file, slice }: Posting): number {
  return file * SLICES_A_FILE + (slice ?? 0);
}
