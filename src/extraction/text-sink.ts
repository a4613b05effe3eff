/** Thrown when there is enough text. What there is by then stays. */
export class Enough extends Error {
  override readonly name = "Enough";
}

/** Collects the text of a document, line by line. Every method throws Enough once there is enough. */
export class TextSink {
  readonly #limits;
  readonly #pieces: string[] = [];
  #length = 0;
  /** Whether the current line has no text yet. */
  #isEmpty = true;
  /** Whether the line before is blank, or there is none. */
  #isAfterBlank = true;
  /** Cells that ended since the last text of the line. */
  #tabs = 0;
  /** Whether there is space before the next text of the line. */
  #hasGap = false;
  /** How many cells and notes are open, one inside the other. */
  #inline = 0;
  #isCut = false;

  /** @param limits how much text to take, in UTF-16 units, and when to stop, by `performance.now()` */
  constructor(limits: { units: number; endsAt: number }) {
    this.#limits = limits;
  }

  /** Whether text of the document is left out. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Adds text to the current line as it is. */
  text(text: string): void {
    if (text === "") return this.check();
    if (this.#tabs > 0) this.#add("\t".repeat(this.#tabs));
    else if (this.#hasGap && !this.#isEmpty) this.#add(" ");
    this.#tabs = 0;
    this.#hasGap = false;
    this.#isEmpty = false;
    this.#add(text.replaceAll("\0", ""));
  }

  /** Adds text to the current line, with one space in the place of each run of spaces and line ends. */
  words(text: string): void {
    const words = text.replaceAll(/[ \t\r\n\f]+/g, " ");
    if (words.startsWith(" ")) this.#hasGap = true;
    this.text(words.slice(words.startsWith(" ") ? 1 : 0, words.endsWith(" ") ? -1 : words.length));
    if (words.endsWith(" ")) this.#hasGap = true;
  }

  /** Ends the current line; inside of one, it goes on. No two blank lines follow each other. */
  endLine(): void {
    if (this.#inline > 0) this.#hasGap = true;
    else this.#break();
  }

  /** Like `endLine`, but a line without text stays open. */
  endText(): void {
    if (!this.#isEmpty) this.endLine();
  }

  /** What follows, until `closeInline`, is inside of the current line. */
  openInline(): void {
    this.#inline += 1;
  }

  closeInline(): void {
    this.#hasGap = false;
    this.#inline = Math.max(0, this.#inline - 1);
  }

  /** Ends a cell of a table, which `openInline` began. */
  closeCell(): void {
    this.closeInline();
    if (this.#inline > 0) this.#hasGap = true;
    else this.tabs(1);
  }

  endPage(): void {
    this.endText();
    this.#add("\f");
    this.#isAfterBlank = true;
  }

  /** Adds tabs before the next text of the line; none at its end. */
  tabs(count: number): void {
    this.#tabs += count;
    this.#hasGap = false;
  }

  /** Checks the time; for what goes on without text. */
  check(): void {
    if (performance.now() > this.#limits.endsAt) this.cut();
  }

  /** Ends the text here, although the document has more. */
  cut(): never {
    this.#isCut = true;
    throw new Enough();
  }

  /** The text so far. It ends with a line end, unless it is empty or cut. */
  toString(): string {
    const written = this.#pieces.join("");
    if (this.#isCut) return written;
    const text = written.trimEnd();
    return text === "" ? "" : `${text}\n`;
  }

  #break(): void {
    this.#tabs = 0;
    this.#hasGap = false;
    if (this.#isEmpty && this.#isAfterBlank) return this.check();
    this.#isAfterBlank = this.#isEmpty;
    this.#isEmpty = true;
    this.#add("\n");
  }

  #add(text: string): void {
    this.check();
    const room = this.#limits.units - this.#length;
    const piece = text.length > room ? text.slice(0, room) : text;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (text.length > room) this.cut();
  }
}
