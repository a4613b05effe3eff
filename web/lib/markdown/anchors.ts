/** The names by which links lead to the headings of a document, as GitHub makes them; no two are the same. */
export class Anchors {
  readonly #taken = new Map<string, number>();

  /** The name for a heading of these words. */
  nameFor(words: string): string {
    const name = words
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let count = this.#taken.get(name);
    if (count === undefined) {
      this.#taken.set(name, 0);
      return name;
    }
    do count += 1;
    while (this.#taken.has(`${name}-${count}`));
    this.#taken.set(name, count);
    this.#taken.set(`${name}-${count}`, 0);
    return `${name}-${count}`;
  }
}
