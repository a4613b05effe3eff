import type { Database } from "./database.ts";

/** What was read. */
export interface Cached<Value> {
  readonly value: Value;
  /** Until when it holds if nothing is written, in milliseconds since the epoch; absent if for ever. */
  readonly until?: number | undefined;
  /** For how many values it counts; absent for one. */
  readonly weight?: number;
}

/** How many values a cache keeps. All go when there are more: it costs the least. */
const MOST_KEPT = 2000;

/** What was read, by key, as long as nothing at all is written and its time is not over: many requests read the same. */
export class VersionCache<Key, Value> {
  readonly #database: Database;
  #version: string | null = null;
  readonly #values = new Map<Key, { value: Value; since: number; until: number }>();
  #weight = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The value of a key at `now`; `read` is called if it is not known. Not inside a write. */
  get(key: Key, now: number, read: () => Cached<Value> | null): Value | null {
    const { version } = this.#database;
    if (version === null) return read()?.value ?? null;
    if (version !== this.#version) this.#forget(version);
    const known = this.#values.get(key);
    // Nor from before the clock was set back: what had changed by itself then may not have changed now.
    if (known !== undefined && known.since <= now && now < known.until) return known.value;
    const found = read();
    if (found === null) return null;
    const { value, until = Infinity, weight = 1 } = found;
    if (this.#weight + weight > MOST_KEPT) this.#forget(version);
    this.#weight += weight;
    this.#values.set(key, { value, since: now, until });
    return value;
  }

  #forget(version: string): void {
    this.#values.clear();
    this.#weight = 0;
    this.#version = version;
  }
}
