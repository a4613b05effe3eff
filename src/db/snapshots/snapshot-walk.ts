import type { Connection } from "../engine/connection.ts";
import { earliest, firstAfter, partBefore, type PathRange } from "../files/path-range.ts";

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
  /** The condition for what is listed; all if left out. Other rows are looked at all the same. */
  readonly wanted?: string;
  /** What is shown of a row, which is called `page`, and what is joined for it; what is read if left out. */
  readonly shown?: string;
  readonly joins?: string;
}

type Bindings = { readonly [name: string]: string | number | Uint8Array | null };

/**
 * Reads what is in a snapshot, in path order. Rows that have changed since the snapshot must be passed over, and a
 * drive may have any number of those. So each step looks only at so many: the caller lets others go first in between.
 */
export function snapshotWalk<Row extends { readonly path: string }>(
  sql: Connection,
  { live, held, liveColumns, heldColumns, wanted = "1", shown = "page.*", joins = "" }: WalkQuery,
) {
  const ends = [live, held].map((table) =>
    sql.value<string, [Bindings]>(
      `SELECT f.path FROM ${table} AND f.path >= :from AND f.path < :to ORDER BY f.path LIMIT 1 OFFSET ${STEP}`,
    ),
  );
  const both = (ofLive: string, ofHeld: string) => `
    SELECT ${ofLive} FROM ${live} AND f.path >= :from AND f.path < :to AND f.era < :at AND ${wanted}
    UNION ALL
    SELECT ${ofHeld} FROM ${held} AND f.path >= :from AND f.path < :to AND f.until >= :at AND f.era < :at
       AND ${wanted}`;
  const page = sql.all<Row, [Bindings]>(
    `SELECT ${shown} FROM (${both(liveColumns, heldColumns)} ORDER BY 1 LIMIT +:limit) page ${joins} ORDER BY page.path`,
  );
  const number = sql.number<[Bindings]>(
    `SELECT ifnull(sum(n), 0) AS n FROM (${both("count(*) AS n", "count(*)")}) page`,
  );
  const partOf = (bindings: Bindings, range: PathRange) =>
    partBefore(range, earliest(ends.flatMap((end) => end({ ...bindings, ...range }) ?? [])));
  return {
    /** Reads up to `limit` rows from the start of a range. There may be more even if it finds none. */
    step: (bindings: Bindings, range: PathRange, limit: number): Step<Row> => {
      const { from, to, rest } = partOf(bindings, range);
      return stepOf(page({ ...bindings, from, to, limit }), limit, range, rest);
    },
    /** Counts the rows at the start of a range. */
    count: (bindings: Bindings, range: PathRange) => {
      const { from, to, rest } = partOf(bindings, range);
      return { count: number({ ...bindings, from, to }), rest };
    },
  };
}

/** A step that found these rows. @param rest what is left of the range if these are fewer than `limit` */
export function stepOf<Row extends { readonly path: string }>(
  rows: Row[],
  limit: number,
  range: PathRange,
  rest: PathRange | null,
): Step<Row> {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, rest: last === undefined ? rest : { from: firstAfter(last.path), to: range.to } };
}
