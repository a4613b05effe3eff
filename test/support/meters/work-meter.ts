import { spyOn } from "bun:test";

/**
 * Counts what JSON costs: each value that is parsed, and each that is listed by `Object.values` and its like. What
 * does this by the hundred thousand holds up everybody else.
 */
export class WorkMeter implements Disposable {
  #units = 0;
  readonly #restore: (() => void)[] = [];

  constructor() {
    const parse = JSON.parse;
    this.#watch(
      spyOn(JSON, "parse").mockImplementation((text, reviver) => {
        this.#units += Math.max(1, text.match(/[,:[{]/g)?.length ?? 0);
        return parse(text, reviver);
      }),
    );
    const { keys, values, entries } = Object;
    this.#watch(spyOn(Object, "keys").mockImplementation((of: object) => this.#count(keys(of))));
    this.#watch(spyOn(Object, "values").mockImplementation((of: object) => this.#count(values(of))));
    this.#watch(spyOn(Object, "entries").mockImplementation((of: object) => this.#count(entries(of))));
  }

  /** The units since the last call. */
  take(): number {
    const units = this.#units;
    this.#units = 0;
    return units;
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }

  #watch(spy: { mockRestore(): void }): void {
    this.#restore.push(() => spy.mockRestore());
  }

  #count<T>(list: T[]): T[] {
    this.#units += list.length;
    return list;
  }
}
