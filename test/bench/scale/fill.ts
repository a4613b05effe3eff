import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import { systemClock } from "../../../src/process/clock.ts";
import type { Agent } from "../../support/server/executable.ts";
import { numbersTo } from "../../support/samples/many-files.ts";

/** The folder of most files. */
export const MANY = "many/";
/** The tag of every tenth file. */
export const TAG = "tenth";
/** How many files are added in one transaction: the log stays short. */
const STEP = 10_000;

/** A word of the name of only the n-th file, from 0 on. */
export function ownWord(n: number): string {
  return `own${String(n).padStart(9, "0")}`;
}

/** Uploads the ten files that all others are copies of: each has another size, the first is a text with the tag. */
export async function uploadSources({ client, drive }: Agent): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const content = `What many files have in them. ${"x ".repeat(40 * n)}`;
    const [ending, query] = n === 0 ? ["txt", `&tags=${TAG}`] : ["bin", ""];
    ids.push((await client.put(drive, `source/${n}.${ending}`, content, 201, query)).id);
  }
  return ids;
}

interface Filling {
  /** Ids of files. */
  readonly sources: readonly string[];
  readonly folder: string;
  /** The number of the first file, from which its id and its name are made. */
  readonly first: number;
  readonly count: number;
  /** Whether the search index gets them. */
  readonly isIndexed: boolean;
}

/** Adds files to a folder, which may be new, by SQL. No server may run. */
export async function fill(dataDir: string, { first, count, ...filling }: Filling): Promise<void> {
  const database = Database.open(join(dataDir, "coffer.db"), systemClock);
  for (let done = 0; done < count; done += STEP) {
    const step = { ...filling, first: first + done, count: Math.min(STEP, count - done) };
    await database.write(() => addFiles(database, step));
  }
  await database.close();
}

function addFiles({ sql }: Database, { sources, folder, first, count, isIndexed }: Filling): void {
  const ids = JSON.stringify(sources);
  sql
    .query<null, [ids: string, folder: string]>(
      `INSERT INTO folder (drive, parent, path, created_at)
       SELECT r.drive, r.pk, ?2, r.created_at FROM file f JOIN folder r ON r.drive = f.drive AND r.path = ''
        WHERE f.id = ?1 ->> 0 AND NOT EXISTS (SELECT 1 FROM folder WHERE drive = f.drive AND path = ?2)`,
    )
    .run(ids, folder);
  sql
    .query<null, [{ ids: string; folder: string; first: number; count: number }]>(
      `${numbersTo(":count")}
       INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                         expires_at, created_at, updated_at, is_text, created_text, updated_text)
       SELECT substr(f.id, 1, 24) || printf('%012x', :first + n.i), f.drive, o.pk,
              printf('%sown%09d.txt', o.path, :first + n.i - 1), f.filename, f.mime_type, f.mime_given, f.size, f.blob,
              f.tags, f.metadata, f.expires_at, f.created_at, f.updated_at, f.is_text, f.created_text, f.updated_text
         FROM n CROSS JOIN file f ON f.id = :ids ->> (n.i % json_array_length(:ids))
         JOIN folder o ON o.drive = f.drive AND o.path = :folder`,
    )
    .run({ ids, folder, first, count });
  const added =
    "FROM (SELECT count(*) AS files, sum(size) AS bytes FROM file WHERE pk > (SELECT max(pk) FROM file) - ?1)";
  sql
    .query<null, [count: number, folder: string]>(
      `UPDATE folder SET file_count = file_count + files, total_size = total_size + bytes,
              own_file_count = own_file_count + iif(path = '', 0, files) ${added}
        WHERE path IN ('', ?2)`,
    )
    .run(count, folder);
  if (!isIndexed) sql.run("DELETE FROM search_job");
}
