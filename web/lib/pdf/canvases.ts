/** In pixels, of all canvases that one page needs at once: 384 MB. Nested groups each need one. */
const MOST_PIXELS = 96 * 1024 * 1024;

interface Drawn {
  canvas: OffscreenCanvas | null;
  context: OffscreenCanvasRenderingContext2D | null;
}

/** Makes the canvases that pdf.js asks for, outside a page, and refuses those beyond what a page may need. */
export class BoundedCanvases {
  #pixels = 0;

  create(width: number, height: number): Drawn {
    const canvas = new OffscreenCanvas(this.#take(width, height), height);
    // Drawn in this thread, not by the one graphics process of all tabs: so ending this thread ends it.
    return { canvas, context: canvas.getContext("2d", { willReadFrequently: true }) };
  }

  reset({ canvas }: Drawn, width: number, height: number): void {
    if (canvas === null) return;
    this.#pixels -= canvas.width * canvas.height;
    canvas.width = this.#take(width, height);
    canvas.height = height;
  }

  destroy(drawn: Drawn): void {
    if (drawn.canvas === null) return;
    this.#pixels -= drawn.canvas.width * drawn.canvas.height;
    drawn.canvas.width = 0;
    drawn.canvas = null;
    drawn.context = null;
  }

  #take(width: number, height: number): number {
    if (!(width > 0 && height > 0)) throw new RangeError("a canvas of nothing");
    this.#pixels += width * height;
    if (this.#pixels > MOST_PIXELS) throw new RangeError("a page needs too many canvases");
    return width;
  }
}

/** For filters of a document's SVG elements, which a worker has not: what asks for one is drawn without. */
export class NoFilters {
  readonly #none = () => "none";
  readonly addFilter = this.#none;
  readonly addHCMFilter = this.#none;
  readonly addAlphaFilter = this.#none;
  readonly addLuminosityFilter = this.#none;
  readonly addKnockoutFilter = this.#none;
  readonly addHighlightHCMFilter = this.#none;
  readonly addSelectionHCMFilter = this.#none;
  readonly addSelectionFilter = this.#none;
  readonly createSelectionStyle = () => null;
  readonly destroy = () => {};
}
