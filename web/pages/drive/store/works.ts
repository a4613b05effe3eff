import { signal } from "@preact/signals-core";
import type { Work } from "../../../lib/api/types.ts";

/** What ends sooner is not worth a line, which would only flash. In milliseconds. */
const SHOWN_AFTER_MS = 1000;
/** How long after the feed was opened it has told all that is under way, in milliseconds. */
const ALL_TOLD_MS = 2000;

/** The large changes of folders that are under way in a drive, as the feed tells them. */
export class WorksStore {
  /** Those that last. */
  readonly shown = signal<readonly Work[]>([]);
  readonly #known = new Map<string, Work>();
  readonly #lasting = new Set<string>();
  /** Known from before the feed was opened again: they may have ended meanwhile. */
  #untold = new Set<string>();

  /** The feed was opened: it is about to tell all that is under way. */
  begin(): void {
    const untold = new Set(this.#known.keys());
    this.#untold = untold;
    if (untold.size === 0) return;
    setTimeout(() => {
      for (const id of untold) this.#known.delete(id);
      this.#show();
    }, ALL_TOLD_MS);
  }

  /** A work goes on, or has ended. */
  tell(work: Work): void {
    const { id, state } = work;
    this.#untold.delete(id);
    if (state === "done" || state === "undone") {
      this.#known.delete(id);
      this.#lasting.delete(id);
    } else {
      if (!this.#known.has(id)) {
        setTimeout(() => {
          this.#lasting.add(id);
          this.#show();
        }, SHOWN_AFTER_MS);
      }
      this.#known.set(id, work);
    }
    this.#show();
  }

  #show(): void {
    const works = [...this.#known.values()].filter(({ id }) => this.#lasting.has(id));
    if (works.length > 0 || this.shown.value.length > 0) this.shown.value = works;
  }
}
