import type { Database } from "./database.ts";

/**
 * What was read in the snapshot that is held, by key: requests that begin in one turn often read the same. It is
 * forgotten with the snapshot, so it is never older than what else they read.
 */
export class SnapshotCache<Key, Value> {
  readonly #database: Database;
  /** The snapshot that the values are of. */
  #snapshot: number | null = null;
  readonly #values = new Map<Key, Value>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The value of a key; `read` is called if it is not known. Not inside a write. */
  get(key: Key, read: () => Value): Value {
    const { snapshot } = this.#database;
    if (snapshot === null) return read();
    if (snapshot !== this.#snapshot) {
      this.#values.clear();
      this.#snapshot = snapshot;
    }
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = read();
    this.#values.set(key, value);
    return value;
  }
}
