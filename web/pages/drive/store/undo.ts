import { batch } from "@preact/signals-core";
import { describeEntries, type Entry, nameOf, parentOf } from "../../../lib/files.ts";
import { asError, type DrivePaths, inRequests, transferPaths, undoBatch } from "../../../lib/files/many.ts";
import { type Done, type Left, Steps, type Work } from "../../../lib/files/steps.ts";
import type { DriveStore } from "./drive.ts";
import { sentenceSpace } from "../../../lib/words/format.ts";
import { t } from "../../../lib/words/text.ts";

type Undo = NonNullable<Done["undo"]>;

/** Takes back a batch that deleted entries or moved them within the drive. @param places where they stand since */
export function ofBatch(
  store: DriveStore,
  id: string,
  entries: readonly Entry[],
  places: readonly string[] = [],
): Undo {
  return async () => {
    const left = await undoBatch(store.drive, id);
    if (left.length === 0) wentBack(store, entries, places);
    return left;
  };
}

/** Moves entries back that went to another drive: there they are others, so no batch has both ends. */
export function ofMoveAway(store: DriveStore, entries: readonly Entry[], { drive, paths }: DrivePaths): Undo {
  return async () => {
    const left: Left[] = [];
    const all = entries.map((entry, at) => ({ folder: parentOf(entry.path), path: paths[at] ?? entry.path }));
    for (const [folder, some] of Map.groupBy(all, (one) => one.folder)) {
      for (const part of inRequests(some)) {
        const from = { drive, paths: part.map(({ path }) => path) };
        const { results } = await transferPaths("move", from, { drive: store.drive, path: folder }, "fail");
        left.push(...results.flatMap(({ path, error }) => (error ? { path, error: asError(error) } : [])));
      }
    }
    if (left.length === 0) wentBack(store, entries, []);
    return left;
  };
}

/** Takes the renaming of an entry back. @param path where it stands since, without a slash */
export function renaming(store: DriveStore, entry: Entry, path: string): Done {
  const undo = async () => {
    const there = { ...entry, path: entry.kind === "folder" ? `${path}/` : path };
    await store.rename(there, nameOf(entry.path), { untilAnswered: true });
    return [];
  };
  return { paths: [entry.path], undo };
}

function wentBack(store: DriveStore, entries: readonly Entry[], places: readonly string[]): void {
  batch(() => {
    for (const place of places) if (place.endsWith("/")) store.folderRemoved(place);
    for (const { path } of entries) store.tree.addFolder(path.endsWith("/") ? path : parentOf(path));
  });
}

/**
 * Takes back what was done, the last first, and says so. What stands in a place that was left stays there.
 *
 * @throws ApiError the first refusal, if nothing was taken back
 */
export async function takeBack(store: DriveStore, done: readonly Done[], work: Work): Promise<string> {
  const paths = done.flatMap((each) => (each.undo === null ? [] : each.paths));
  const steps = new Steps(work, paths.length);
  for (const each of done.toReversed()) {
    const { undo } = each;
    if (undo !== null) await steps.take(each.paths, async () => steps.left.push(...(await undo())));
  }
  // What was put back may stand beside its place, and counts have changed.
  store.reload();
  const [refused] = steps.left;
  if (refused !== undefined && steps.left.length >= paths.length) throw refused.error;
  if (refused !== undefined)
    return `${t("Some of it could not be put back.")}${sentenceSpace()}${refused.error.message}`;
  return t("Put back {what}.", { what: describeEntries(paths.map((path) => ({ path }))) });
}
