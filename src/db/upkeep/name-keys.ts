import { nameKey } from "../../domain/files/name-key.ts";
import type { Connection } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";

const NAMED = ["folder", "file"] as const;
type Named = (typeof NAMED)[number];

function lackingIn(table: Named): string {
  return `FROM ${table} INDEXED BY ${table}_without_key WHERE name_key = ''`;
}

/** The names of files and folders that an earlier version of this program stored: they have no keys yet. */
export function nameKeys({ sql }: Database) {
  const fillIn = (table: Named) => {
    const lacking = sql.all<{ pk: number; path: string }, [limit: number]>(
      `SELECT pk, path ${lackingIn(table)} LIMIT ?`,
    );
    const set = sql.write<[key: string, pk: number]>(`UPDATE ${table} SET name_key = ? WHERE pk = ?`);
    return (limit: number) => {
      const some = lacking(limit);
      for (const { pk, path } of some) set(nameKey(path), pk);
      return some.length;
    };
  };
  const [fillFolders, fillFiles] = [fillIn("folder"), fillIn("file")];
  return {
    /** Makes up to `limit` keys. Returns how many. Inside a write. */
    fillSome: (limit: number) => fillFolders(limit) || fillFiles(limit),
  };
}

/** Whether all names have keys. Until then a list by names would not have all of them. Asked only until it is so. */
export function hasNameKeys(sql: Connection): () => boolean {
  const isLacking = sql.has<[]>(
    `${NAMED.map((table) => `SELECT 1 ${lackingIn(table)}`).join(" UNION ALL ")} LIMIT 1`,
  );
  let isSo = false;
  return () => (isSo ||= !isLacking());
}
