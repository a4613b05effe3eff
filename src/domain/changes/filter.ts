import { isFolderPath } from "../files/path.ts";
import { wants } from "../webhooks/webhook.ts";
import type { Change } from "./change.ts";

/** Which changes somebody asks for; null for all. */
export interface ChangeFilter {
  /** The id of a key, user or link. */
  readonly by: string | null;
  /** See `parseEvents`. */
  readonly events: readonly string[] | null;
  /** A file or folder. */
  readonly place: string | null;
  readonly batch: string | null;
}

/** Whether a change is one of those that somebody asks for. */
export function passes(change: Change, { by, events, place, batch }: ChangeFilter): boolean {
  return (
    (by === null || change.by?.id === by) &&
    (events === null || wants(events, change.type)) &&
    (place === null || touches(change, place)) &&
    (batch === null || change.batch === batch)
  );
}

/** Whether a change is of what is at a place: of itself, of something in it, or of a folder that it is in. */
function touches({ path, previousPath }: Change, place: string): boolean {
  return [path, ...(previousPath === null ? [] : [previousPath])].some(
    (each) =>
      each === place ||
      (isFolderPath(place) && each.startsWith(place)) ||
      ((each === "" || isFolderPath(each)) && place.startsWith(each)),
  );
}
