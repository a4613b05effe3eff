/** For how long a thread must have had nothing to do, in milliseconds. */
const IDLE_MS = 500;

/** Collects the garbage of a thread once it has nothing to do. */
export class IdleCollection {
  #timer: NodeJS.Timeout | undefined;

  /** Something was done: the wait begins anew. */
  delay(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => Bun.gc(true), IDLE_MS);
  }
}
