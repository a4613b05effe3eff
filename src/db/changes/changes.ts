import type { Change, ChangeNumber, NewChange } from "../../domain/changes/change.ts";
import { actorText, changeNumber, namedActor } from "../../domain/changes/change.ts";
import type { ContentFacts, Digest } from "../../domain/contents/content.ts";
import type { BatchSum } from "../../domain/changes/batch.ts";
import type { BatchId, DrivePk } from "../../domain/id.ts";
import { actorColumns, type ActorRow } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

export type ChangeRange = {
  readonly drive: DrivePk;
  readonly after: ChangeNumber;
  readonly upTo: ChangeNumber;
};

interface SumRow {
  readonly drive: DrivePk;
  readonly first: string;
  readonly last: string;
  readonly firstBefore: string | null;
  readonly lastBefore: string | null;
  readonly came: number;
  readonly went: number;
}

interface Row extends Omit<Change, "before" | "after" | "by">, ActorRow {
  readonly beforeDigest: Digest | null;
  readonly beforeSize: number | null;
  readonly afterDigest: Digest | null;
  readonly afterSize: number | null;
}

type RangeParameters = ChangeRange & { limit: number };
type NewRow = Record<string, string | number | null>;

const NOTHING_SAID = { previousPath: null, fileId: null, fileCount: null, version: null, ref: null };

const SELECT = `
  SELECT c.pk AS number, c.drive AS drivePk, d.id AS driveId, c.type, c.path, c.previous_path AS previousPath,
         c.file_id AS fileId, lower(hex(c.before_digest)) AS beforeDigest, c.before_size AS beforeSize,
         lower(hex(c.after_digest)) AS afterDigest, c.after_size AS afterSize, c.file_count AS fileCount,
         c.version, c.ref, c.batch, c.message, ${actorColumns("c.actor")}, c.at
    FROM change c JOIN drive d ON d.pk = c.drive`;

const IN_RANGE = `${SELECT} WHERE c.drive = :drive AND c.pk > :after AND c.pk <= :upTo`;

/** What happened in the drives. Shown once it is on the disk: a power cut could give its number to another change. */
export function changes(database: Database) {
  const { sql } = database;
  const insert = sql.write<[NewRow]>(
    `INSERT INTO change (drive, type, path, previous_path, file_id, before_digest, before_size, after_digest,
                         after_size, file_count, version, ref, batch, actor, message, at)
     VALUES (:drive, :type, :path, :previousPath, :fileId, unhex(:beforeDigest), :beforeSize, unhex(:afterDigest),
             :afterSize, :fileCount, :version, :ref, :batch, :actor, :message, :at)`,
  );
  const forwards = sql.all<Row, [RangeParameters], Change>(`${IN_RANGE} ORDER BY c.pk LIMIT :limit`, fromRow);
  const backwards = sql.all<Row, [RangeParameters], Change>(
    `${IN_RANGE} ORDER BY c.pk DESC LIMIT :limit`,
    fromRow,
  );
  const some = sql.all<Row, [{ drive: DrivePk; numbers: string }], Change>(
    `${SELECT} WHERE c.pk IN (SELECT value FROM json_each(:numbers)) AND +c.drive = :drive ORDER BY c.pk DESC`,
    fromRow,
  );
  const lastNumber = sql.number<[]>("SELECT seq FROM sqlite_sequence WHERE name = 'change'");
  const trimmedTo = sql.number<[drive: DrivePk]>("SELECT changes_from FROM drive WHERE pk = ?");
  const setTrimmed = sql.write<[drive: DrivePk, number: ChangeNumber]>(
    "UPDATE drive SET changes_from = max(changes_from, ?2) WHERE pk = ?1",
  );
  const removeOldest = sql.values<ChangeNumber, [drive: DrivePk, upTo: ChangeNumber, limit: number]>(
    `DELETE FROM change WHERE pk IN (SELECT pk FROM change WHERE drive = ? AND pk <= ? ORDER BY pk LIMIT ?)
     RETURNING pk`,
  );
  const firstAfter = sql.get<{ number: ChangeNumber; at: number }, [after: number]>(
    "SELECT pk AS number, at FROM change WHERE pk > ? ORDER BY pk LIMIT 1",
  );
  let head = changeNumber(lastNumber());
  /** The drives with rows that may not be on the disk. */
  let written = new Set<DrivePk>();
  /** The drives with new rows since `takeGrown`. */
  let grown = new Set<DrivePk>();
  let listener: ((drives: ReadonlySet<DrivePk>) => void) | null = null;
  database.onDurable(() => {
    if (written.size === 0) return;
    const drives = written;
    written = new Set();
    head = changeNumber(lastNumber());
    listener?.(drives);
  });
  return {
    /** The newest change that is on the disk; 0 if there never was one. */
    get head(): ChangeNumber {
      return head;
    },
    /** Calls `listener` when `head` has moved, with the drives that have new changes, and perhaps others. */
    onMove: (onMove: (drives: ReadonlySet<DrivePk>) => void) => {
      listener = onMove;
    },
    /** Inside a durable write. */
    insert: ({ stamp, before, after, ...change }: NewChange) => {
      insert({
        ...NOTHING_SAID,
        ...change,
        beforeDigest: before?.digest ?? null,
        beforeSize: before?.size ?? null,
        afterDigest: after?.digest ?? null,
        afterSize: after?.size ?? null,
        batch: stamp.batch ?? null,
        actor: actorText(stamp.by),
        message: stamp.message ?? null,
        at: stamp.now,
      });
      written.add(change.drive);
      grown.add(change.drive);
    },
    oldest: (range: ChangeRange, limit: number) => forwards({ ...range, limit }),
    newest: (range: ChangeRange, limit: number) => backwards({ ...range, limit }),
    /** Those of these changes that are of a drive, newest first. */
    at: (drive: DrivePk, numbers: readonly ChangeNumber[]) =>
      some({ drive, numbers: JSON.stringify(numbers) }),
    /** The changes of a batch in a drive before one, newest first: the one that sums it up comes before all. */
    ofBatch: sql.all<Row, [batch: BatchId, drive: DrivePk, before: number, limit: number], Change>(
      `${SELECT} WHERE c.batch = ? AND +c.drive = ? AND c.pk < ? ORDER BY c.pk DESC LIMIT ?`,
      fromRow,
    ),
    /** What a batch has changed in each drive, without what sums it up. */
    sumsOf: sql.all<SumRow, [batch: BatchId], BatchSum>(
      `SELECT drive, min(path) AS first, max(path) AS last, min(previous_path) AS firstBefore,
              max(previous_path) AS lastBefore,
              sum(iif(type NOT LIKE '%.deleted', iif(file_id IS NULL, ifnull(file_count, 0), 1), 0)) AS came,
              sum(iif(type LIKE '%.deleted', iif(file_id IS NULL, ifnull(file_count, 0), 1), 0)) AS went
         FROM change WHERE batch = ?1 AND ref IS NOT ?1 GROUP BY drive`,
      fromSumRow,
    ),
    timeOf: sql.value<number, [number: ChangeNumber]>("SELECT at FROM change WHERE pk = ?"),
    /**
     * The newest change, of all drives, that was made before a time: half of the numbers are left out at each step, as
     * numbers are in the order of time. Where the clock was set back, it is one of those beside that.
     */
    lastBefore: (before: number): { number: ChangeNumber; at: number } | null => {
      let last = null;
      let end = lastNumber();
      for (let start = 0; start < end;) {
        const middle = Math.floor((start + end) / 2);
        const next = firstAfter(middle);
        if (next === null || next.at >= before) {
          end = middle;
        } else {
          last = next;
          start = next.number;
        }
      }
      return last;
    },
    /** The newest change of a drive that was removed because of its age or the number of changes; 0 for none. */
    trimmedTo: (drive: DrivePk) => changeNumber(trimmedTo(drive)),
    /** The drives with new changes since the last call, and perhaps others. */
    takeGrown: (): ReadonlySet<DrivePk> => {
      const drives = grown;
      grown = new Set();
      return drives;
    },
    countOf: sql.get<{ changes: number; isUnclaimed: 0 | 1 }, [drive: DrivePk]>(
      "SELECT change_count AS changes, user IS NULL AS isUnclaimed FROM drive WHERE pk = ?",
    ),
    /** Of the `limit` oldest changes of all those made at `before` or earlier: the newest of each drive. */
    old: sql.all<{ drive: DrivePk; number: ChangeNumber }, [before: number, limit: number]>(
      `SELECT drive, max(pk) AS number FROM (SELECT drive, pk, at FROM change WHERE pk > 0 ORDER BY pk LIMIT ?2) page
        WHERE at <= ?1 GROUP BY drive`,
    ),
    /** Removes the oldest changes of a drive, up to one. Returns how many. Inside a write. */
    trim: (drive: DrivePk, upTo: ChangeNumber, limit: number) => {
      const removed = removeOldest(drive, upTo, limit);
      if (removed.length > 0) setTrimmed(drive, changeNumber(Math.max(...removed)));
      return removed.length;
    },
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("change", "drive = ?"),
  };
}

function fromSumRow({ drive, first, last, firstBefore, lastBefore, came, went }: SumRow): BatchSum {
  const paths = [first, last, firstBefore, lastBefore].filter((path) => path !== null);
  return { drive, paths, files: { came, went } };
}

function fromRow({
  beforeDigest,
  beforeSize,
  afterDigest,
  afterSize,
  actor,
  actorName,
  ...row
}: Row): Change {
  return {
    ...row,
    before: contentOf(beforeDigest, beforeSize),
    after: contentOf(afterDigest, afterSize),
    by: namedActor(actor, actorName),
  };
}

function contentOf(digest: Digest | null, size: number | null): ContentFacts | null {
  return digest === null || size === null ? null : { digest, size };
}
