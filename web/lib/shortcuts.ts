import { mark, type PlainMessage } from "./words/text.ts";

/** Keys that do something. `t()` is to show the texts here. */
interface Shortcut {
  /** As `aria-keyshortcuts` has them, each of which does it: `Control+K`. */
  readonly press: readonly string[];
  readonly does: PlainMessage;
}

/** The keys that do something in one place. */
export interface ShortcutGroup {
  readonly where: PlainMessage;
  readonly shortcuts: readonly Shortcut[];
}

/** Those of any page. */
export const ANYWHERE: ShortcutGroup = {
  where: mark("Anywhere"),
  shortcuts: [
    { press: ["Control+K"], does: mark("Search, jump to a page or file, or do something") },
    { press: ["?"], does: mark("Show this list") },
    { press: ["Control+Z"], does: mark("Undo what a message offers to undo") },
    { press: ["/"], does: mark("Search the drive that is open") },
    { press: ["Control+V"], does: mark("Upload the files or the picture in the clipboard") },
  ],
};

/** Those of the list of a folder. */
export const IN_LIST: ShortcutGroup = {
  where: mark("In the list of a folder"),
  shortcuts: [
    { press: ["ArrowUp", "ArrowDown"], does: mark("Go to the row above or below") },
    { press: ["ArrowLeft", "ArrowRight"], does: mark("Go to the tile before or after") },
    { press: ["PageUp", "PageDown"], does: mark("Go on by a screen") },
    { press: ["Home", "End"], does: mark("Go to the first or the last") },
    { press: ["Shift+ArrowUp", "Shift+ArrowDown"], does: mark("Select what one goes past") },
    { press: ["Space"], does: mark("Select this one too, or no longer") },
    { press: ["Control+A"], does: mark("Select everything") },
    { press: ["Escape"], does: mark("Select nothing") },
    { press: ["Enter"], does: mark("Open") },
    { press: ["F2"], does: mark("Rename") },
    { press: ["Delete"], does: mark("Delete what is selected") },
    { press: ["ContextMenu", "Shift+F10"], does: mark("Open the menu") },
  ],
};

/** Those of a file that is shown. */
export const IN_PREVIEW: ShortcutGroup = {
  where: mark("While a file is shown"),
  shortcuts: [
    { press: ["ArrowLeft", "ArrowRight"], does: mark("Go to the file before or after") },
    { press: ["E"], does: mark("Edit the text") },
    { press: ["Escape"], does: mark("Close it") },
  ],
};

/** Those of a text that is edited, beside what the browser and CodeMirror have for any text. */
export const IN_TEXT: ShortcutGroup = {
  where: mark("While a text is edited"),
  shortcuts: [
    { press: ["Control+S"], does: mark("Save") },
    { press: ["Escape"], does: mark("Let Tab lead out of the text") },
  ],
};

/** Those of the tree of folders, which also goes to the folder whose name is typed. */
export const IN_TREE: ShortcutGroup = {
  where: mark("In the tree of folders"),
  shortcuts: [
    { press: ["ArrowUp", "ArrowDown"], does: mark("Go to the folder above or below") },
    { press: ["ArrowRight"], does: mark("Open the folder, or go into it") },
    { press: ["ArrowLeft"], does: mark("Close the folder, or go out of it") },
    { press: ["PageUp", "PageDown"], does: mark("Go on by ten") },
    { press: ["Home", "End"], does: mark("Go to the first or the last") },
    { press: ["Enter", "Space"], does: mark("Show what is in the folder") },
  ],
};

/** All keys that do something, beside those that the browser has for every page. */
export const SHORTCUTS: readonly ShortcutGroup[] = [ANYWHERE, IN_TREE, IN_LIST, IN_PREVIEW, IN_TEXT];
