import type { FilePk } from "../../domain/id.ts";
import { ABOVE_ALL, type Descending, type Place } from "./postings.ts";

/** After how many steps there is a pause, even if nothing was found. */
const STEPS = 1000;

/**
 * The files that are in all lists, newest first. Each list is asked for its next file at or below the last candidate,
 * so the shortest list leads, and what lies between its files is not read. Gives null now and then, for a pause.
 *
 * @param below only files with lower handles
 */
export function* intersection(
  lists: readonly Descending<Place>[],
  below = ABOVE_ALL,
): Generator<FilePk | null, void> {
  let steps = 0;
  let wanted = below - 1;
  for (;;) {
    let common: FilePk | null = null;
    for (let at = 0, agreed = 0; agreed < lists.length; at = (at + 1) % lists.length) {
      const found = lists[at]?.seek(wanted) ?? null;
      if (found === null) return;
      agreed = found.file === wanted ? agreed + 1 : 1;
      common = found.file;
      wanted = found.file;
      if (++steps % STEPS === 0) yield null;
    }
    if (common === null) return;
    yield common;
    wanted = common - 1;
  }
}
