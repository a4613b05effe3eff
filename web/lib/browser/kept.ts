import { storageOf } from "./storage.ts";

/**
 * State of each entry in the tab's history, so that going back shows the page as it was: how far it was scrolled, and
 * what was passed to `keep`. It survives a reload.
 */

type Kept = ReadonlyMap<string, unknown>;

const STORED = "coffer:kept";
const SCROLL = "scroll";
/** The most entries that are remembered; the oldest are forgotten. */
const MOST = 200;

const entries = new Map<string, Kept>(stored());
let made = 0;
let current = nameOfEntry();

/** Remembers how far the current entry is scrolled, in pixels. To be called before going to another entry. */
export function leaveEntry(scroll: number): void {
  keep(SCROLL, scroll);
}

/** To be called once the browser is at another entry. */
export function enterEntry(): void {
  current = nameOfEntry();
}

/** A name for a new entry, to be its state in `history.pushState`. */
export function newEntry(): string {
  made += 1;
  return `${performance.timeOrigin}-${made}`;
}

/** Remembers a value for the current entry. Only what JSON can represent survives a reload. */
export function keep(name: string, value: unknown): void {
  const all = new Map(entries.get(current)).set(name, value);
  entries.delete(current);
  entries.set(current, all);
  const [oldest] = entries.keys();
  if (entries.size > MOST && oldest !== undefined) entries.delete(oldest);
}

/** The value passed to `keep` at the current entry; undefined at a new one. */
export function kept(name: string): unknown {
  return entries.get(current)?.get(name);
}

/** How far the current entry was scrolled, in pixels; 0 at a new one. */
export function keptScroll(): number {
  const scroll = kept(SCROLL);
  return typeof scroll === "number" ? scroll : 0;
}

/** Saves all entries in the session storage. To be called before the page is left. */
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

/** The name of the current entry. An entry that was made by typing an address gets its name here. */
function nameOfEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const name = newEntry();
  history.replaceState(name, "");
  return name;
}
