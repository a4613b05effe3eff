import { type ChangeKind, KIND_OF } from "../../src/domain/changes/kind.ts";
import type { Change } from "./api/types.ts";

/** What somebody did to many files at once, one request after another. */
export interface Group {
  readonly kind: ChangeKind;
  /** The newest first. */
  readonly changes: readonly Change[];
  /** The deepest that holds them all; empty for the whole drive. */
  readonly folder: string;
}

/** So many are one entry. */
const LEAST = 4;
/** How long somebody may pause in between, in milliseconds. */
const PAUSE_MS = 10 * 60 * 1000;

/** The entries of a list of changes: those that belong together are one. @param changes the newest first */
export function grouped(changes: readonly Change[]): readonly (Change | Group)[] {
  const entries: (Change | Group)[] = [];
  let run: Change[] = [];
  const end = () => {
    const [first] = run;
    if (first === undefined || run.length < LEAST) entries.push(...run);
    else entries.push({ kind: KIND_OF[first.type], changes: run, folder: commonFolder(run) });
    run = [];
  };
  for (const change of changes) {
    const last = run.at(-1);
    if (last !== undefined && !belongTogether(last, change)) end();
    run.push(change);
  }
  end();
  return entries;
}

export function isGroup(entry: Change | Group): entry is Group {
  return "changes" in entry;
}

function commonFolder(changes: readonly Change[]): string {
  const paths = changes.map(({ path }) => path).toSorted();
  const [first = "", last = ""] = [paths[0], paths.at(-1)];
  let same = 0;
  while (same < first.length && first[same] === last[same]) same += 1;
  return first.slice(0, first.slice(0, same).lastIndexOf("/") + 1);
}

function belongTogether(newer: Change, older: Change): boolean {
  return (
    newer.type.startsWith("file.") &&
    older.type.startsWith("file.") &&
    KIND_OF[newer.type] === KIND_OF[older.type] &&
    newer.by?.id === older.by?.id &&
    newer.message === older.message &&
    Date.parse(newer.at) - Date.parse(older.at) <= PAUSE_MS
  );
}
