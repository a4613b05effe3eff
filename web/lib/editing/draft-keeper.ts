import { type Draft, dropDraft, keepDraft } from "./drafts.ts";

/** How long after a change the draft is kept, in ms. */
const DELAY_MS = 500;

/** Keeps the text of one editor in the browser while it is not saved, one step after another. */
export class DraftKeeper {
  #kept: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next: (() => Promise<void>) | null = null;
  #last: Promise<unknown> = Promise.resolve();
  readonly #onKept: (isKept: boolean) => void;

  /** @param onKept told whether the browser kept a draft */
  constructor(onKept: (isKept: boolean) => void) {
    this.#onKept = onKept;
  }

  /** Keeps a draft soon. Of a text that is of another file by now, only the last is kept. */
  keep(key: string, makeDraft: () => Draft): void {
    this.#next = async () => {
      if (this.#kept !== null && this.#kept !== key) await dropDraft(this.#kept);
      this.#kept = key;
      await keepDraft(key, makeDraft());
      this.#onKept(true);
    };
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS);
  }

  /** Nothing is to be kept any more, for now. */
  drop(): void {
    this.stop();
    this.#then(async () => {
      if (this.#kept !== null) await dropDraft(this.#kept);
      this.#kept = null;
    });
  }

  /** Keeps at once what is to be kept. */
  flush(): void {
    const next = this.#next;
    this.stop();
    if (next !== null) this.#then(next);
  }

  /** Leaves what is kept as it is. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = null;
  }

  #then(step: () => Promise<void>): void {
    this.#last = this.#last.then(step).catch(() => this.#onKept(false));
  }
}
