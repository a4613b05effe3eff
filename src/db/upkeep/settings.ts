import type { Database } from "../engine/database.ts";

/** What administrators have changed of the settings, by name: each as the text that its flag takes. */
export function settings({ sql }: Database) {
  const all = sql.all<{ name: string; text: string }, []>("SELECT name, text FROM setting ORDER BY name");
  return {
    all: (): ReadonlyMap<string, string> => new Map(all().map(({ name, text }) => [name, text])),
    put: sql.write<[name: string, text: string]>(
      "INSERT INTO setting (name, text) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
    ),
    remove: sql.write<[name: string]>("DELETE FROM setting WHERE name = ?"),
  };
}
