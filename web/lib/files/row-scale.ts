/** Firefox lets no element be taller than about 17.8 million pixels, Chromium and Safari than 33.5. */
const MOST_HEIGHT = 15_000_000;
/** So far from both ends, a pixel scrolled is always a pixel of rows. */
const MARGIN = 1_000_000;

/**
 * Where the rows of a list stand in the element that holds them. All one below the other they may be taller
 * than an element can be; then the middle of the element stands for more rows than there is room for, and
 * scrolling there goes faster. `y` below is what lies at the top of the window, in pixels.
 */
export class RowScale {
  /** Of the element. */
  readonly height: number;
  /** Of all rows. */
  readonly #rows: number;
  /** Pixels of rows for a pixel of the element, in its middle. */
  readonly #speed: number;

  /** @param rowHeight in pixels */
  constructor(count: number, rowHeight: number) {
    this.#rows = count * rowHeight;
    this.height = Math.min(this.#rows, MOST_HEIGHT);
    this.#speed = this.#rows <= MOST_HEIGHT ? 1 : (this.#rows - 2 * MARGIN) / (this.height - 2 * MARGIN);
  }

  /** The place among all rows for a place in the element. */
  toRows(y: number): number {
    if (y <= MARGIN || this.#speed === 1) return y;
    if (y >= this.height - MARGIN) return y + this.#rows - this.height;
    return MARGIN + (y - MARGIN) * this.#speed;
  }

  /** The place in the element for a place among all rows. */
  toElement(y: number): number {
    if (y <= MARGIN || this.#speed === 1) return y;
    if (y >= this.#rows - MARGIN) return y + this.height - this.#rows;
    return MARGIN + (y - MARGIN) / this.#speed;
  }
}
