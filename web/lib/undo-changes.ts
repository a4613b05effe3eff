import { type ChangeKind, KIND_OF } from "../../src/domain/changes/kind.ts";
import { UNDONE_CHANGES } from "../../src/domain/limits.ts";
import type { Change } from "./api/types.ts";
import { asError, undoBatch, undoChanges, type UndoneChanges, undoWholeBatch } from "./files/many.ts";
import { plain } from "./contents/overrides.ts";
import { formatList, sentenceSpace } from "./words/format.ts";
import { plural } from "./words/text.ts";

/** What was taken back, and how that is taken back itself. */
export interface TakenBack {
  readonly said: string;
  readonly undo: () => Promise<string>;
}

/**
 * Takes back changes of a drive: what has changed since stays as it is.
 *
 * @param changes the newest first
 * @param key an Idempotency-Key, for who may ask again
 * @throws ApiError the first refusal, if nothing was taken back
 */
export async function takeBackChanges(
  drive: string,
  changes: readonly Change[],
  key?: string,
): Promise<TakenBack> {
  const done: UndoneChanges[] = [];
  for (let at = 0; at < changes.length; at += UNDONE_CHANGES) {
    const ids = changes.slice(at, at + UNDONE_CHANGES).map(({ id }) => id);
    done.push(await undoChanges(drive, ids, key && `${key}-${at}`));
  }
  return takenBack(drive, done);
}

/** The same for what one request did to many files: of a change that sums that up. */
export async function takeBackBatch(drive: string, batch: string): Promise<TakenBack> {
  return takenBack(drive, [await undoWholeBatch(drive, batch)]);
}

function takenBack(drive: string, done: readonly UndoneChanges[]): TakenBack {
  const undone = done.reduce((sum, one) => sum + one.undone, 0);
  const left = done.reduce((sum, one) => sum + one.failed_count, 0);
  const [refused] = done.flatMap(({ failed }) => failed);
  if (undone === 0 && refused !== undefined) throw asError(refused.error);
  const stayed =
    refused === undefined
      ? ""
      : sentenceSpace() +
        plural(
          left,
          "{count} change stayed, such as of “{path}”: it has changed since.",
          "{count} changes stayed, such as of “{path}”: it has changed since.",
          { path: plain(refused.path) },
        );
  const undo = async () => {
    for (const { batch_id: batch } of done.toReversed()) {
      const [failed] = batch === null ? [] : await undoBatch(drive, batch);
      if (failed !== undefined) throw failed.error;
    }
    return plural(undone, "Did {count} change again.", "Did {count} changes again.");
  };
  const said = plural(undone, "Took back {count} change.", "Took back {count} changes.");
  return { said: said + stayed, undo };
}

/** What some changes are, in words: `12 written and 2 deleted`. */
export function changesInWords(changes: readonly Change[]): string {
  const kinds = Map.groupBy(changes, ({ type }) => KIND_OF[type]);
  return formatList(Array.from(kinds, ([kind, { length }]) => manyInWords(kind, length)));
}

function manyInWords(kind: ChangeKind, count: number): string {
  switch (kind) {
    case "written":
      return plural(count, "{count} written", "{count} written");
    case "deleted":
      return plural(count, "{count} deleted", "{count} deleted");
    case "moved":
      return plural(count, "{count} moved", "{count} moved");
    case "restored":
      return plural(count, "{count} put back", "{count} put back");
    case "shared":
      return plural(count, "{count} shared", "{count} shared");
    case "commented":
      return plural(count, "{count} commented", "{count} commented");
    case "other":
      return plural(count, "{count} other", "{count} other");
  }
}
