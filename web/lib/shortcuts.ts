/** Keys that do something. */
interface Shortcut {
  /** As `aria-keyshortcuts` has them, each of which does it: `Control+K`. */
  readonly press: readonly string[];
  readonly does: string;
}

/** The keys that do something in one place. */
export interface ShortcutGroup {
  readonly where: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Those of any page. */
export const ANYWHERE: ShortcutGroup = {
  where: "Anywhere",
  shortcuts: [
    { press: ["Control+K"], does: "Search, jump to a page or file, or do something" },
    { press: ["?"], does: "Show this list" },
    { press: ["Control+Z"], does: "Undo what a message offers to undo" },
    { press: ["/"], does: "Search the drive that is open" },
    { press: ["Control+V"], does: "Upload the files or the picture in the clipboard" },
  ],
};

/** Those of the list of a folder. */
export const IN_LIST: ShortcutGroup = {
  where: "In the list of a folder",
  shortcuts: [
    { press: ["ArrowUp", "ArrowDown"], does: "Go to the row above or below" },
    { press: ["ArrowLeft", "ArrowRight"], does: "Go to the tile before or after" },
    { press: ["PageUp", "PageDown"], does: "Go on by a screen" },
    { press: ["Home", "End"], does: "Go to the first or the last" },
    { press: ["Shift+ArrowUp", "Shift+ArrowDown"], does: "Select what one goes past" },
    { press: ["Space"], does: "Select this one too, or no longer" },
    { press: ["Control+A"], does: "Select everything" },
    { press: ["Escape"], does: "Select nothing" },
    { press: ["Enter"], does: "Open" },
    { press: ["F2"], does: "Rename" },
    { press: ["Delete"], does: "Delete what is selected" },
    { press: ["ContextMenu", "Shift+F10"], does: "Open the menu" },
  ],
};

/** Those of a file that is shown. */
export const IN_PREVIEW: ShortcutGroup = {
  where: "While a file is shown",
  shortcuts: [
    { press: ["ArrowLeft", "ArrowRight"], does: "Go to the file before or after" },
    { press: ["E"], does: "Edit the text" },
    { press: ["Escape"], does: "Close it" },
  ],
};

/** Those of a text that is edited, beside what the browser and CodeMirror have for any text. */
export const IN_TEXT: ShortcutGroup = {
  where: "While a text is edited",
  shortcuts: [
    { press: ["Control+S"], does: "Save" },
    { press: ["Escape"], does: "Let Tab lead out of the text" },
  ],
};

/** Those of the tree of folders, which also goes to the folder whose name is typed. */
export const IN_TREE: ShortcutGroup = {
  where: "In the tree of folders",
  shortcuts: [
    { press: ["ArrowUp", "ArrowDown"], does: "Go to the folder above or below" },
    { press: ["ArrowRight"], does: "Open the folder, or go into it" },
    { press: ["ArrowLeft"], does: "Close the folder, or go out of it" },
    { press: ["PageUp", "PageDown"], does: "Go on by ten" },
    { press: ["Home", "End"], does: "Go to the first or the last" },
    { press: ["Enter", "Space"], does: "Show what is in the folder" },
  ],
};

/** All keys that do something, beside those that the browser has for every page. */
export const SHORTCUTS: readonly ShortcutGroup[] = [ANYWHERE, IN_TREE, IN_LIST, IN_PREVIEW, IN_TEXT];
