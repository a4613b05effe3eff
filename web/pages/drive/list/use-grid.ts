import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Entry } from "../../../lib/files.ts";
import { among, NOTHING, only, type Selection, toggled } from "../../../lib/files/selection.ts";
import type { OpenDialog } from "../dialogs/dialogs.tsx";
import type { FolderListing, RowPlace, RowRange } from "./listing.ts";
import { commandOf, countsOutside, type GridCommand, pressesButton } from "./keys.ts";

export interface GridModel {
  readonly listing: FolderListing;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  /** The row that the keyboard is at. */
  readonly active: number;
  readonly onActive: (row: number) => void;
  readonly onOpen: (entry: Entry) => void;
  readonly onDialog: (dialog: OpenDialog) => void;
}

interface GridParts {
  /** Holds the rows. */
  readonly body: RefObject<HTMLElement | null>;
  /** Scrolls to where a row is seen. */
  readonly reveal: (row: number) => void;
  /** Opens the menu of a row. */
  readonly onMenu: (row: number) => void;
}

/** Selecting and going about in a list, by keyboard and pointer. */
export function useGrid(model: GridModel, { body, reveal, onMenu }: GridParts) {
  const { listing, selection, onSelect, active } = model;
  /** Where a range begins that is selected with Shift. */
  const anchor = useRef<RowPlace>({ row: 0, key: null });
  const turn = useRef(0);
  const focusRow = useFocusOnRow(body, active);

  const goTo = (wanted: number, scrolls: boolean): number => {
    const row = Math.max(0, Math.min(listing.count - 1, wanted));
    model.onActive(row);
    if (scrolls) reveal(row);
    focusRow(row);
    return row;
  };
  const choose = (entries: Selection) => {
    turn.current += 1;
    onSelect(entries);
  };
  const chooseRows = async (rows: RowRange) => {
    const mine = (turn.current += 1);
    const entries = await listing.among(rows);
    // It may have to be loaded first, and something else be chosen meanwhile.
    if (turn.current === mine) onSelect(among(entries));
  };
  const selectTo = (row: number) => {
    const from = listing.rowAt(anchor.current);
    void chooseRows({ first: Math.min(from, row), last: Math.max(from, row) });
  };
  const toggle = (wanted: number) => {
    const row = goTo(wanted, false);
    const entry = listing.at(row);
    anchor.current = listing.placeOf(row);
    if (entry !== undefined) choose(toggled(selection, entry));
  };
  const press = (wanted: number, event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey) return toggle(wanted);
    const row = goTo(wanted, false);
    if (event.shiftKey) return selectTo(row);
    const entry = listing.at(row);
    anchor.current = listing.placeOf(row);
    if (entry !== undefined) choose(only(entry));
  };
  const chooseAll = () => void chooseRows({ first: 0, last: listing.count - 1 });
  const chooseNone = () => choose(NOTHING);
  const ask = (entries: readonly Entry[]) => model.onDialog({ kind: "delete", entries });
  const perform = (command: GridCommand) => {
    const entry = listing.at(active);
    if (command.does === "go") {
      const row = goTo(command.row, true);
      if (command.extends) selectTo(row);
      else anchor.current = listing.placeOf(row);
    } else if (command.does === "select-all") chooseAll();
    else if (command.does === "select-none") chooseNone();
    else if (command.does === "toggle") toggle(active);
    else if (command.does === "delete" && selection.size > 0) ask([...selection.values()]);
    else if (entry === undefined) return;
    else if (command.does === "delete") ask([entry]);
    else if (command.does === "rename") model.onDialog({ kind: "rename", entry });
    else if (command.does === "menu") onMenu(goTo(active, true));
    else model.onOpen(entry);
  };
  useKeys(body, model, perform);
  return { press, toggle, chooseAll, chooseNone, goTo };
}

/**
 * Gives the focus to a row: at once, or as soon as it is the active one and therefore in the page. That
 * scrolls nothing: what the pointer is on must not move away below it. Where a row that has the focus is put
 * elsewhere, or goes, it is the active one's again.
 */
function useFocusOnRow(body: RefObject<HTMLElement | null>, active: number): (row: number) => void {
  const wanted = useRef<number | null>(null);
  const hadFocus = body.current?.contains(document.activeElement) === true;
  const focus = () => {
    if (wanted.current === null) return;
    const element = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`) ?? null;
    if (element === null) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) wanted.current ??= active;
    focus();
  });
  return (row) => {
    wanted.current = row;
    focus();
  };
}

function useKeys(
  body: RefObject<HTMLElement | null>,
  { active, selection }: GridModel,
  perform: (command: GridCommand) => void,
): void {
  const listen = (event: KeyboardEvent) => {
    const command = commandOf(event, active);
    if (command === null || event.defaultPrevented) return;
    const isInside = event.target instanceof Node && body.current?.contains(event.target) === true;
    if (!isInside && !countsOutside(command, event, selection.size)) return;
    if (isInside && pressesButton(command, event)) return;
    event.preventDefault();
    // Where no row shows that it is the current one, an arrow is to show it, not to go on from it.
    perform(isInside || command.does !== "go" ? command : { ...command, row: active });
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
