import type { ChangeType } from "./change-types.ts";

/** What is read of a change to mark where it was. */
export interface MarkedChange {
  readonly type: ChangeType;
  readonly path: string;
  readonly previousPath: string | null;
}

/**
 * Which files and folders are new, or have changed, after some more changes of a drive: by the path that each has now,
 * whether it is new. What somebody did themselves is no news to them.
 *
 * @param changes the oldest first
 */
export function marksAfter<C extends MarkedChange>(
  before: ReadonlyMap<string, boolean>,
  changes: readonly C[],
  isOwn: (change: C) => boolean,
): ReadonlyMap<string, boolean> {
  const marks = new Map(before);
  for (const change of changes) {
    const { type, path, previousPath } = change;
    if (!/^(?:file|folder)\./.test(type)) continue;
    if (type.endsWith(".deleted")) take(marks, path);
    else if (type.endsWith(".moved") && previousPath !== null) {
      for (const [at, isNew] of take(marks, previousPath))
        marks.set(path + at.slice(previousPath.length), isNew);
      if (!isOwn(change) && !marks.has(path)) marks.set(path, false);
    } else if (isOwn(change)) marks.delete(path);
    else marks.set(path, !type.endsWith(".updated") || marks.get(path) === true);
  }
  return marks;
}

/** Takes out the marks of a file, or of a folder and all that is in it. */
function take(marks: Map<string, boolean>, path: string): (readonly [path: string, isNew: boolean])[] {
  const own = marks.get(path);
  const ofFile = own === undefined ? [] : [[path, own] as const];
  // A folder may stand for many, a file does not.
  const taken = path.endsWith("/") ? [...marks].filter(([at]) => at.startsWith(path)) : ofFile;
  for (const [at] of taken) marks.delete(at);
  return taken;
}
