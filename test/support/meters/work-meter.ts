import { spyOn } from "bun:test";

/**
 * Counts what JSON costs: each value that is parsed, and each that is listed by `Object.values` and its like. What
 * does this by the hundred thousand holds up everybody else.
 */
export class WorkMeter implements Disposable {
  #units = 0;
  readonly #spies = new DisposableStack();

  constructor() {
    const parse = JSON.parse;
    this.#spies.use(
      spyOn(JSON, "parse").mockImplementation((text, reviver) => {
        this.#units += Math.max(1, text.match(/[,:[{]/g)?.length ?? 0);
        return parse(text, reviver);
      }),
    );
    const { keys, values, entries } = Object;
    this.#spies.use(spyOn(Object, "keys").mockImplementation((of: object) => this.#count(keys(of))));
    this.#spies.use(spyOn(Object, "values").mockImplementation((of: object) => this.#count(values(of))));
    this.#spies.use(spyOn(Object, "entries").mockImplementation((of: object) => this.#count(entries(of))));
  }

  /** The units since the last call. */
  take(): number {
    const units = this.#units;
    this.#units = 0;
    return units;
  }

  [Symbol.dispose](): void {
    this.#spies.dispose();
  }

  #count<T>(list: T[]): T[] {
    this.#units += list.length;
    return list;
  }
}
