import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Entry } from "../../../lib/files.ts";
import { remInPixels } from "../../../lib/browser/rem.ts";
import type { FolderStore } from "../store/folder.ts";
import { type ListCommand, listCommandOf } from "./commands.ts";
import type { FolderListing } from "../store/listing.ts";

interface KeysOptions {
  readonly folder: FolderStore;
  readonly listing: FolderListing;
  /** Holds the rows. */
  readonly body: RefObject<HTMLElement | null>;
  /** How many rows stand side by side, and how high each such line is, in rem. */
  readonly columns: number;
  readonly line: number;
  /** Scrolls to where a row is seen. */
  readonly reveal: (row: number) => void;
  /** One has gone to a row. */
  readonly onGo: (row: number) => void;
  readonly onOpen: (entry: Entry) => void;
  /** What Escape does, where that is not to select nothing. */
  readonly onEscape: (() => void) | null;
  /** Opens the menu of a row. */
  readonly onMenu: (row: number) => void;
}

/** Going about in a list by keyboard, and doing things with what is in it. */
export function useKeys(options: KeysOptions): void {
  const { folder, body } = options;
  const { cursor } = folder;
  const listen = (event: KeyboardEvent) => {
    const active = cursor.active.peek();
    const command = listCommandOf(event, active, { columns: options.columns, screen: rowsOfScreen(options) });
    if (command === null || event.defaultPrevented) return;
    const isInside = event.target instanceof Node && body.current?.contains(event.target) === true;
    if (!isInside && !countsOutside(command, event, cursor.selection.peek().size)) return;
    if (isInside && pressesButton(command, event)) return;
    event.preventDefault();
    // Where no row shows that it is the current one, an arrow is to show it, not to go on from it.
    perform(isInside || command.does !== "go" ? command : { ...command, row: active }, options);
  };
  const latest = useRef(listen);
  latest.current = listen;
  // Before anything is shown: a key that is pressed as soon as there are rows must not be lost.
  useLayoutEffect(() => {
    const handle = (event: KeyboardEvent) => latest.current(event);
    addEventListener("keydown", handle);
    return () => removeEventListener("keydown", handle);
  }, []);
}

function perform(command: ListCommand, options: KeysOptions): void {
  const { folder, listing, reveal, onGo, onOpen, onEscape, onMenu } = options;
  const { cursor } = folder;
  const go = (wanted: number) => {
    const row = cursor.goTo(wanted);
    reveal(row);
    return row;
  };
  const entry = listing.at(cursor.active.peek());
  const selected = [...cursor.selection.peek().values()];
  if (command.does === "go") {
    const row = go(command.row);
    if (command.extends) void cursor.selectTo(row);
    else {
      cursor.anchor(row);
      onGo(row);
    }
  } else if (command.does === "select-all") void cursor.selectAll();
  else if (command.does === "select-none" && onEscape !== null) onEscape();
  else if (command.does === "select-none") cursor.selectNone();
  else if (command.does === "toggle") cursor.toggle(cursor.goTo(cursor.active.peek()));
  else if (command.does === "delete" && selected.length > 0)
    folder.ask({ kind: "delete", entries: selected });
  else if (entry === undefined) return;
  else if (command.does === "delete") folder.ask({ kind: "delete", entries: [entry] });
  else if (command.does === "rename") folder.ask({ kind: "rename", entry });
  else if (command.does === "menu") onMenu(go(cursor.active.peek()));
  else onOpen(entry);
}

/**
 * Whether a key counts that was pressed outside the rows: on a button of the folder's, or nowhere. There it
 * is about what is `selected`, never about the row that would have the focus but does not show it. Enter and
 * Space press the button, and arrows go into the list only where nothing else has them.
 */
function countsOutside({ does }: ListCommand, { target, key }: KeyboardEvent, selected: number): boolean {
  if (!(target instanceof HTMLElement) || document.querySelector("dialog:modal") !== null) return false;
  if (target.matches("input:not([type=checkbox]), textarea, select")) return false;
  const isNowhere = target.matches("body, main");
  if (does === "go") return isNowhere && key.startsWith("Arrow");
  if (!isNowhere && target.closest(".folder") === null) return false;
  return does === "select-all" || does === "select-none" || (does === "delete" && selected > 0);
}

/** Whether a key belongs to the button of a row that has the focus. */
function pressesButton({ does }: ListCommand, { target }: KeyboardEvent): boolean {
  return target instanceof HTMLButtonElement && (does === "open" || does === "toggle");
}

/** What stays in sight when one goes on by a screen, in rem. */
const KEPT_REM = 12;

/** How many rows one goes on by with a screen. */
function rowsOfScreen({ columns, line }: KeysOptions): number {
  return columns * Math.max(1, Math.floor((innerHeight / remInPixels() - KEPT_REM) / line));
}
