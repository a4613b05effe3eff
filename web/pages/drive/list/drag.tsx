import { useLayoutEffect } from "preact/hooks";
import { useStyle } from "../../../lib/browser/style.ts";
import type { DriveStore } from "../store/drive.ts";
import type { FolderStore } from "../store/folder.ts";
import { followDrags } from "./follow-drags.ts";
import style from "./drag.css" with { type: "text" };

interface DragProps {
  readonly store: DriveStore;
  /** The folder that is shown. */
  readonly folder: FolderStore;
}

/** Has rows of the list dragged by their names, into a folder of the drive or out of the browser. Shows nothing itself. */
export function Drag({ store, folder }: DragProps) {
  useStyle(style);
  useLayoutEffect(() => followDrags(store, folder), [store, folder]);
  return null;
}
