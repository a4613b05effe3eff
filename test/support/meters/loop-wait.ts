/** Measures how long the event loop makes others wait. */
export class LoopWait {
  #longest = 0;
  #last = 0;
  #isOn = false;

  /** The longest wait while `work` runs, in milliseconds. */
  async during(work: () => Promise<unknown>): Promise<number> {
    this.#longest = 0;
    this.#last = performance.now();
    this.#isOn = true;
    this.#look();
    await work();
    this.#isOn = false;
    return Math.max(this.#longest, performance.now() - this.#last);
  }

  #look(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
    if (this.#isOn) setImmediate(() => this.#look());
  }
}
