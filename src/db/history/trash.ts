import { type Actor, actorText, namedActor } from "../../domain/changes/change.ts";
import type { BlobPk, DrivePk, FileId, FilePk, TrashedFilePk, TrashId, TrashPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { TrashedPlace, TrashEntry, TrashPosition } from "../../domain/history/history.ts";
import type { Database } from "../engine/database.ts";
import type { File } from "../../domain/files/file.ts";
import { firstAfter } from "../files/files.ts";
import type { MovedFile, SeenPaths } from "../folders/folders.ts";
import { actorColumns, type ActorRow, driveIsAlive, type Flagged } from "../expressions.ts";

/** Among how many of the entries that were made last one is looked for by its path. */
const LATELY = 100;

/** A new entry. `kept` at once, or `filling` while a folder is moved into it in pieces. */
type NewTrashEntry = Pick<TrashEntry, "id" | "kind" | "path" | "deletedAt"> & {
  readonly drive: DrivePk;
  readonly state: "filling" | "kept";
  readonly deletedBy: Actor | null;
};

/** Whether a work uses it, it can be restored, or it is to be emptied. */
type TrashState = "filling" | "kept" | "gone";

type NewRow = Omit<NewTrashEntry, "deletedBy"> & { readonly deletedBy: string | null };

/** Deleted files and folders that can come back. Triggers count the files and bytes of each entry. */
export function trash({ sql }: Database) {
  const insert = sql.writeOne<TrashPk, [NewRow]>(
    `INSERT INTO trash (id, drive, kind, path, state, deleted_at, deleted_by)
     VALUES (:id, :drive, :kind, :path, :state, :deletedAt, :deletedBy) RETURNING pk`,
  );
  const some = sql.all<
    TrashPosition & { readonly pk: TrashPk },
    [drive: DrivePk, deletedAt: number, id: string, limit: number]
  >(
    `SELECT pk, id, deleted_at AS deletedAt FROM trash INDEXED BY trash_drive
      WHERE drive = ? AND state = 'kept' AND (deleted_at, id) > (?, ?) ORDER BY deleted_at, id LIMIT ?`,
  );
  const removeFiles = sql.removeSome<[entry: TrashPk]>("trash_file", "entry = ?");
  const removeFolders = sql.write<[entry: TrashPk, limit: number]>(
    `DELETE FROM trash_folder WHERE entry = ?1
        AND path IN (SELECT path FROM trash_folder WHERE entry = ?1 LIMIT ?2)`,
  );
  return {
    insert: (entry: NewTrashEntry) => insert({ ...entry, deletedBy: actorText(entry.deletedBy) }),
    /** What callers know an entry by, and how many files it has, expired ones included; null if it is gone. */
    facts: sql.get<{ readonly id: TrashId; readonly fileCount: number }, [entry: TrashPk]>(
      "SELECT id, file_count AS fileCount FROM trash WHERE pk = ?",
    ),
    /** Copies a file into an entry. `path` is what the entry is made of: the file's own, or a folder that it is in. */
    takeFile: sql.write<[entry: TrashPk, file: FilePk, path: FilePath | FolderPath]>(
      `INSERT INTO trash_file (entry, drive, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                               expires_at, created_at, updated_at, version)
       SELECT t.pk, t.drive, substr(f.path, length(?3) + 1), f.id, f.filename, f.mime_type, f.mime_given, f.size,
              f.blob, f.tags, f.metadata, f.expires_at, f.created_at, f.updated_at, f.version
         FROM trash t, file f WHERE t.pk = ?1 AND f.pk = ?2`,
    ),
    setState: sql.write<[entry: TrashPk, state: TrashState]>("UPDATE trash SET state = ?2 WHERE pk = ?1"),
    /** Up to `limit` entries of a drive that are kept and were deleted after a position; earliest first. */
    some: (drive: DrivePk, { deletedAt, id }: TrashPosition, limit: number) =>
      some(drive, deletedAt, id, limit),
    /** The entry of a file that was deleted at a path after a time, if it is among the latest. */
    newestAt: sql.value<TrashId, [drive: DrivePk, since: number, path: FilePath]>(
      `SELECT id FROM (
         SELECT id, path FROM trash INDEXED BY trash_drive WHERE drive = ? AND deleted_at > ? AND state = 'kept'
          ORDER BY deleted_at DESC LIMIT ${LATELY}) page
        WHERE path = ? LIMIT 1`,
    ),
    tooOld: sql.values<TrashPk, [deletedAt: number, limit: number]>(
      "SELECT pk FROM trash INDEXED BY trash_age WHERE deleted_at <= ? AND state = 'kept' LIMIT ?",
    ),
    gone: sql.values<TrashPk, [limit: number]>("SELECT pk FROM trash WHERE state = 'gone' LIMIT ?"),
    /** Removes the entry of a file that is not in it any more. */
    removeIfEmptyFile: sql.write<[entry: TrashPk]>(
      "DELETE FROM trash WHERE pk = ? AND kind = 'file' AND file_count = 0",
    ),
    /** Ends an entry whose last file was taken out, if its folders are all there again: nothing is left. */
    endIfEmpty: sql.write<[entry: TrashPk]>(
      `UPDATE trash SET state = 'gone'
        WHERE pk = ? AND state = 'kept' AND file_count = 0 AND NOT EXISTS (
          SELECT 1 FROM trash_folder t
           WHERE t.entry = trash.pk AND NOT EXISTS (
             SELECT 1 FROM folder f WHERE f.drive = trash.drive AND f.path = trash.path || t.path))`,
    ),
    ofDrive: sql.values<TrashPk, [drive: DrivePk, limit: number]>(
      "SELECT pk FROM trash WHERE drive = ? LIMIT ?",
    ),
    /** Removes up to `limit` of the files and folders in an entry. Returns how many. Inside a write. */
    removeSomeOf: (entry: TrashPk, limit: number) => {
      const files = removeFiles(entry, limit);
      return files < limit ? files + removeFolders(entry, limit - files) : files;
    },
    remove: sql.write<[entry: TrashPk]>("DELETE FROM trash WHERE pk = ?"),
  };
}

export interface TrashedFile extends MovedFile {
  readonly pk: TrashedFilePk;
  readonly id: FileId;
  /** Relative to its entry; empty for the file of a file's entry. */
  readonly path: string;
}

type TrashedFolder = {
  /** Relative to its entry; empty for the entry's own. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
};

export type SingleTrashedFile = Pick<TrashedFile, "pk" | "id" | "size"> &
  Pick<File, "filename" | "mimeType" | "mimeGiven">;

export function trashContents({ sql }: Database) {
  const folders = sql.all<TrashedFolder, [entry: TrashPk, from: string, limit: number]>(
    `SELECT path, created_at AS createdAt FROM trash_folder
      WHERE entry = ? AND path >= ? ORDER BY path LIMIT ?`,
  );
  const paths = sql.one<SeenPaths, [entry: TrashPk, from: string, now: number, limit: number]>(
    `SELECT ifnull(max(iif(expires_at <= ?3, 0, octet_length(path))), 0) AS longest, max(path) AS last,
            count(*) AS count
       FROM (SELECT path, expires_at FROM trash_file WHERE entry = ?1 AND path >= ?2
             UNION ALL SELECT path, NULL FROM trash_folder WHERE entry = ?1 AND path >= ?2
             ORDER BY 1 LIMIT ?4) page`,
  );
  const addFolder = sql.write<[TrashedFolder & { entry: TrashPk }]>(
    `INSERT INTO trash_folder (entry, path, created_at) VALUES (:entry, :path, :createdAt)
     ON CONFLICT (entry, path) DO NOTHING`,
  );
  return {
    files: sql.all<
      Flagged<TrashedFile, "hasExpired">,
      [entry: TrashPk, now: number, limit: number],
      TrashedFile
    >(
      `SELECT pk, file_id AS id, path, size, iif(tags = '[]', 0, json_array_length(tags)) AS tags,
              octet_length(metadata) AS metadata, ifnull(expires_at <= ?2, 0) AS hasExpired
         FROM trash_file INDEXED BY trash_file_path WHERE entry = ?1 ORDER BY path LIMIT ?3`,
      (row) => ({ ...row, hasExpired: row.hasExpired === 1 }),
    ),
    /** Up to `limit` folders of an entry after a path, in path order: parents before their children. */
    folders: (entry: TrashPk, after: string | null, limit: number) => folders(entry, start(after), limit),
    /** Measures the paths of up to `limit` files and folders after a path. Expired files do not count for `longest`. */
    paths: (entry: TrashPk, after: string | null, now: number, limit: number) =>
      paths(entry, start(after), now, limit),
    /** The file of a file's entry; null if it has expired and is gone. */
    fileOf: sql.get<Flagged<SingleTrashedFile, "mimeGiven">, [entry: TrashPk], SingleTrashedFile>(
      `SELECT pk, file_id AS id, size, filename, mime_type AS mimeType, mime_given AS mimeGiven
         FROM trash_file WHERE entry = ? AND path = ''`,
      (row) => ({ ...row, mimeGiven: row.mimeGiven === 1 }),
    ),
    placeOf: sql.get<{ pk: TrashedFilePk; entry: TrashPk; drive: DrivePk; blob: BlobPk }, [id: FileId]>(
      "SELECT pk, entry, drive, blob FROM trash_file WHERE file_id = ?",
    ),
    remove: sql.write<[pk: TrashedFilePk]>("DELETE FROM trash_file WHERE pk = ?"),
    expired: sql.all<{ pk: TrashedFilePk; entry: TrashPk }, [now: number, limit: number]>(
      "SELECT pk, entry FROM trash_file WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
    ),
    /** Adds a folder, unless the entry has it already. Inside a write. */
    addFolder: (entry: TrashPk, folder: TrashedFolder) => addFolder({ ...folder, entry }),
    removeFolders: sql.write<[entry: TrashPk, limit: number]>(
      `DELETE FROM trash_folder WHERE entry = ?1
          AND path IN (SELECT path FROM trash_folder WHERE entry = ?1 ORDER BY path LIMIT ?2)`,
    ),
  };
}

function start(after: string | null): string {
  return after === null ? "" : firstAfter(after);
}

/** Which entries of the trash a list shows. Times are milliseconds since the epoch. */
interface TrashSelection {
  readonly drives: readonly DrivePk[];
  readonly since: number;
  readonly now: number;
}

type Row = Omit<TrashEntry, "kind" | "path" | "deletedBy"> & TrashedPlace & ActorRow;

const EXPIRING = "FROM trash_file x INDEXED BY trash_file_entry_expiry WHERE x.entry = t.pk";

function columns(now: ":now" | "?3"): string {
  const expired = `${EXPIRING} AND x.expires_at <= ${now}`;
  return `t.pk, t.id, t.drive AS drivePk, d.id AS driveId, t.kind, t.path, t.deleted_at AS deletedAt,
    t.size - (SELECT ifnull(sum(x.size), 0) ${expired}) AS size, t.file_count - (SELECT count(*) ${expired}) AS fileCount,
    iif(t.kind = 'file', (SELECT max(x.expires_at) ${EXPIRING} AND x.expires_at > ${now}), NULL) AS fileExpiresAt,
    ${actorColumns("t.deleted_by")}`;
}

function entriesOf(drive: string): string {
  return `SELECT e.pk FROM trash e INDEXED BY trash_drive
           WHERE e.drive = ${drive} AND e.state = 'kept' AND e.deleted_at > :since AND (e.deleted_at, e.id) < (:at, :id)
           ORDER BY e.deleted_at DESC, e.id DESC`;
}

/** The trash as readers see it: what is to be emptied, and what was deleted too long ago, is not in it. */
export function trashLists({ sql }: Database) {
  const page = sql.all<
    Row,
    [{ drives: string; since: number; now: number; at: number; id: string; limit: number }],
    TrashEntry
  >(
    // First the drives that come into question, by their newest entries, then a page of each: what else the drives
    // hold costs nothing.
    `SELECT ${columns(":now")}
       FROM (SELECT h.drive FROM json_each(:drives) CROSS JOIN trash h
              ON h.pk = (${entriesOf("json_each.value")} LIMIT 1)
              ORDER BY h.deleted_at DESC, h.id DESC LIMIT :limit) page
       CROSS JOIN trash t ON t.pk IN (${entriesOf("page.drive")} LIMIT :limit)
       JOIN drive d ON d.pk = t.drive
      ORDER BY t.deleted_at DESC, t.id DESC LIMIT :limit`,
    fromRow,
  );
  return {
    byId: sql.get<Row, [id: TrashId, since: number, now: number], TrashEntry>(
      `SELECT ${columns("?3")} FROM trash t JOIN drive d ON d.pk = t.drive
        WHERE t.id = ?1 AND t.state <> 'gone' AND t.deleted_at > ?2 AND ${driveIsAlive("?3")}`,
      fromRow,
    ),
    /** Newest first, without those that a work fills. Of an expired file the entry is still there, without it. */
    page: ({ drives, since, now }: TrashSelection, after: TrashPosition | null, limit: number) => {
      const { deletedAt: at, id } = after ?? { deletedAt: Number.MAX_SAFE_INTEGER, id: "" };
      return page({ drives: JSON.stringify(drives), since, now, at, id, limit });
    },
  };
}

function fromRow({ actor, actorName, ...entry }: Row): TrashEntry {
  return { ...entry, deletedBy: namedActor(actor, actorName) };
}
