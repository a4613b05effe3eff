import { ApiError } from "../api/api.ts";
import { sentenceSpace } from "../words/format.ts";
import { t } from "../words/text.ts";

/** How far a long piece of work is. */
export interface Progress {
  readonly done: number;
  readonly of: number;
  /** Seconds that the server asked to wait before going on; null while it goes on. */
  readonly pause: number | null;
}

/** Such as `1,000 of 2,300`. */
export function progressWords({ done, of, pause }: Progress): string {
  const far = t("{done} of {total}", { done, total: of });
  return pause === null
    ? far
    : `${t("Paused for {seconds} s (rate limit).", { seconds: pause })}${sentenceSpace()}${far}`;
}

/** Something that a piece of work left as it was, and why. */
export interface Left {
  readonly path: string;
  readonly error: ApiError;
}

/** Some of what was asked for, which was done. */
export interface Done {
  /** Where it stood before. */
  readonly paths: readonly string[];
  /** Takes it back, and gives what stayed; null where there is no way back. */
  readonly undo: (() => Promise<readonly Left[]>) | null;
}

/** Whoever watches a piece of work. */
export interface Work {
  readonly onProgress: (progress: Progress) => void;
  /** Told of each part that was done. */
  readonly onDone?: (done: Done) => void;
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

  /** @param of how many things all steps are about together */
  constructor(work: Work, of: number) {
    this.#work = work;
    this.#of = of;
    this.#report(null);
  }

  get isStopped(): boolean {
    return this.#work.signal.aborted;
  }

  /** Notes that something was done. */
  note(done: Done): void {
    if (done.paths.length > 0) this.#work.onDone?.(done);
  }

  /** Some things count as not done: another step will be about them. */
  putOff(count: number): void {
    this.#done -= count;
  }

  /** Takes a step, about what is at some paths. Does nothing once the work was stopped, which the step is told as well. */
  async take(paths: readonly string[], step: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    while (!this.isStopped) {
      try {
        await step(this.#work.signal);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 429) {
          await this.#pause(error.waitSeconds ?? PAUSE_SECONDS);
          continue;
        }
        this.left.push(...paths.map((path) => ({ path, error })));
      }
      this.#done += paths.length;
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
