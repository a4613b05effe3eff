import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { Entry } from "../../../lib/files.ts";
import { among, NOTHING, only, type Selection, toggled } from "../../../lib/files/selection.ts";
import type { FileRecord, FolderRecord } from "../../../lib/api/types.ts";
import type { FolderListing, RowPlace, RowRange } from "./listing.ts";

/** Keeps values for an entry of the browser's history: `lib/browser/kept.ts`. */
export interface Memory {
  readonly kept: (name: string) => unknown;
  readonly keep: (name: string, value: unknown) => void;
}

/**
 * Where the focus goes next. `row`: to the active row. `list`: to the active row, or to a button if there are no
 * rows, but only if nothing else has the focus.
 */
export type FocusWish = "row" | "list";

/** The keys that are held during a click. */
interface HeldKeys {
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * The active row of a folder's list, and the selection. While the list changes, both stay with the same files
 * and folders.
 */
export class Cursor {
  readonly selection = signal<Selection>(NOTHING);
  /** Null if the focus stays where it is. Whoever moves the focus sets this to null. */
  readonly focus: Signal<FocusWish | null>;
  /** The row that the keyboard is at; it may not be loaded. */
  readonly active = computed(() => this.#listing.value?.rowAt(this.#place.value) ?? this.#place.value.row);
  readonly #listing: ReadonlySignal<FolderListing | null>;
  readonly #place: Signal<RowPlace>;
  readonly #memory: Memory;
  /** Where a range begins that is selected with Shift. */
  #anchor: RowPlace = { row: 0, key: null };
  /** Another number after each selection. */
  #turn = 0;

  /** @param focus where the focus goes once the list is shown */
  constructor(listing: ReadonlySignal<FolderListing | null>, memory: Memory, focus: FocusWish | null) {
    const place = memory.kept("row");
    this.#listing = listing;
    this.#memory = memory;
    this.#place = signal(isRowPlace(place) ? place : { row: 0, key: null });
    this.focus = signal(focus);
  }

  /** Follows the changes of the list; returns a function that stops this. */
  follow(): () => void {
    return effect(() => {
      const listing = this.#listing.value;
      if (listing === null) return;
      this.selection.value = asKnown(this.selection.peek(), listing);
      const { key } = this.#place.peek();
      const now = listing.placeOf(listing.rowAt(this.#place.peek()));
      // The entry may be in a part of the list that is not loaded yet.
      if (now.key !== null && (key === null || now.key === key || listing.isWhole)) this.#moveTo(now);
    });
  }

  /** Makes a row the active one. The focus stays where it is. */
  stand(row: number): void {
    this.#moveTo(this.#listing.peek()?.placeOf(row) ?? { row, key: null });
  }

  /** To be called when a row has got the focus: assistive technology may give it to any row. */
  focused(row: number): void {
    // A dialog gives the focus back to the row it was in, and its entry may not be in the list yet.
    if (row !== this.active.peek()) this.stand(row);
  }

  /** Makes the row of an entry the active one, as soon as the entry is in the list. */
  standOn(key: string): void {
    this.#moveTo({ row: this.active.peek(), key });
  }

  /** Makes a row the active one, with the focus: the wanted one, or the closest that there is. Returns it. */
  goTo(wanted: number): number {
    const count = this.#listing.peek()?.count ?? 0;
    const row = Math.max(0, Math.min(count - 1, wanted));
    this.stand(row);
    this.focus.value = "row";
    return row;
  }

  /** Sets the row where a range begins that is selected with Shift. */
  anchor(row: number): void {
    this.#anchor = this.#listing.peek()?.placeOf(row) ?? { row, key: null };
  }

  selectOnly(row: number): void {
    const entry = this.#listing.peek()?.at(row);
    this.anchor(row);
    if (entry !== undefined) this.#select(only(entry));
  }

  /** Adds a row to the selection, or takes it out. */
  toggle(row: number): void {
    const entry = this.#listing.peek()?.at(row);
    this.anchor(row);
    if (entry !== undefined) this.#select(toggled(this.selection.peek(), entry));
  }

  /** A click on a row. */
  press(wanted: number, held: HeldKeys): void {
    const row = this.goTo(wanted);
    if (held.ctrlKey || held.metaKey) this.toggle(row);
    else if (held.shiftKey) void this.selectTo(row);
    else this.selectOnly(row);
  }

  /** Selects all from the anchor to a row. */
  selectTo(row: number): Promise<void> {
    const from = this.#listing.peek()?.rowAt(this.#anchor) ?? row;
    return this.#selectRows({ first: Math.min(from, row), last: Math.max(from, row) });
  }

  selectAll(): Promise<void> {
    return this.#selectRows({ first: 0, last: (this.#listing.peek()?.count ?? 0) - 1 });
  }

  selectNone(): void {
    this.#select(NOTHING);
  }

  /** Takes out of the selection what is gone, also if the list has not loaded it. */
  forget(keys: ReadonlySet<string>): void {
    const before = this.selection.peek();
    const left = new Map([...before].filter(([key]) => !keys.has(key)));
    if (left.size < before.size) this.selection.value = left;
  }

  async #selectRows(rows: RowRange): Promise<void> {
    const mine = (this.#turn += 1);
    const entries = (await this.#listing.peek()?.among(rows)) ?? [];
    // While the rows were loaded, something else may have been selected.
    if (this.#turn === mine) this.selection.value = among(entries);
  }

  #select(selection: Selection): void {
    this.#turn += 1;
    this.selection.value = selection;
  }

  #moveTo(place: RowPlace): void {
    const { row, key } = this.#place.peek();
    if (row === place.row && key === place.key) return;
    this.#place.value = place;
    // At once: the browser may be at another entry before the next rendering.
    this.#memory.keep("row", place);
  }
}

/** The selection with the records of the list, without what is gone. The same object if nothing changed. */
function asKnown(selection: Selection, listing: FolderListing): Selection {
  const known = new Map<string, Entry>();
  let isNews = false;
  for (const [key, entry] of selection) {
    const row = listing.rowOf(key);
    const now = row === undefined ? undefined : listing.at(row);
    if (now !== undefined) known.set(key, now);
    else if (!listing.isWhole) known.set(key, entry);
    isNews ||= now === undefined ? listing.isWhole : recordOf(now) !== recordOf(entry);
  }
  return isNews ? known : selection;
}

function recordOf(entry: Entry): FileRecord | FolderRecord {
  return entry.kind === "file" ? entry.file : entry.folder;
}

/** What was kept may be anything. */
function isRowPlace(value: unknown): value is RowPlace {
  if (typeof value !== "object" || value === null || !("row" in value) || !("key" in value)) return false;
  const isRow = Number.isSafeInteger(value.row) && Number(value.row) >= 0;
  return isRow && (value.key === null || typeof value.key === "string");
}
