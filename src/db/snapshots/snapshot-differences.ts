import type { File, FileFacts } from "../../domain/files/file.ts";
import type { Folder } from "../../domain/folders/folder.ts";
import { fileIsAlive } from "../expressions.ts";
import type { Database } from "../engine/database.ts";
import type { PastBody, PathRange } from "../files/files.ts";
import {
  ALL_FILES,
  ALL_FOLDERS,
  type SnapshotScope,
  snapshotWalk,
  stepOf,
  stepParts,
} from "./snapshot-lists.ts";
import type { FileId } from "../../domain/id.ts";

export interface PresentFile extends Pick<File, "pk" | "id" | "drivePk" | "folderPk" | "path" | "size"> {
  /** How many. */
  readonly tags: number;
  /** Whether it is not as in the snapshot, and has not changed since the newest one. */
  readonly isTouched: 0 | 1;
  /** Whether the snapshot has the file with another content. */
  readonly isReplaced: 0 | 1;
}

export type LostFile = PastFile & Pick<File, "id">;

type PastFile = PastBody & Pick<File, "path"> & { readonly tagCount: number };

type Some = SnapshotScope & PathRange & { readonly limit: number };

const PAST = `f.path, f.filename, f.mime_type AS mimeType, f.mime_given AS mimeGiven, f.size, f.blob, f.tags,
  f.metadata, f.expires_at AS expiresAt, f.created_at AS createdAt, f.updated_at AS updatedAt, f.version,
  iif(f.tags = '[]', 0, json_array_length(f.tags)) AS tagCount`;
/** Whether a file is what a held one was; its number of the content is another, if that was replaced. */
const isSame = (h: string, f: string) => `${h}.blob = ${f}.blob AND ${h}.filename = ${f}.filename
  AND ${h}.mime_type = ${f}.mime_type AND ${h}.mime_given = ${f}.mime_given AND ${h}.tags = ${f}.tags
  AND ${h}.metadata = ${f}.metadata AND ${h}.expires_at IS ${f}.expires_at AND ${h}.created_at = ${f}.created_at
  AND ${h}.updated_at = ${f}.updated_at`;
const IN_RANGE = "f.path >= :from AND f.path < :to";

/** Compares what a drive holds with what it held when a snapshot was taken. */
export function pastFiles({ sql }: Database) {
  const present = sql.all<PresentFile, [Some]>(
    `SELECT f.pk, f.id, f.drive AS drivePk, f.folder AS folderPk, f.path, f.size,
            iif(f.tags = '[]', 0, json_array_length(f.tags)) AS tags,
            f.era >= :at AND f.era < (SELECT era FROM drive WHERE pk = :drive) AND NOT EXISTS (
              SELECT 1 FROM held_file h INDEXED BY held_file_path
               WHERE h.drive = f.drive AND h.path = f.path AND h.era < :at AND h.until >= :at
                 AND h.file_id = f.id AND ${isSame("h", "f")}) AS isTouched,
            f.era >= :at AND EXISTS (
              SELECT 1 FROM held_file h INDEXED BY held_file_id
               WHERE h.file_id = f.id AND h.drive = f.drive AND h.era < :at AND h.until >= :at
                 AND h.blob <> f.blob) AS isReplaced
       FROM ${ALL_FILES.live} AND ${IN_RANGE} ORDER BY f.path LIMIT :limit`,
  );
  const presentFolders = sql.all<Pick<Folder, "pk" | "path"> & { isKept: 0 | 1 }, [Some]>(
    `SELECT f.pk, f.path, f.era < :at OR EXISTS (
              SELECT 1 FROM held_folder h
               WHERE h.drive = f.drive AND h.path = f.path AND h.era < :at AND h.until >= :at) AS isKept
       FROM ${ALL_FOLDERS.live} AND ${IN_RANGE} ORDER BY f.path DESC LIMIT :limit`,
  );
  const heldPart = stepParts(sql, [ALL_FILES.held]);
  const lost = sql.all<LostFile, [Some]>(
    `SELECT f.file_id AS id, ${PAST}
       FROM ${ALL_FILES.held} AND ${IN_RANGE} AND f.era < :at AND f.until >= :at AND ${fileIsAlive(":now")}
        AND NOT EXISTS (
          SELECT 1 FROM file p
           WHERE p.drive = f.drive AND p.path = f.path AND NOT (
             p.era >= :at AND p.era < (SELECT era FROM drive WHERE pk = :drive) AND NOT (f.file_id = p.id AND ${isSame("f", "p")})))
        AND NOT EXISTS (SELECT 1 FROM folder p WHERE p.drive = f.drive AND p.path = f.path || '/')
      ORDER BY f.path LIMIT :limit`,
  );
  const all = snapshotWalk<PastFile>(sql, {
    ...ALL_FILES,
    liveColumns: PAST,
    heldColumns: PAST,
    wanted: fileIsAlive(":now"),
  });
  return {
    present: (scope: SnapshotScope, range: PathRange, limit: number) =>
      present({ ...scope, ...range, limit }),
    /** Up to `limit` folders from the end of a range: children before their parents. */
    presentFolders: (scope: SnapshotScope, range: PathRange, limit: number) =>
      presentFolders({ ...scope, ...range, limit }),
    /** What the snapshot has and the drive has not, or otherwise, unless its path is a folder; see `snapshotWalk`. */
    lost: (scope: SnapshotScope, range: PathRange, limit: number) => {
      const part = heldPart(scope, range);
      const { from, to } = part;
      return stepOf(lost({ ...scope, from, to, limit }), limit, part);
    },
    /** Up to `limit` files of the snapshot from the start of a range; see `snapshotWalk`. */
    all: (scope: SnapshotScope, range: PathRange, limit: number) => all.step(scope, range, limit),
  };
}

export interface ComparedFile extends Pick<FileFacts, "id" | "path" | "digest" | "size" | "updatedAt"> {
  /** The rest of the record: equal texts are equal records. */
  readonly record: string;
}

type Range = SnapshotScope & PathRange;

const FACTS = `f.path, b.digest, f.size, f.updated_at AS updatedAt,
  json_array(f.filename, f.mime_type, f.tags, f.metadata, f.expires_at, f.created_at) AS record`;
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
