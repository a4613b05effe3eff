import { computed, signal } from "@preact/signals-core";
import type { ListPage } from "../../../lib/api/types.ts";

/** What is known of a list: how many items there are, and those that are loaded, in the order of their indexes. */
interface Known<T> {
  readonly total: number;
  readonly items: ReadonlyMap<number, T>;
}

interface PagedListOptions<T> {
  /** Items a page. */
  readonly size: number;
  /** Gives a page, from 1. */
  readonly read: (page: number) => Promise<ListPage<T>>;
  readonly keyOf: (item: T) => string;
  /** The order of the list. */
  readonly compare: (one: T, other: T) => number;
}

/**
 * A list of the API, of which only the pages that are looked at are loaded. A component, or a computed signal,
 * that reads from it is updated when it changes.
 */
export class PagedList<T> {
  readonly #options: PagedListOptions<T>;
  readonly #known = signal<Known<T> | null>(null);
  readonly #indexes = computed(
    () => new Map(Array.from(this.#items, ([index, item]) => [this.#options.keyOf(item), index])),
  );
  /** The pages that were asked for and did not come yet. */
  readonly #asked = new Map<number, Promise<void>>();
  /** The pages that came since the list last changed. A page with fewer items than expected is asked for once. */
  readonly #came = new Set<number>();

  constructor(options: PagedListOptions<T>) {
    this.#options = options;
  }

  /** Items, loaded or not. */
  get total(): number {
    return this.#known.value?.total ?? 0;
  }

  /** Whether any page is there. */
  get ready(): boolean {
    return this.#known.value !== null;
  }

  get loaded(): number {
    return this.#items.size;
  }

  /** Those that are loaded, in their order. */
  get items(): Iterable<T> {
    return this.#items.values();
  }

  /** The item at an index, from 0; undefined where it is not loaded. */
  at(index: number): T | undefined {
    return this.#items.get(index);
  }

  /** The index of an item; undefined where it is not loaded. */
  indexOf(key: string): number | undefined {
    return this.#indexes.value.get(key);
  }

  /** Loads what is missing among the items from `first` to `last`. Rejects where a page cannot be had. */
  async ensure(first: number, last: number): Promise<void> {
    const { size } = this.#options;
    const pages = new Set<number>();
    for (let index = Math.max(0, first); index <= Math.min(last, this.total - 1); index += 1) {
      if (!this.#items.has(index)) pages.add(Math.floor(index / size) + 1);
    }
    await Promise.all(Array.from(pages, (page) => this.load(page)));
  }

  /** Loads a page, from 1, unless it came already; waits for it where it is on its way. */
  async load(page: number): Promise<void> {
    if (this.#came.has(page)) return;
    const asked = this.#asked.get(page) ?? this.#fetch(page);
    this.#asked.set(page, asked);
    await asked;
  }

  /**
   * Adds an item at its place in the order, or moves it there if it is loaded. Returns false if the list has to
   * be loaded again: the item may be one that is not loaded, or a page that was asked for before may still come.
   */
  put(item: T): boolean {
    const known = this.#known.peek();
    if (known === null) return false;
    const key = this.#options.keyOf(item);
    const others = without(known, new Set([key]), this.#options.keyOf);
    const isNew = others.total === known.total;
    if (isNew && known.items.size < known.total) return false;
    this.#change(withItem(others, item, this.#options.compare));
    return this.#asked.size === 0;
  }

  /** Removes items. Returns false if the list has to be loaded again, for the reasons of `put`. */
  remove(keys: ReadonlySet<string>): boolean {
    const known = this.#known.peek();
    if (known === null) return false;
    const others = without(known, keys, this.#options.keyOf);
    if (others.total !== known.total) this.#change(others);
    const isKnown = known.total - others.total === keys.size || known.items.size === known.total;
    return isKnown && this.#asked.size === 0;
  }

  get #items(): ReadonlyMap<number, T> {
    return this.#known.value?.items ?? new Map<number, T>();
  }

  #change(known: Known<T>): void {
    this.#came.clear();
    this.#known.value = known;
  }

  async #fetch(page: number): Promise<void> {
    try {
      const { data, total } = await this.#options.read(page);
      const known = this.#known.peek();
      // Where the list changed between two pages, those from before do not fit together with this one.
      if (known !== null && known.total !== total) this.#came.clear();
      const before = known?.total === total ? known.items : [];
      const start = (page - 1) * this.#options.size;
      const items = new Map([...before, ...data.map((item, place): [number, T] => [start + place, item])]);
      const inOrder = [...items].toSorted(([one], [other]) => one - other);
      this.#known.value = { total, items: new Map(inOrder) };
      this.#came.add(page);
    } finally {
      this.#asked.delete(page);
    }
  }
}

/** The list without some items. Those after them move up. */
function without<T>(
  { total, items }: Known<T>,
  keys: ReadonlySet<string>,
  keyOf: (item: T) => string,
): Known<T> {
  const others = new Map<number, T>();
  let gone = 0;
  for (const [index, item] of items) {
    if (keys.has(keyOf(item))) gone += 1;
    else others.set(index - gone, item);
  }
  return { total: total - gone, items: others };
}

/**
 * The list with one more item. Those after it move down. If a neighbour is not loaded, the place is not known:
 * the item is counted, but has to be loaded like the others there.
 */
function withItem<T>({ total, items }: Known<T>, item: T, compare: (one: T, other: T) => number): Known<T> {
  const isBefore = (other: T) => compare(other, item) < 0;
  const before = [...items].filter(([, other]) => isBefore(other));
  const after = [...items].filter(([, other]) => !isBefore(other));
  const place = (before.at(-1)?.[0] ?? -1) + 1;
  const isKnown = place === (after[0]?.[0] ?? total);
  const moved = after.map(([index, other]): [number, T] => [index + 1, other]);
  return {
    total: total + 1,
    items: new Map([...before, ...(isKnown ? [[place, item] as const] : []), ...moved]),
  };
}
