import { actorText, namedActor } from "../../domain/changes/actor.ts";
import {
  type Change,
  changeNumber,
  type ChangeNumber,
  type ContentFacts,
  type NewChange,
} from "../../domain/changes/change.ts";
import type { Digest } from "../../domain/contents/digest.ts";
import type { DrivePk } from "../../domain/id.ts";
import { actorName } from "./actor-names.ts";
import type { Database } from "../engine/database.ts";

/** Which changes of a drive are read: those after one, up to another. */
export interface ChangeRange {
  readonly drive: DrivePk;
  readonly after: ChangeNumber;
  readonly upTo: ChangeNumber;
}

interface Row extends Omit<Change, "before" | "after" | "by"> {
  readonly beforeDigest: Digest | null;
  readonly beforeSize: number | null;
  readonly afterDigest: Digest | null;
  readonly afterSize: number | null;
  readonly actor: string | null;
  readonly byName: string | null;
}

type RangeParameters = { drive: DrivePk; after: ChangeNumber; upTo: ChangeNumber; limit: number };
type NewRow = Record<string, string | number | null>;

const IN_RANGE = `
  SELECT c.pk AS number, c.drive AS drivePk, d.id AS driveId, c.type, c.path, c.previous_path AS previousPath,
         c.file_id AS fileId, lower(hex(c.before_digest)) AS beforeDigest, c.before_size AS beforeSize,
         lower(hex(c.after_digest)) AS afterDigest, c.after_size AS afterSize, c.file_count AS fileCount,
         c.version, c.ref, c.actor, ${actorName("c.actor")} AS byName, c.at
    FROM change c JOIN drive d ON d.pk = c.drive
   WHERE c.drive = :drive AND c.pk > :after AND c.pk <= :upTo`;

/**
 * What happened in the drives. A row is written in the transaction of its change. Readers see a row only once it is on
 * the disk: a power cut could undo it, and give its number to another one, which they would then never see.
 */
export class ChangesTable {
  readonly #sql;
  #head: ChangeNumber;
  /** The drives with rows that may not be on the disk. */
  #written = new Set<DrivePk>();
  /** The drives with new rows since `takeGrown`. */
  #grown = new Set<DrivePk>();
  #listener: (drives: ReadonlySet<DrivePk>) => void = () => {};

  constructor(database: Database) {
    const { sql } = database;
    this.#sql = {
      insert: sql.prepare<never, [NewRow]>(
        `INSERT INTO change (drive, type, path, previous_path, file_id, before_digest, before_size, after_digest,
                           after_size, file_count, version, ref, actor, at)
       VALUES (:drive, :type, :path, :previousPath, :fileId, unhex(:beforeDigest), :beforeSize, unhex(:afterDigest),
               :afterSize, :fileCount, :version, :ref, :actor, :at)`,
      ),
      forwards: sql.prepare<Row, [RangeParameters]>(`${IN_RANGE} ORDER BY c.pk LIMIT :limit`),
      backwards: sql.prepare<Row, [RangeParameters]>(`${IN_RANGE} ORDER BY c.pk DESC LIMIT :limit`),
      last: sql.prepare<{ number: number }, []>(
        "SELECT seq AS number FROM sqlite_sequence WHERE name = 'change'",
      ),
      timeOf: sql.prepare<{ at: number }, [ChangeNumber]>("SELECT at FROM change WHERE pk = ?"),
      trimmed: sql.prepare<{ number: ChangeNumber }, [DrivePk]>(
        "SELECT changes_from AS number FROM drive WHERE pk = ?",
      ),
      setTrimmed: sql.prepare<never, [ChangeNumber, DrivePk]>(
        "UPDATE drive SET changes_from = max(changes_from, ?) WHERE pk = ?",
      ),
      removeOldest: sql.prepare<{ number: ChangeNumber }, [DrivePk, ChangeNumber, number]>(
        `DELETE FROM change WHERE pk IN (SELECT pk FROM change WHERE drive = ? AND pk <= ? ORDER BY pk LIMIT ?)
       RETURNING pk AS number`,
      ),
      removeSomeOf: sql.prepare<never, [DrivePk, number]>(
        "DELETE FROM change WHERE pk IN (SELECT pk FROM change WHERE drive = ? LIMIT ?)",
      ),
      old: sql.prepare<{ drive: DrivePk; number: ChangeNumber }, [number, number]>(
        `SELECT drive, max(pk) AS number FROM (SELECT drive, pk FROM change WHERE at <= ? ORDER BY at LIMIT ?) page
        GROUP BY drive`,
      ),
      countOf: sql.prepare<{ changes: number; isUnclaimed: 0 | 1 }, [DrivePk]>(
        "SELECT change_count AS changes, user IS NULL AS isUnclaimed FROM drive WHERE pk = ?",
      ),
    };
    this.#head = this.#lastNumber();
    database.onDurable(() => this.#publish());
  }

  /** The newest change that is on the disk; 0 if there never was one. */
  get head(): ChangeNumber {
    return this.#head;
  }

  /** Calls `listener` when `head` has moved, with the drives that have new changes, and perhaps others. */
  onMove(listener: (drives: ReadonlySet<DrivePk>) => void): void {
    this.#listener = listener;
  }

  /** Inside a durable write. */
  insert(change: NewChange): void {
    const { drive, type, path, stamp } = change;
    this.#sql.insert.run({
      drive,
      type,
      path,
      previousPath: change.previousPath ?? null,
      fileId: change.fileId ?? null,
      beforeDigest: change.before?.digest ?? null,
      beforeSize: change.before?.size ?? null,
      afterDigest: change.after?.digest ?? null,
      afterSize: change.after?.size ?? null,
      fileCount: change.fileCount ?? null,
      version: change.version ?? null,
      ref: change.ref ?? null,
      actor: actorText(stamp.by),
      at: stamp.now,
    });
    this.#written.add(drive);
    this.#grown.add(drive);
  }

  oldest(range: ChangeRange, limit: number): Change[] {
    return this.#sql.forwards.all({ ...range, limit }).map(fromRow);
  }

  /** The newest changes of a range, newest first. */
  newest(range: ChangeRange, limit: number): Change[] {
    return this.#sql.backwards.all({ ...range, limit }).map(fromRow);
  }

  /** When a change was made; null if it is not kept. */
  timeOf(number: ChangeNumber): number | null {
    return this.#sql.timeOf.get(number)?.at ?? null;
  }

  /** The newest change of a drive that was removed because of its age or the number of changes; 0 for none. */
  trimmedTo(drive: DrivePk): ChangeNumber {
    return this.#sql.trimmed.get(drive)?.number ?? changeNumber(0);
  }

  /** The drives with new changes since the last call, and perhaps others. */
  takeGrown(): ReadonlySet<DrivePk> {
    const drives = this.#grown;
    this.#grown = new Set();
    return drives;
  }

  /** How many changes are kept of a drive; null if it is gone. */
  countOf(drive: DrivePk): { readonly changes: number; readonly isUnclaimed: boolean } | null {
    const row = this.#sql.countOf.get(drive);
    return row === null ? null : { changes: row.changes, isUnclaimed: row.isUnclaimed === 1 };
  }

  /** Some drives with changes made at `before` or earlier: the newest change of each among the `limit` oldest of all. */
  old(before: number, limit: number): { drive: DrivePk; number: ChangeNumber }[] {
    return this.#sql.old.all(before, limit);
  }

  /** Removes the oldest changes of a drive, up to one. Returns how many. Inside a write. */
  trim(drive: DrivePk, upTo: ChangeNumber, limit: number): number {
    const removed = this.#sql.removeOldest.all(drive, upTo, limit).map(({ number }) => number);
    if (removed.length > 0) this.#sql.setTrimmed.run(changeNumber(Math.max(...removed)), drive);
    return removed.length;
  }

  /** Removes some changes of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#sql.removeSomeOf.run(drive, limit).changes;
  }

  #publish(): void {
    if (this.#written.size === 0) return;
    const drives = this.#written;
    this.#written = new Set();
    this.#head = this.#lastNumber();
    this.#listener(drives);
  }

  #lastNumber(): ChangeNumber {
    return changeNumber(this.#sql.last.get()?.number ?? 0);
  }
}

function fromRow({ beforeDigest, beforeSize, afterDigest, afterSize, actor, byName, ...row }: Row): Change {
  return {
    ...row,
    before: contentOf(beforeDigest, beforeSize),
    after: contentOf(afterDigest, afterSize),
    by: namedActor(actor, byName),
  };
}

function contentOf(digest: Digest | null, size: number | null): ContentFacts | null {
  return digest === null || size === null ? null : { digest, size };
}
