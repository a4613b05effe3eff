import { inspect } from "node:util";

const HIDDEN = "[secret]";

/** A value that must not be printed: JSON, string conversion and inspection all show `[secret]` in its place. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself; ask for it only where it is used. */
  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
