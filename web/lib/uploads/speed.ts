const WINDOW_MS = 4000;
/** What comes sooner tells nothing yet: a first byte, or a burst into the browser's own buffers. */
const SETTLE_MS = 1500;

/** How fast bytes have been going lately. */
export class Speedometer {
  #marks: { readonly at: number; readonly bytes: number }[] = [];

  /** @param at milliseconds; never less than the last time */
  add(bytes: number, at: number): void {
    this.#marks.push({ at, bytes });
    const oldest = this.#marks.findIndex((mark) => mark.at >= at - WINDOW_MS);
    if (oldest > 0) this.#marks.splice(0, oldest);
  }

  /** Bytes a second over the last seconds; 0 while there is not enough to tell it from. */
  rate(now: number): number {
    const recent = this.#marks.filter(({ at }) => at >= now - WINDOW_MS);
    const [first] = recent;
    if (first === undefined || now - first.at < SETTLE_MS) return 0;
    return (recent.reduce((sum, { bytes }) => sum + bytes, 0) * 1000) / (now - first.at);
  }
}
