/** Writes lines to a stream in few calls: those of one turn of the event loop go out together. */
export class LineWriter {
  readonly #write: (text: string) => void;
  #pending = "";

  /** `write` takes text that ends with a line break. */
  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Takes a line without its line break. */
  add(line: string): void {
    if (this.#pending === "") setImmediate(() => this.flush());
    this.#pending += `${line}\n`;
  }

  /** Writes out what is pending; for the end of the process, which no further turn follows. */
  flush(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#write(text);
  }
}
