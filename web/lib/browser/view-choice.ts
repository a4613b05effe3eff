import type { FolderView } from "../files/view.ts";
import { storageOf } from "./storage.ts";

const KEPT_AS = "coffer:view";

/** What was chosen in this browser. */
export function chosenView(): FolderView {
  return storageOf("localStorage")?.getItem(KEPT_AS) === "tiles" ? "tiles" : "list";
}

/** Keeps a choice in this browser, if the browser allows storage. */
export function chooseView(view: FolderView): void {
  storageOf("localStorage")?.setItem(KEPT_AS, view);
}
