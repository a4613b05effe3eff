import { actorText, type Stamp } from "../domain/actor.ts";
import type { DrivePk, FileId, FilePk } from "../domain/id.ts";
import type { Database } from "./database.ts";

/** How many versions of one file one write removes. */
const REMOVED_AT_ONCE = 100;

/** The contents that files had before. */
export class FileVersionsTable {
  readonly #keep;
  readonly #trim;
  readonly #removeSome;

  constructor({ sql }: Database) {
    this.#keep = sql.prepare<never, [{ pk: FilePk; now: number; by: string | null }]>(
      `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, expires_at,
                                 replaced_at, replaced_by)
       SELECT drive, id, version, filename, mime_type, mime_given, size, blob, expires_at, :now, :by
         FROM file WHERE pk = :pk`,
    );
    this.#trim = sql.prepare<never, [{ file: FileId; limit: number; most: number }]>(
      `DELETE FROM file_version WHERE pk IN
         (SELECT pk FROM file_version WHERE file_id = :file ORDER BY version DESC LIMIT +:most OFFSET :limit)`,
    );
    this.#removeSome = sql.prepare<never, [DrivePk, number]>(
      "DELETE FROM file_version WHERE pk IN (SELECT pk FROM file_version WHERE drive = ? LIMIT ?)",
    );
  }

  /** Keeps the content that a file has now, which is about to be replaced. Inside a write. */
  keep(pk: FilePk, { now, by }: Stamp): void {
    this.#keep.run({ pk, now, by: actorText(by) });
  }

  /** Removes the oldest versions of a file above a limit. Returns how many. Inside a write. */
  trim(file: FileId, limit: number): number {
    return this.#trim.run({ file, limit, most: REMOVED_AT_ONCE }).changes;
  }

  /** Removes up to `limit` versions of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#removeSome.run(drive, limit).changes;
  }
}
