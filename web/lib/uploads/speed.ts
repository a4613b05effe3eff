const WINDOW_MS = 4000;

/** How fast bytes have been going lately. */
export class Speedometer {
  #marks: { readonly at: number; readonly bytes: number }[] = [];

  /** @param at milliseconds; never less than the last time */
  add(bytes: number, at: number): void {
    this.#marks.push({ at, bytes });
    const oldest = this.#marks.findIndex((mark) => mark.at >= at - WINDOW_MS);
    if (oldest > 0) this.#marks.splice(0, oldest);
  }

  /** Bytes a second over the last seconds; 0 while there is nothing to tell it from. */
  rate(now: number): number {
    const recent = this.#marks.filter(({ at }) => at >= now - WINDOW_MS);
    const [first] = recent;
    if (first === undefined) return 0;
    const bytes = recent.reduce((sum, mark) => sum + mark.bytes, 0);
    // A single burst is spread over half a second at least, or it would look like light.
    return (bytes * 1000) / Math.max(now - first.at, 500);
  }
}
