import type { Connection } from "../engine/connection.ts";
import { earliest, firstAfter, partBefore, type PathRange, type RangePart } from "../files/path-range.ts";

/** How many rows of each table one step looks at: about a millisecond of work. */
const STEP = 500;

/** The rows of one step, and the range that is left; null at the end. */
export interface Step<Row> {
  readonly rows: Row[];
  readonly rest: PathRange | null;
}

/**
 * The rows of a snapshot are in two tables: those that have not changed since, and held ones. Each is searched by an
 * alias `f`, in an index that ends with the path.
 */
export interface WalkQuery {
  /** From `FROM` on, with conditions. */
  readonly live: string;
  readonly held: string;
  /** What is read of each, `path` among it; in the same order. */
  readonly liveColumns: string;
  readonly heldColumns: string;
  /** The condition for what is listed; none for all. Other rows are looked at all the same. */
  readonly wanted: string;
  /** What is shown of a row, which is called `page`, and what is joined for it. */
  readonly shown: string;
  readonly joins: string;
}

type Bindings = { readonly [name: string]: string | number | Uint8Array | null };

/**
 * Reads what is in a snapshot, in path order. Rows that have changed since the snapshot must be passed over, and a
 * drive may have any number of those. So each step looks only at so many: the caller lets others go first in between.
 */
export class SnapshotWalk<Row extends { readonly path: string }> {
  readonly #ends;
  readonly #sql;

  constructor(sql: Connection, { live, held, liveColumns, heldColumns, wanted, shown, joins }: WalkQuery) {
    const end = (table: string) =>
      sql.prepare<{ path: string }, [Bindings]>(
        `SELECT f.path FROM ${table} AND f.path >= :from AND f.path < :to ORDER BY f.path LIMIT 1 OFFSET ${STEP}`,
      );
    this.#ends = [end(live), end(held)];
    const both = (ofLive: string, ofHeld: string) => `
      SELECT ${ofLive} FROM ${live} AND f.path >= :from AND f.path < :to AND f.era < :at AND ${wanted}
      UNION ALL
      SELECT ${ofHeld} FROM ${held} AND f.path >= :from AND f.path < :to AND f.until >= :at AND f.era < :at
         AND ${wanted}`;
    this.#sql = {
      rows: sql.prepare<Row, [Bindings]>(
        `SELECT ${shown} FROM (${both(liveColumns, heldColumns)} ORDER BY 1 LIMIT +:limit) page ${joins} ORDER BY page.path`,
      ),
      count: sql.prepare<{ n: number }, [Bindings]>(
        `SELECT ifnull(sum(n), 0) AS n FROM (${both("count(*) AS n", "count(*)")}) page`,
      ),
    };
  }

  /** Reads up to `limit` rows from the start of a range. There may be more even if it finds none. */
  step(bindings: Bindings, range: PathRange, limit: number): Step<Row> {
    const { from, to, rest } = this.#part(bindings, range);
    const rows = this.#sql.rows.all({ ...bindings, from, to, limit });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { rows, rest: last === undefined ? rest : { from: firstAfter(last.path), to: range.to } };
  }

  /** Counts the rows at the start of a range. */
  count(bindings: Bindings, range: PathRange): { readonly count: number; readonly rest: PathRange | null } {
    const { from, to, rest } = this.#part(bindings, range);
    return { count: this.#sql.count.get({ ...bindings, from, to })?.n ?? 0, rest };
  }

  #part(bindings: Bindings, range: PathRange): RangePart {
    const ends = this.#ends.flatMap((each) => each.get({ ...bindings, ...range })?.path ?? []);
    return partBefore(range, earliest(ends));
  }
}
