import { ApiError } from "../api/api.ts";

/** How far a long piece of work is. */
export interface Progress {
  readonly done: number;
  readonly of: number;
  /** Seconds that the server asked to wait before going on; null while it goes on. */
  readonly pause: number | null;
}

/** Something that a piece of work left as it was, and why. */
export interface Left {
  readonly path: string;
  readonly error: ApiError;
}

/** Something that was done, and how to take it back. */
export interface Undoable {
  /** Where it stood before. */
  readonly path: string;
  /** Rejects where it cannot be taken back. */
  readonly undo: () => Promise<void>;
}

/** Whoever watches a piece of work. */
export interface Work {
  readonly onProgress: (progress: Progress) => void;
  /** Told of each thing that was done and can be taken back. */
  readonly onUndoable?: (done: Undoable) => void;
  /** Stops between two requests. */
  readonly signal: AbortSignal;
}

/** Where the server does not say how long to wait. */
const PAUSE_SECONDS = 5;

/**
 * Takes many steps one after another. A refused one does not stop the others but is noted in `left`;
 * when the server asks for patience (429), the step waits for as long and is tried again.
 */
export class Steps {
  readonly left: Left[] = [];
  readonly #work: Work;
  readonly #of: number;
  #done = 0;

  /** @param of how many units all steps have together */
  constructor(work: Work, of: number) {
    this.#work = work;
    this.#of = of;
    this.#report(null);
  }

  get isStopped(): boolean {
    return this.#work.signal.aborted;
  }

  /** Notes that something was done which can be taken back. */
  note(done: Undoable): void {
    this.#work.onUndoable?.(done);
  }

  /** Takes a step of `units`; `path` is what it is about. Does nothing once the work was stopped. */
  async take(path: string, step: () => Promise<unknown>, units = 1): Promise<void> {
    while (!this.isStopped) {
      try {
        await step();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 429) {
          await this.#pause(error.waitSeconds ?? PAUSE_SECONDS);
          continue;
        }
        this.left.push({ path, error });
      }
      this.#done += units;
      return this.#report(null);
    }
  }

  async #pause(seconds: number): Promise<void> {
    this.#report(seconds);
    const { signal } = this.#work;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #report(pause: number | null): void {
    this.#work.onProgress({ done: this.#done, of: this.#of, pause });
  }
}
