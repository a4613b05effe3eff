import { useState } from "preact/hooks";
import { storageOf } from "./storage.ts";

/**
 * What is kept of each entry in the browser's history, so that whoever comes back finds the page as it was:
 * how far it was scrolled and whatever else `keep` was told. It outlives a reload, and is the tab's own.
 */

type Kept = ReadonlyMap<string, unknown>;

const STORED = "coffer:kept";
const SCROLL = "scroll";
/** Entries that are remembered; those that were kept longest ago are forgotten. */
const MOST = 200;

const entries = new Map<string, Kept>(stored());
let made = 0;
let current = nameOfEntry();

/** Notes how far down an entry is left, in pixels; to be called before another takes its place. */
export function leaveEntry(scroll: number): void {
  keep(SCROLL, scroll);
}

/** Follows the browser to the entry that it is at now. */
export function enterEntry(): void {
  current = nameOfEntry();
}

/** A name for a new entry, which `history.pushState` is to have as its state. */
export function newEntry(): string {
  made += 1;
  return `${performance.timeOrigin}-${made}`;
}

/** Remembers something about the page at the current entry; what JSON cannot say does not outlive a reload. */
export function keep(name: string, value: unknown): void {
  const all = new Map(entries.get(current)).set(name, value);
  entries.delete(current);
  entries.set(current, all);
  const [oldest] = entries.keys();
  if (entries.size > MOST && oldest !== undefined) entries.delete(oldest);
}

/** What `keep` was told at the current entry; undefined where one has not been here before. */
export function kept(name: string): unknown {
  return entries.get(current)?.get(name);
}

/** How far down the current entry was scrolled, in pixels; 0 where one has not been here before. */
export function keptScroll(): number {
  const scroll = kept(SCROLL);
  return typeof scroll === "number" ? scroll : 0;
}

/** Like `useState`, but whoever comes back to the entry finds the value again. `isOne` judges what was kept. */
export function useKept<T>(
  name: string,
  initial: T,
  isOne: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const [value, setValue] = useState(() => {
    const found = kept(name);
    return { is: isOne(found) ? found : initial };
  });
  const set = (next: T) => {
    // At once: the page may go elsewhere before it is rendered again.
    keep(name, next);
    setValue({ is: next });
  };
  return [value.is, set];
}

/** Whether a value is the number of a row or the like. */
export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Writes down what is kept, before the page goes away. */
export function storeKept(): void {
  const all = Array.from(entries, ([entry, values]) => [entry, Object.fromEntries(values)]);
  storageOf("sessionStorage")?.setItem(STORED, JSON.stringify(Object.fromEntries(all)));
}

function stored(): [string, Kept][] {
  const all: unknown = JSON.parse(storageOf("sessionStorage")?.getItem(STORED) ?? "{}");
  return entriesOf(all).map(([entry, values]) => [entry, new Map(entriesOf(values))]);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** The name of the entry that the browser is at; it gets one where it was made by typing an address. */
function nameOfEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const name = newEntry();
  history.replaceState(name, "");
  return name;
}
