// What `inspect.custom` of `node:util` is: that module takes some milliseconds of the start.
const INSPECTED = Symbol.for("nodejs.util.inspect.custom");

const HIDDEN = "[secret]";

/** A value that must not be printed: JSON, string conversion and inspection show `[secret]` instead. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value; call this only where it is used. */
  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [INSPECTED](): string {
    return HIDDEN;
  }
}
