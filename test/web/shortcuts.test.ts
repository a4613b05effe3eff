import { expect, test } from "bun:test";
import { treeCommandOf } from "../../web/components/tree/keys.ts";
import {
  ANYWHERE,
  IN_LIST,
  IN_PREVIEW,
  IN_TEXT,
  IN_TREE,
  type ShortcutGroup,
} from "../../web/lib/shortcuts.ts";
import type { TreeRow } from "../../web/lib/tree/tree-rows.ts";
import { listCommandOf } from "../../web/pages/drive/list/commands.ts";
import { sourcesIn } from "../support/sources.ts";

// The list of shortcuts says what the keys do that the pages listen to, all of it, and nothing else.

const sources = await sourcesIn("web");

/** Keys that might do something, as an event calls them. */
const KEYS = [
  ...Array.from("abcdefghijklmnopqrstuvwxyz0123456789 /?.,;'[]-="),
  ...Array.from({ length: 12 }, (_, number) => `F${number + 1}`),
  "ArrowUp ArrowDown ArrowLeft ArrowRight PageUp PageDown Home End".split(" "),
  "Enter Escape Delete Backspace Insert ContextMenu".split(" "),
].flat();

/** An event of keys such as `Shift+F10`. */
function pressed(keys: string) {
  const [key = "", ...held] = keys.split("+").toReversed();
  return {
    key: key === "Space" ? " " : key.length === 1 ? key.toLowerCase() : key,
    altKey: false,
    metaKey: false,
    ctrlKey: held.includes("Control"),
    shiftKey: held.includes("Shift"),
  };
}

function keysOf({ shortcuts }: ShortcutGroup): readonly string[] {
  return shortcuts.flatMap(({ press }) => press);
}

/** What of a group's keys is pressed while one of the others is held, or none. */
function heldIn(group: ShortcutGroup, held: "" | "Control" | "Shift"): Set<string> {
  const own = keysOf(group).filter((keys) => (keys.includes("+") ? keys.split("+")[0] : "") === held);
  return new Set(own.map((keys) => pressed(keys).key));
}

test.each(["", "Control"] as const)("of the list of a folder, with %j held", (held) => {
  const event = (key: string) => ({ ...pressed(held === "" ? "x" : `${held}+x`), key });
  const doing = KEYS.filter((key) => listCommandOf(event(key), 5, { columns: 3, screen: 9 }) !== null);
  expect(new Set(doing)).toEqual(heldIn(IN_LIST, held));
});

test("of the list of a folder, with Shift held: rows are selected, and the menu opens", () => {
  for (const key of heldIn(IN_LIST, "Shift")) {
    const command = listCommandOf({ ...pressed("Shift+x"), key }, 5, { columns: 3, screen: 9 });
    expect(command).toMatchObject(key === "F10" ? { does: "menu" } : { does: "go", extends: true });
  }
});

/** A folder in a tree. */
function row(path: string, depth: number, isOpen: boolean | null): TreeRow {
  return { kind: "folder", key: path, path, depth, position: 1, size: 1, isOpen };
}

test("of the tree", () => {
  const rows = [row("", 1, true), row("a/", 2, false), row("b/", 2, null)];
  const doing = KEYS.filter((key) => treeCommandOf(key, rows, 1) !== null);
  expect(new Set(doing)).toEqual(heldIn(IN_TREE, ""));
});

test("of any page, and of a file that is shown: each key that something listens to on the window", () => {
  const listening = sources.filter(({ text }) => text.includes('addEventListener("keydown"'));
  const compared = listening.flatMap(({ text }) =>
    Array.from(text.matchAll(/\bkey(?:\.toLowerCase\(\))? [!=]== "(.+?)"/g), ([, key = ""]) => key),
  );
  // The browser tells by an event of its own that something is pasted.
  const isPasted = sources.some(({ text }) => text.includes('addEventListener("paste"'));
  const heard = isPasted ? [...compared, "v"] : compared;
  expect(new Set(heard)).toEqual(
    new Set([ANYWHERE, IN_PREVIEW, IN_TEXT].flatMap(keysOf).map((keys) => pressed(keys).key)),
  );
});
