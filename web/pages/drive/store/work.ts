import { batch } from "@preact/signals-core";
import { ApiError } from "../../../lib/api/api.ts";
import type { Entry } from "../../../lib/files.ts";
import {
  asError,
  deletePaths,
  inRequests,
  transferPaths,
  type Transferred,
} from "../../../lib/files/many.ts";
import { type Left, Steps, type Work } from "../../../lib/files/steps.ts";
import { type Ask, type Decision, decide } from "../../../lib/files/taken.ts";
import type { DriveStore } from "./drive.ts";
import { ofBatch, ofMoveAway } from "./undo.ts";
import { t } from "../../../lib/words/text.ts";

/** Deletes files and whole folders of a drive; what could not be deleted comes back. */
export function deleteEntries(store: DriveStore, entries: readonly Entry[], work: Work): Promise<Left[]> {
  return perform(store, new Steps(work, entries.length), async (steps) => {
    for (const some of inRequests(entries)) {
      await steps.take(pathsOf(some), (signal) => deleteSome(store, some, steps, signal));
    }
  });
}

/** Deletes at most as many as one request takes. */
async function deleteSome(
  store: DriveStore,
  some: readonly Entry[],
  steps: Steps,
  signal: AbortSignal,
): Promise<void> {
  const gone = await deletePaths({ drive: store.drive, paths: pathsOf(some) }, signal);
  const refused = new Set(gone.failed);
  const deleted = some.filter(({ path }) => !refused.has(path));
  store.entriesRemoved(deleted, gone.batch_id);
  const isKept = gone.trash_ids.some((id) => id !== null);
  const undo = gone.batch_id === null || !isKept ? null : ofBatch(store, gone.batch_id, deleted);
  steps.note({ paths: pathsOf(deleted), undo });
  const error = new ApiError(404, "NOT_FOUND", t("It no longer exists, or you can't delete it."));
  steps.left.push(...gone.failed.map((path) => ({ path, error })));
}

/** What is to be moved or copied, and where to. */
export interface Transfer {
  readonly how: "move" | "copy";
  readonly entries: readonly Entry[];
  /** Slug or id. */
  readonly toDrive: string;
  /** The folder, which ends with a slash; empty for the root. */
  readonly toFolder: string;
  /** What becomes of those whose places are taken. */
  readonly ask: Ask;
}

/**
 * Moves or copies files of a drive, and folders with all that is in them; each goes whole or stays as it was. It asks
 * about those whose places are taken, once all others are done. What was refused comes back.
 */
export function transferEntries(store: DriveStore, transfer: Transfer, work: Work): Promise<Left[]> {
  const { entries, ask } = transfer;
  return perform(store, new Steps(work, entries.length), async (steps) => {
    const taken = await transferAll(store, transfer, entries, "fail", steps);
    if (taken.length === 0 || steps.isStopped) return;
    steps.putOff(taken.length);
    for (const [decision, some] of await decide(taken, ask)) {
      await transferAll(store, transfer, some, decision, steps);
    }
  });
}

type OnConflict = "fail" | Decision;

/** Returns those whose places are taken, if that is not decided. */
async function transferAll(
  store: DriveStore,
  transfer: Transfer,
  entries: readonly Entry[],
  onConflict: OnConflict,
  steps: Steps,
): Promise<Entry[]> {
  const { how, toDrive: drive, toFolder: path } = transfer;
  const taken: Entry[] = [];
  for (const some of inRequests(entries)) {
    await steps.take(pathsOf(some), async (signal) => {
      const from = { drive: store.drive, paths: pathsOf(some) };
      const { results, batch_id: made } = await transferPaths(how, from, { drive, path }, onConflict, signal);
      const outcomes = new Map(results.map((result) => [result.path, result]));
      const isDone = some.filter((entry) => outcomes.get(entry.path)?.status === "done");
      const places = isDone.map((entry) => outcomes.get(entry.path)?.to ?? entry.path);
      batch(() => {
        if (how === "move") store.entriesRemoved(isDone, made);
        if (drive === store.drive) for (const place of places) store.came(place);
      });
      const back =
        made !== null && drive === store.drive
          ? ofBatch(store, made, isDone, places)
          : ofMoveAway(store, isDone, { drive, paths: places });
      steps.note({ paths: pathsOf(isDone), undo: how === "move" ? back : null });
      for (const entry of some) {
        const error = outcomes.get(entry.path)?.error;
        if (error === undefined) continue;
        if (onConflict === "fail" && isTaken(error, entry, store, transfer)) taken.push(entry);
        else steps.left.push({ path: entry.path, error: asError(error) });
      }
    });
  }
  return taken;
}

/** Whether something else stands at the place of an entry; a folder cannot go into itself either. */
function isTaken(
  { code }: NonNullable<Transferred["error"]>,
  { kind, path }: Entry,
  { drive }: DriveStore,
  { toDrive, toFolder }: Transfer,
): boolean {
  const isIntoItself = kind === "folder" && toDrive === drive && toFolder.startsWith(path);
  return code === "CONFLICT" && !isIntoItself;
}

function pathsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ path }) => path);
}

/** Takes the steps. If not all were taken, or some failed, the folder is loaded again. */
async function perform(
  store: DriveStore,
  steps: Steps,
  take: (steps: Steps) => Promise<void>,
): Promise<Left[]> {
  let isDone = false;
  try {
    await take(steps);
    isDone = steps.left.length === 0 && !steps.isStopped;
  } finally {
    if (isDone) store.settle();
    else store.reload();
  }
  return steps.left;
}
