import type { Database as Sqlite } from "bun:sqlite";
import { quoted } from "../../domain/upkeep/finding.ts";

interface Row {
  readonly kind: string;
  readonly undone: 0 | 1;
  readonly drive: string;
  readonly path: string;
  readonly toDrive: string | null;
  readonly toPath: string | null;
  readonly done: number;
  readonly total: number | null;
}

const WORKS = `
  SELECT w.kind, w.undone, d.id AS drive, w.path, t.id AS toDrive, w.to_path AS toPath, w.files_done AS done,
         w.files_total AS total
    FROM folder_work w JOIN drive d ON d.pk = w.drive LEFT JOIN drive t ON t.pk = w.to_drive ORDER BY w.pk`;

const NAMES: Readonly<Record<string, string>> = {
  copy: "a copy",
  move: "a move",
  remove: "a deletion",
  restore: "a restore from the trash",
  rewind: "a restore of a snapshot",
  fork: "a fork",
};

/** Says of each change of a folder that has not ended how far it is. That is nothing wrong: the server ends it. */
export function unendedWorks(sql: Sqlite): string[] {
  return sql.query<Row, []>(WORKS).all().map(sentenceOf);
}

function sentenceOf({ kind, undone, drive, path, toDrive, toPath, done, total }: Row): string {
  const from = `${quoted(path)} in drive ${drive}`;
  const to = toDrive === null || toPath === null ? "" : ` to ${quoted(toPath)} in drive ${toDrive}`;
  const far = `${done}${total === null ? "" : ` of ${total}`} files are done`;
  const what = `${NAMES[kind] ?? kind} of ${from}${to}`;
  if (undone === 1)
    return `${what} is being given up: ${far}; a running server, or its next start, goes on with that`;
  const rest = kind === "remove" || kind === "rewind" ? "goes on with it" : "takes it back";
  return `${what} is under way: ${far}; a running server goes on with it, the next start ${rest}`;
}
