import { nameKey } from "../../domain/files/name-key.ts";
import type { Database } from "../engine/database.ts";

/** The names of files and folders that an earlier version of this program made: they have no keys yet. */
export function nameKeys({ sql }: Database) {
  const fillIn = (table: "file" | "folder") => {
    const lacking = sql.all<{ pk: number; path: string }, [limit: number]>(
      `SELECT pk, path FROM ${table} INDEXED BY ${table}_without_key WHERE name_key = '' LIMIT ?`,
    );
    const set = sql.write<[key: string, pk: number]>(`UPDATE ${table} SET name_key = ? WHERE pk = ?`);
    return (limit: number) => {
      const some = lacking(limit);
      for (const { pk, path } of some) set(nameKey(path), pk);
      return some.length;
    };
  };
  const [fillFiles, fillFolders] = [fillIn("file"), fillIn("folder")];
  return {
    /** Makes up to `limit` keys. Returns how many. Inside a write. */
    fillSome: (limit: number) => fillFolders(limit) || fillFiles(limit),
  };
}
