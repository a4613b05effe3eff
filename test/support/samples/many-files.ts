import { join } from "node:path";
import { systemClock } from "../../../src/process/clock.ts";
import { Database } from "../../../src/db/engine/database.ts";

/**
 * Adds `count` files to a drive, `many/0000001.txt` and so on, all with the content and attributes of one of its files.
 * Much faster than uploads. Works while the server runs.
 */
export async function addManyFiles(dataDir: string, fileId: string, count: number): Promise<void> {
  const database = Database.open(join(dataDir, "coffer.db"), systemClock);
  await database.write(() => copyRows(database, fileId, count));
  await database.close();
}

/** Creates `count` folders `1/`, `2/` and so on in every folder `folders/`. Works while the server runs. */
export async function addManyFolders(dataDir: string, count: number): Promise<void> {
  const database = Database.open(join(dataDir, "coffer.db"), systemClock);
  await database.write(() => addFolders(database, count));
  await database.close();
}

/** The start of a statement that reads the numbers from 1 on as `n (i)`. */
export function numbersTo(last: number | string): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
}

/** Inside a write. */
export function copyRows({ sql }: Database, fileId: string, count: number): void {
  sql
    .query<null, [string]>(
      `INSERT INTO folder (drive, parent, path, created_at, name_key)
       SELECT r.drive, r.pk, 'many/', r.created_at, concat('many', char(1), 'many')
         FROM file f JOIN folder r ON r.drive = f.drive AND r.path = '' WHERE f.id = ?`,
    )
    .run(fileId);
  sql
    .query<null, [{ id: string; count: number }]>(
      `${numbersTo(":count")}
       INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                         expires_at, created_at, updated_at, is_text, created_text, updated_text, name_key)
       SELECT substr(f.id, 1, 24) || printf('%04x%08x', o.pk, n.i), f.drive, o.pk, printf('many/%07d.txt', n.i),
              printf('%07d.txt', n.i), f.mime_type, f.mime_given, f.size, f.blob, f.tags, f.metadata, f.expires_at,
              f.created_at, f.updated_at, f.is_text, f.created_text, f.updated_text,
              printf('0%02x%d.txt%s%07d.txt', length(n.i), n.i, char(1), n.i)
         FROM file f JOIN folder o ON o.drive = f.drive AND o.path = 'many/' CROSS JOIN n WHERE f.id = :id`,
    )
    .run({ id: fileId, count });
  sql
    .query<null, [{ id: string; count: number }]>(
      `UPDATE folder SET file_count = file_count + :count, total_size = total_size + :count * f.size,
              own_file_count = own_file_count + iif(folder.path = 'many/', :count, 0)
         FROM file f WHERE f.id = :id AND folder.drive = f.drive AND folder.path IN ('', 'many/')`,
    )
    .run({ id: fileId, count });
}

/** Creates `count` folders `1/`, `2/` and so on in every folder `folders/`. Inside a write. */
export function addFolders({ sql }: Database, count: number): void {
  sql
    .query<null, [number]>(
      `${numbersTo("?")}
       INSERT INTO folder (drive, parent, path, created_at, name_key)
       SELECT o.drive, o.pk, o.path || n.i || '/', o.created_at,
              printf('0%02x%d%s%d', length(n.i), n.i, char(1), n.i) FROM folder o CROSS JOIN n WHERE o.path = 'folders/'`,
    )
    .run(count);
}
