import type { Connection } from "../engine/connection.ts";
import { firstAfter, type PathRange } from "../files/path-range.ts";

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
interface WalkQuery {
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

/** What is in a drive, or was in a snapshot of it. */
export const ALL_FILES = {
  live: "file f INDEXED BY file_path WHERE f.drive = :drive",
  held: "held_file f INDEXED BY held_file_path WHERE f.drive = :drive",
} as const;
export const ALL_FOLDERS = {
  live: "folder f INDEXED BY folder_path WHERE f.drive = :drive",
  held: "held_folder f INDEXED BY held_folder_path WHERE f.drive = :drive",
} as const;

/** The part of a range that one step looks at, and the range that is left; null at the end. */
interface RangePart extends PathRange {
  readonly rest: PathRange | null;
}

/**
 * Finds the part of a range of paths in which none of some tables has too many rows for one step. One path may have
 * more.
 *
 * @param tables as in `WalkQuery`
 */
export function stepParts(sql: Connection, tables: readonly string[]) {
  const ends = tables.map((table) =>
    sql.value<string, [Bindings]>(
      `SELECT f.path FROM ${table} AND f.path >= :from AND f.path < :to ORDER BY f.path LIMIT 1 OFFSET ${STEP}`,
    ),
  );
  return (bindings: Bindings, range: PathRange): RangePart => {
    const { from, to } = range;
    const [end] = ends.flatMap((each) => each({ ...bindings, ...range }) ?? []).toSorted(byBytes);
    if (end === undefined) return { from, to, rest: null };
    const stop = end === from ? firstAfter(end) : end;
    return { from, to: stop, rest: { from: stop, to } };
  };
}

/** In UTF-8 byte order, which is that of the indexes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Reads what is in a snapshot, in path order. Rows that have changed since the snapshot must be passed over, and a
 * drive may have any number of those. So each step looks only at so many: the caller lets others go first in between.
 */
export function snapshotWalk<Row extends { readonly path: string }>(
  sql: Connection,
  { live, held, liveColumns, heldColumns, wanted = "1", shown = "page.*", joins = "" }: WalkQuery,
) {
  const partOf = stepParts(sql, [live, held]);
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
  return {
    /** Reads up to `limit` rows from the start of a range. There may be more even if it finds none. */
    step: (bindings: Bindings, range: PathRange, limit: number): Step<Row> => {
      const part = partOf(bindings, range);
      const { from, to } = part;
      return stepOf(page({ ...bindings, from, to, limit }), limit, part);
    },
    /** Counts the rows at the start of a range. */
    count: (bindings: Bindings, range: PathRange) => {
      const { from, to, rest } = partOf(bindings, range);
      return { count: number({ ...bindings, from, to }), rest };
    },
  };
}

/** The step that found these rows in its part: all that there are, unless they are `limit`. */
export function stepOf<Row extends { readonly path: string }>(
  rows: Row[],
  limit: number,
  { to, rest }: RangePart,
): Step<Row> {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, rest: last === undefined ? rest : { from: firstAfter(last.path), to: rest?.to ?? to } };
}
