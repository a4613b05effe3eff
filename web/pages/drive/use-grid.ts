import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Entry } from "../../lib/files.ts";
import { among, NOTHING, only, type Selection, toggled } from "../../lib/files-selection.ts";
import type { Sort } from "../../lib/files-sort.ts";
import type { FolderListing } from "./folder-listing.ts";
import { commandOf, countsOutside, type GridCommand } from "./grid-keys.ts";

export interface GridModel {
  readonly listing: FolderListing;
  readonly sort: Sort;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  /** The row that the keyboard is at. */
  readonly active: number;
  readonly onActive: (row: number) => void;
  readonly onOpen: (entry: Entry) => void;
  readonly onRename: (entry: Entry) => void;
  /** Asks whether to delete these. */
  readonly onDelete: (entries: readonly Entry[]) => void;
}

/** Selecting and going about in a list, by keyboard and pointer. `body` holds the rows. */
export function useGrid(body: RefObject<HTMLElement | null>, model: GridModel) {
  const { listing, sort, selection, onSelect, active } = model;
  const anchor = useRef(0);
  const focusRow = useFocusOnRow(body);

  const goTo = (wanted: number, scrolls: boolean): number => {
    const row = Math.max(0, Math.min(listing.count - 1, wanted));
    model.onActive(row);
    focusRow(row, scrolls);
    return row;
  };
  const selectTo = (row: number) => {
    const [from, to] = [Math.min(anchor.current, row), Math.max(anchor.current, row)];
    const rows = Array.from({ length: to - from + 1 }, (_, place) => listing.at(from + place, sort));
    onSelect(among(rows.filter((entry) => entry !== undefined)));
  };
  const toggle = (wanted: number) => {
    const row = goTo(wanted, false);
    const entry = listing.at(row, sort);
    anchor.current = row;
    if (entry !== undefined) onSelect(toggled(selection, entry));
  };
  const press = (wanted: number, event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey) return toggle(wanted);
    const row = goTo(wanted, false);
    if (event.shiftKey) return selectTo(row);
    const entry = listing.at(row, sort);
    anchor.current = row;
    if (entry !== undefined) onSelect(only(entry));
  };
  const perform = (command: GridCommand) => {
    const entry = listing.at(active, sort);
    if (command.does === "go") {
      const row = goTo(command.row, true);
      if (command.extends) selectTo(row);
      else anchor.current = row;
    } else if (command.does === "select-all") onSelect(among(listing.loaded(sort)));
    else if (command.does === "select-none") onSelect(NOTHING);
    else if (command.does === "toggle") toggle(active);
    else if (command.does === "delete" && selection.size > 0) model.onDelete([...selection.values()]);
    else if (entry === undefined) return;
    else if (command.does === "delete") model.onDelete([entry]);
    else if (command.does === "rename") model.onRename(entry);
    else model.onOpen(entry);
  };
  useKeys(body, active, perform);
  return { press, toggle };
}

/**
 * Gives the focus to a row: at once, or as soon as it is the active one and therefore in the page. It is
 * scrolled into sight for the keyboard only: what the pointer is on must not move away below it.
 */
function useFocusOnRow(body: RefObject<HTMLElement | null>): (row: number, scrolls: boolean) => void {
  const wanted = useRef<{ readonly row: number; readonly scrolls: boolean } | null>(null);
  const focus = () => {
    if (wanted.current === null) return;
    const { row, scrolls } = wanted.current;
    const element = body.current?.querySelector<HTMLElement>(`[data-index="${row}"]`) ?? null;
    if (element === null) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
    if (scrolls) element.scrollIntoView({ block: "nearest" });
  };
  useLayoutEffect(focus);
  return (row, scrolls) => {
    wanted.current = { row, scrolls };
    focus();
  };
}

function useKeys(
  body: RefObject<HTMLElement | null>,
  active: number,
  perform: (command: GridCommand) => void,
): void {
  const listen = (event: KeyboardEvent) => {
    const command = commandOf(event, active);
    if (command === null || event.defaultPrevented) return;
    const isInside = event.target instanceof Node && body.current?.contains(event.target) === true;
    if (!isInside && !countsOutside(command, event)) return;
    event.preventDefault();
    perform(command);
  };
  const latest = useRef(listen);
  latest.current = listen;
  useEffect(() => {
    const handle = (event: KeyboardEvent) => latest.current(event);
    addEventListener("keydown", handle);
    return () => removeEventListener("keydown", handle);
  }, []);
}
