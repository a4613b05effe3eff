import { isPending, type Upload } from "./upload.ts";

const NOTIFY_MS = 100;

/** The uploads in the order they were chosen, and the listeners to their changes. */
export class UploadList {
  readonly #uploads = new Map<number, Upload>();
  readonly #listeners = new Set<() => void>();
  #pending = 0;
  #notifying = false;

  /** Whether an upload is unfinished. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** A snapshot of all uploads; safe to iterate while they change. */
  all(): Upload[] {
    return [...this.#uploads.values()];
  }

  get(id: number): Upload | undefined {
    return this.#uploads.get(id);
  }

  /** Adds an upload, or replaces its older version. */
  set(upload: Upload): void {
    const before = this.#uploads.get(upload.id);
    if (before !== undefined && isPending(before)) this.#pending -= 1;
    if (isPending(upload)) this.#pending += 1;
    this.#uploads.set(upload.id, upload);
    this.notify();
  }

  /** Does nothing if the upload is no longer in the list. */
  change(id: number, to: Partial<Upload>): void {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) this.set({ ...upload, ...to });
  }

  /** Forgets the finished uploads for which `isGone` is true. */
  forget(isGone: (upload: Upload) => boolean): void {
    for (const upload of this.#uploads.values()) {
      if (!isPending(upload) && isGone(upload)) this.#uploads.delete(upload.id);
    }
    this.notify();
  }

  /** Calls `listener` soon after a change, once for several; returns a function that stops this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listeners soon. */
  notify(): void {
    if (this.#notifying) return;
    this.#notifying = true;
    setTimeout(() => {
      this.#notifying = false;
      this.tell();
    }, NOTIFY_MS);
  }

  /** Calls the listeners at once. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
