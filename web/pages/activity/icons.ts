import addedIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import changedIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import commentIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import labelIcon from "lucide-static/icons/tag.svg" with { type: "text" };
import deletedIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import memberIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import movedIcon from "lucide-static/icons/folder-input.svg" with { type: "text" };
import restoredIcon from "lucide-static/icons/undo-2.svg" with { type: "text" };
import snapshotIcon from "lucide-static/icons/camera.svg" with { type: "text" };
import type { Change } from "../../lib/api/types.ts";

/** The first pattern that matches a type gives its icon. */
const ICONS: readonly (readonly [type: RegExp, svg: string])[] = [
  [/^comment\./, commentIcon],
  [/^version\./, labelIcon],
  [/^snapshot\./, snapshotIcon],
  [/^member\./, memberIcon],
  [/^link\./, linkIcon],
  [/\.(?:created|copied)$/, addedIcon],
  [/\.deleted$/, deletedIcon],
  [/\.moved$/, movedIcon],
  [/\.restored$/, restoredIcon],
];

/** The icon for a type of changes. */
export function iconOf(type: Change["type"]): string {
  const [, svg] = ICONS.find(([pattern]) => pattern.test(type)) ?? [null, changedIcon];
  return svg;
}
