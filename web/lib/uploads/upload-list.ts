import { isPending, type Upload } from "./upload.ts";

const NOTIFY_MS = 100;

/** The uploads as they are now, in the order they were chosen, and whoever wants to know of changes. */
export class UploadList {
  readonly #uploads = new Map<number, Upload>();
  readonly #listeners = new Set<() => void>();
  #pending = 0;
  #notifying = false;

  /** Whether anything is not over yet. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** All of them as they are; safe to go through while they change. */
  all(): Upload[] {
    return [...this.#uploads.values()];
  }

  get(id: number): Upload | undefined {
    return this.#uploads.get(id);
  }

  /** Adds one, or puts it in the place of its former self. */
  set(upload: Upload): void {
    const before = this.#uploads.get(upload.id);
    if (before !== undefined && isPending(before)) this.#pending -= 1;
    if (isPending(upload)) this.#pending += 1;
    this.#uploads.set(upload.id, upload);
    this.notify();
  }

  /** Does nothing where it is no longer there. */
  change(id: number, to: Partial<Upload>): void {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) this.set({ ...upload, ...to });
  }

  /** Forgets those that are over, and of which `isGone` is true. */
  forget(isGone: (upload: Upload) => boolean): void {
    for (const upload of this.#uploads.values()) {
      if (!isPending(upload) && isGone(upload)) this.#uploads.delete(upload.id);
    }
    this.notify();
  }

  /** Calls `listener` soon after anything changes, not each time; returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the listeners soon. */
  notify(): void {
    if (this.#notifying) return;
    this.#notifying = true;
    setTimeout(() => {
      this.#notifying = false;
      this.tell();
    }, NOTIFY_MS);
  }

  /** Tells the listeners at once. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
