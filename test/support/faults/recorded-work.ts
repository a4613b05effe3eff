import { changeDatabase } from "./change-database.ts";

/**
 * Puts a removal of a folder on record that nothing does: it is under way until `forgetWork`, and other writes to the
 * folder wait. Returns its id.
 */
export function recordWork(dataDir: string, drive: string, folder: string): string {
  const id = Bun.randomUUIDv7();
  changeDatabase(
    dataDir,
    `INSERT INTO folder_work (id, kind, drive, path, top, created_at, files_done, files_total)
     SELECT '${id}', 'remove', pk, '${folder}', '${folder}', created_at, 3, 10 FROM drive WHERE id = '${drive}'`,
  );
  return id;
}

/** Removes what `recordWork` recorded. */
export function forgetWork(dataDir: string, id: string): void {
  changeDatabase(dataDir, `DELETE FROM folder_work WHERE id = '${id}'`);
}
