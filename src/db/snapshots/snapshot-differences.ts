import type { FileFacts } from "../../domain/files/file.ts";
import type { FileId } from "../../domain/id.ts";
import { fileIsAlive } from "../alive.ts";
import type { Database } from "../engine/database.ts";
import type { PathRange } from "../files/path-range.ts";
import type { SnapshotScope } from "./snapshot-lists.ts";
import { ALL_FILES, stepParts } from "./snapshot-walk.ts";

/** A file on one side of a comparison. */
export interface ComparedFile extends Pick<FileFacts, "id" | "path" | "digest" | "size" | "updatedAt"> {
  /** The rest of the record: equal texts are equal records. */
  readonly record: string;
}

type Range = SnapshotScope & PathRange;

const FACTS = `f.path, b.digest, f.size, f.updated_at AS updatedAt,
  json_array(f.filename, f.mime_type, f.tags, f.metadata, f.expires_at, f.created_at) AS record`;
const IN_RANGE = "f.path >= :from AND f.path < :to";
const ALIVE = fileIsAlive(":now");

/** Finds the files that may differ between a snapshot and now: what has changed since. */
export function snapshotDifferences({ sql }: Database) {
  const partOf = stepParts(sql, [ALL_FILES.live, ALL_FILES.held]);
  const before = sql.all<ComparedFile, [Range]>(
    `SELECT f.file_id AS id, ${FACTS} FROM held_file f INDEXED BY held_file_path JOIN blob b ON b.pk = f.blob
      WHERE f.drive = :drive AND ${IN_RANGE} AND f.era < :at AND f.until >= :at AND ${ALIVE} ORDER BY f.path`,
  );
  const after = sql.all<ComparedFile, [Range]>(
    `SELECT f.id, ${FACTS} FROM file f INDEXED BY file_path JOIN blob b ON b.pk = f.blob
      WHERE f.drive = :drive AND ${IN_RANGE} AND f.era >= :at AND ${ALIVE} ORDER BY f.path`,
  );
  const beforeById = sql.get<ComparedFile, [SnapshotScope & { id: FileId }]>(
    `SELECT f.file_id AS id, ${FACTS} FROM held_file f INDEXED BY held_file_id JOIN blob b ON b.pk = f.blob
      WHERE f.file_id = :id AND f.drive = :drive AND f.era < :at AND f.until >= :at AND ${ALIVE}`,
  );
  const afterById = sql.get<ComparedFile, [SnapshotScope & { id: FileId }]>(
    `SELECT f.id, ${FACTS} FROM file f JOIN blob b ON b.pk = f.blob
      WHERE f.id = :id AND f.drive = :drive AND ${ALIVE}`,
  );
  return {
    /** What may differ in the part of a range that one step looks at, both sides in path order. `rest` may be null. */
    step: (scope: SnapshotScope, range: PathRange) => {
      const { from, to, rest } = partOf(scope, range);
      const part = { ...scope, from, to };
      return { before: before(part), after: after(part), rest };
    },
    /** A file that has changed since the snapshot, as it was there; null if it was not. */
    beforeOf: (scope: SnapshotScope, id: FileId) => beforeById({ ...scope, id }),
    /** A file as it is; null if it is not in the drive. */
    afterOf: (scope: SnapshotScope, id: FileId) => afterById({ ...scope, id }),
  };
}
