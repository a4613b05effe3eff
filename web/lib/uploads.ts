import { ApiError } from "./api.ts";
import { formatBytes } from "./format.ts";
import { asApiError } from "./load.ts";
import type { ChosenFile } from "./uploads/chosen.ts";
import { acceptablePath } from "./uploads/names.ts";
import { placeFile } from "./uploads/place-file.ts";
import { Speedometer } from "./uploads/speed.ts";
import { type Decision, isPending, type QueueView, type Upload } from "./uploads/upload.ts";

const AT_ONCE = 3;
const NOTIFY_MS = 100;
/** How long to wait where the server does not say. */
const WAIT_SECONDS = 15;

/** Sends files, a few at a time, and knows how each is getting on. */
export class UploadQueue {
  readonly #maxFileSize: number;
  readonly #uploads = new Map<number, Upload>();
  readonly #waiting: number[] = [];
  readonly #running = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  readonly #storedListeners = new Set<(upload: Upload) => void>();
  readonly #speed = new Speedometer();
  #forAll: Decision | null = null;
  #lastId = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #notifying = false;

  /** @param maxFileSize bytes; larger files are refused before they are sent */
  constructor(maxFileSize: number) {
    this.#maxFileSize = maxFileSize;
  }

  /** Calls `listener` soon after anything changes; returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` for each file once it is stored; returns what ends that. */
  onStored(listener: (upload: Upload) => void): () => void {
    this.#storedListeners.add(listener);
    return () => this.#storedListeners.delete(listener);
  }

  view(): QueueView {
    return {
      uploads: [...this.#uploads.values()],
      speed: this.#speed.rate(performance.now()),
      isPaused: this.#pause !== undefined,
    };
  }

  /** @param folder a folder's path with its slash, or empty for the root */
  add(driveId: string, folder: string, chosen: readonly ChosenFile[]): void {
    for (const { path, file } of chosen) {
      const id = (this.#lastId += 1);
      const target = acceptablePath(folder + path);
      const error = this.#tooLarge(file);
      const state = error === null ? "waiting" : "failed";
      this.#uploads.set(id, { id, driveId, path: target, file, state, sent: 0, error, decision: null });
      if (error === null) this.#waiting.push(id);
    }
    this.#pump();
  }

  cancel(id: number): void {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return;
    this.#running.get(id)?.abort();
    const at = this.#waiting.indexOf(id);
    if (at !== -1) this.#waiting.splice(at, 1);
    if (isPending(upload)) this.#change(id, { state: "cancelled", sent: 0 });
    this.#pump();
  }

  cancelAll(): void {
    for (const upload of this.#uploads.values()) if (isPending(upload)) this.cancel(upload.id);
    this.#resume();
  }

  /** Sends a file again that failed or was cancelled. */
  retry(id: number): void {
    const upload = this.#uploads.get(id);
    if (upload?.state !== "failed" && upload?.state !== "cancelled") return;
    if (this.#tooLarge(upload.file) !== null) return;
    this.#enqueue(id);
    this.#pump();
  }

  retryFailed(): void {
    for (const { id, state } of this.#uploads.values()) if (state === "failed") this.retry(id);
  }

  /** Decides about a file whose place is taken; `forAll` about every further one until the queue is through. */
  answer(id: number, decision: Decision, forAll: boolean): void {
    if (forAll) this.#forAll = decision;
    for (const upload of this.#uploads.values()) {
      if (upload.state !== "asking" || !(forAll || upload.id === id)) continue;
      if (decision === "skip") this.#change(upload.id, { state: "skipped", decision });
      else this.#enqueue(upload.id, decision);
    }
    this.#pump();
  }

  /** Forgets everything that is over. */
  clear(): void {
    for (const upload of this.#uploads.values()) if (!isPending(upload)) this.#uploads.delete(upload.id);
    this.#notify();
  }

  #tooLarge({ size }: File): ApiError | null {
    if (size <= this.#maxFileSize) return null;
    const message = `This file has ${formatBytes(size)}; the server takes at most ${formatBytes(this.#maxFileSize)}.`;
    return new ApiError(0, "PAYLOAD_TOO_LARGE", message);
  }

  #enqueue(id: number, decision: Decision | null = this.#uploads.get(id)?.decision ?? null): void {
    this.#change(id, { state: "waiting", sent: 0, error: null, decision });
    this.#waiting.push(id);
  }

  #pump(): void {
    while (this.#pause === undefined && this.#running.size < AT_ONCE) {
      const upload = this.#uploads.get(this.#waiting.shift() ?? 0);
      if (upload === undefined) break;
      void this.#run(upload);
    }
    if (![...this.#uploads.values()].some(isPending)) this.#forAll = null;
    this.#notify();
  }

  async #run(upload: Upload): Promise<void> {
    const { id } = upload;
    const abort = new AbortController();
    this.#running.set(id, abort);
    this.#change(id, { state: "sending", sent: 0 });
    try {
      const placed = await placeFile(upload, {
        signal: abort.signal,
        decision: () => upload.decision ?? this.#forAll,
        onProgress: this.#progressOf(upload),
        onWait: (seconds) => this.#wait(seconds),
      });
      this.#change(id, placed);
      if (placed.state === "done") for (const tell of this.#storedListeners) tell({ ...upload, ...placed });
    } catch (error) {
      if (abort.signal.aborted) this.#change(id, { state: "cancelled", sent: 0 });
      else if (error instanceof ApiError && error.status === 429) this.#postpone(id);
      else this.#change(id, { state: "failed", sent: 0, error: asApiError(error) });
    } finally {
      this.#running.delete(id);
      this.#pump();
    }
  }

  #progressOf({ id, file }: Upload): (sent: number) => void {
    let before = 0;
    return (sent) => {
      // It begins anew where a file is sent a second time.
      this.#speed.add(sent - (sent < before ? 0 : before), performance.now());
      before = sent;
      this.#change(id, { sent: Math.min(sent, file.size) });
    };
  }

  #postpone(id: number): void {
    this.#change(id, { state: "waiting", sent: 0 });
    this.#waiting.unshift(id);
    this.#wait(WAIT_SECONDS);
  }

  /** The first to ask decides: what comes after was sent before it was known. */
  #wait(seconds: number): void {
    this.#pause ??= setTimeout(() => this.#resume(), seconds * 1000);
  }

  #resume(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#pump();
  }

  #change(id: number, to: Partial<Upload>): void {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) this.#uploads.set(id, { ...upload, ...to });
    this.#notify();
  }

  #notify(): void {
    if (this.#notifying) return;
    this.#notifying = true;
    setTimeout(() => {
      this.#notifying = false;
      for (const listener of this.#listeners) listener();
    }, NOTIFY_MS);
  }
}
