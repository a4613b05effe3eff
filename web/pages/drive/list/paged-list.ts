import type { ListPage } from "../../../lib/types.ts";

/** A list of the API's, of which only the pages that are looked at are loaded. */
export class PagedList<T> {
  /** Items, loaded or not. */
  total = 0;
  /** Whether any page is there. */
  ready = false;
  /** How often a page came. */
  revision = 0;
  readonly #size: number;
  readonly #read: (page: number) => Promise<ListPage<T>>;
  readonly #pages = new Map<number, readonly T[]>();
  readonly #asked = new Map<number, Promise<void>>();

  /**
   * @param size items a page
   * @param read gives a page, from 1
   */
  constructor(size: number, read: (page: number) => Promise<ListPage<T>>) {
    this.#size = size;
    this.#read = read;
  }

  get loaded(): number {
    let items = 0;
    for (const page of this.#pages.values()) items += page.length;
    return items;
  }

  /** Of the items that are loaded, from 0. */
  indexes(): number[] {
    return Array.from(this.#pages, ([page, items]) =>
      Array.from(items, (_, place) => (page - 1) * this.#size + place),
    ).flat();
  }

  /** The item at an index, from 0; undefined where it is not loaded. */
  at(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / this.#size) + 1)?.[index % this.#size];
  }

  /** Loads what is missing among the items from `first` to `last`. Rejects where a page cannot be had. */
  async ensure(first: number, last: number): Promise<void> {
    if (last < first || last < 0 || first >= this.total) return;
    const pages: Promise<void>[] = [];
    const end = Math.min(last, this.total - 1);
    for (let page = this.#pageOf(Math.max(0, first)); page <= this.#pageOf(end); page += 1) {
      pages.push(this.load(page));
    }
    await Promise.all(pages);
  }

  /** Loads a page, from 1, unless it is there; waits for it where it is on its way. */
  load(page: number): Promise<void> {
    const asked = this.#asked.get(page) ?? this.#fetch(page);
    this.#asked.set(page, asked);
    return asked;
  }

  async #fetch(page: number): Promise<void> {
    try {
      const { data, total } = await this.#read(page);
      if (this.ready && total !== this.total) this.#forgetAllBut(page);
      this.total = total;
      this.#pages.set(page, data);
      this.ready = true;
      this.revision += 1;
    } catch (error) {
      this.#asked.delete(page);
      throw error;
    }
  }

  /** The list changed between two pages, so those from before do not fit together with this one. */
  #forgetAllBut(page: number): void {
    this.#pages.clear();
    for (const other of this.#asked.keys()) if (other !== page) this.#asked.delete(other);
  }

  #pageOf(index: number): number {
    return Math.floor(index / this.#size) + 1;
  }
}
