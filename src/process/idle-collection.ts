/** For how long a thread must have had nothing to do, in milliseconds. */
const IDLE_MS = 500;

/** Collects the garbage of a thread, and gives back what else it has, once it has nothing to do. */
export class IdleCollection {
  readonly #giveBack: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param giveBack gives back other memory, after what is garbage: what keeps that is gone by then */
  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  /** Something was done: the wait begins anew. */
  delay(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      Bun.gc(true);
      this.#giveBack();
    }, IDLE_MS);
  }

  /** Nothing is given back any more, whatever is still done: what it is taken from may be closed. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
