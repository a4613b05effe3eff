import { type ApiError, asApiError, ask, isPassing } from "./api/api.ts";
import { type Entry, fileEntry } from "./files.ts";
import { formatBytes } from "./words/format.ts";
import { t } from "./words/text.ts";
import type { FileRecord } from "./api/types.ts";
import type { Chosen } from "./uploads/chosen.ts";
import { acceptablePath } from "./uploads/names.ts";
import { placeUpload } from "./uploads/place-upload.ts";
import { Speedometer } from "./uploads/speed.ts";
import type { Decision } from "./files/taken.ts";
import {
  isPending,
  isRetryable,
  type QueueView,
  REQUEST_WORK,
  TOO_LARGE,
  type Upload,
  type UploadError,
} from "./uploads/upload.ts";
import { UploadList } from "./uploads/upload-list.ts";

const AT_ONCE = 3;
/** How long to wait if the server does not say. */
const REST_SECONDS = 15;
/** How often an upload is sent that gets no answer, although others do: then it may be what the server fails at. */
const MOST_TRIES = 4;

/** Told of a file or folder that was stored, and whether that replaced another content. */
type StoredListener = (stored: Entry, isReplacement: boolean) => void;

/** Sends files, a few at a time, and knows the progress of each. */
export class UploadQueue {
  readonly #maxFileSize: number;
  readonly #list = new UploadList();
  /** The uploads that wait for their turn; cancelled ones are skipped. */
  readonly #waiting: number[] = [];
  readonly #running = new Map<number, AbortController>();
  readonly #storedListeners = new Set<StoredListener>();
  readonly #speed = new Speedometer();
  readonly #pace = new Speedometer();
  #forAll: Decision | null = null;
  #lastId = 0;
  /** Uploads that were refused with 401 and get one more try. */
  readonly #unauthorised = new Set<number>();
  #isHeld = false;
  /** How often uploads got no answer. */
  readonly #unanswered = new Map<number, number>();
  #isAway = false;
  #rest: { readonly timer: ReturnType<typeof setTimeout>; readonly until: number } | null = null;

  /** @param maxFileSize bytes; larger files are refused before they are sent */
  constructor(maxFileSize: number) {
    this.#maxFileSize = maxFileSize;
  }

  /** Whether an upload is unfinished. */
  get isBusy(): boolean {
    return this.#list.isBusy;
  }

  /** Calls `listener` soon after any change; returns a function that stops this. */
  subscribe(listener: () => void): () => void {
    return this.#list.subscribe(listener);
  }

  /** Calls `listener` with each file and folder once it is stored; returns a function that stops this. */
  onStored(listener: StoredListener): () => void {
    this.#storedListeners.add(listener);
    return () => this.#storedListeners.delete(listener);
  }

  /** Tells the listeners of a file that was sent here and has changed since. */
  changed(file: FileRecord): void {
    for (const tell of this.#storedListeners) tell(fileEntry(file), false);
  }

  view(): QueueView {
    const now = performance.now();
    return {
      uploads: this.#list.all(),
      speed: this.#speed.rate(now),
      pace: this.#pace.rate(now),
      isAway: this.#isAway && this.isBusy,
      rest: this.#rest === null || !this.isBusy ? null : Math.max(0, (this.#rest.until - now) / 1000),
    };
  }

  /**
   * Adds files to the queue. If nothing is being sent, the counts start again; failed and cancelled uploads stay.
   *
   * @param folder a folder's path with its slash, or empty for the root
   */
  add(driveId: string, folder: string, chosen: readonly Chosen[]): void {
    if (!this.isBusy) this.#list.forget((upload) => !isRetryable(upload));
    for (const { path: below, file } of chosen) {
      const id = (this.#lastId += 1);
      const path = acceptablePath(folder + below);
      const size = file?.size ?? 0;
      const error = this.#tooLarge(size);
      const state = error === null ? "waiting" : "failed";
      this.#list.set({ id, driveId, path, file, size, state, sent: 0, error, decision: null });
      if (error === null) this.#waiting.push(id);
    }
    this.#pump();
  }

  cancel(id: number): void {
    this.#drop(id);
    this.#pump();
  }

  cancelAll(): void {
    for (const { id } of this.#list.all()) this.#drop(id);
    this.#resume();
  }

  /** Tries a failed or cancelled upload again. */
  retry(id: number): void {
    const upload = this.#list.get(id);
    if (upload === undefined || !isRetryable(upload)) return;
    this.#enqueue(id);
    this.#pump();
  }

  /** Tries all failed uploads again, but not the cancelled ones. */
  retryFailed(): void {
    for (const upload of this.#list.all()) {
      if (upload.state === "failed" && isRetryable(upload)) this.#enqueue(upload.id);
    }
    this.#pump();
  }

  /** Decides about a file that exists already; with `forAll` also about all others until the queue is empty. */
  answer(id: number, decision: Decision, forAll: boolean): void {
    if (forAll) this.#forAll = decision;
    for (const upload of this.#list.all()) {
      if (upload.state !== "asking" || !(forAll || upload.id === id)) continue;
      if (decision === "skip") this.#list.change(upload.id, { state: "skipped", decision });
      else this.#enqueue(upload.id, decision);
    }
    this.#pump();
    // At once, so that nobody sees a question again that they have answered.
    this.#list.tell();
  }

  /** Starts no more uploads until `release`, because nobody is signed in. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#pump();
  }

  /** Forgets all finished uploads. */
  clear(): void {
    this.#list.forget(() => true);
  }

  #tooLarge(size: number): UploadError | null {
    if (size <= this.#maxFileSize) return null;
    const message = t("This file is {size}. The maximum is {most}.", {
      size: formatBytes(size),
      most: formatBytes(this.#maxFileSize),
    });
    return { code: TOO_LARGE, message, requestId: undefined };
  }

  #enqueue(id: number, decision: Decision | null = this.#list.get(id)?.decision ?? null): void {
    this.#list.change(id, { state: "waiting", sent: 0, error: null, decision });
    this.#waiting.push(id);
  }

  #drop(id: number): void {
    const upload = this.#list.get(id);
    if (upload === undefined || !isPending(upload)) return;
    this.#running.get(id)?.abort();
    this.#running.delete(id);
    this.#list.change(id, { state: "cancelled", sent: 0 });
  }

  #pump(): void {
    while (!this.#isHeld && !this.#isAway && this.#rest === null && this.#running.size < AT_ONCE) {
      const id = this.#waiting.shift();
      if (id === undefined) break;
      const upload = this.#list.get(id);
      if (upload?.state === "waiting") void this.#run(upload);
    }
    if (!this.isBusy) this.#forAll = null;
  }

  async #run(upload: Upload): Promise<void> {
    const { id } = upload;
    const abort = new AbortController();
    this.#running.set(id, abort);
    this.#list.change(id, { state: "sending", sent: 0 });
    let stored: Entry | null = null;
    let isReplacement = false;
    let after: Partial<Upload>;
    try {
      const placed = await placeUpload(upload, {
        signal: abort.signal,
        decision: () => upload.decision ?? this.#forAll,
        onProgress: this.#progressOf(upload, abort.signal),
        onWait: (seconds) => this.#wait(seconds),
      });
      if (placed.state === "done") ({ stored, isReplacement } = placed);
      after = {
        state: placed.state,
        sent: stored === null ? 0 : upload.size,
        path: stored?.path ?? upload.path,
      };
    } catch (error) {
      after = this.#refused(asApiError(error), abort.signal, id);
    }
    // Cancelled, and perhaps already started again.
    if (abort.signal.aborted) return;
    this.#running.delete(id);
    this.#list.change(id, after);
    if (stored !== null) {
      this.#pace.add(REQUEST_WORK, performance.now());
      for (const tell of this.#storedListeners) tell(stored, isReplacement);
    }
    this.#pump();
  }

  /** Handles a refused upload: it fails, or it waits for what lets it go on. */
  #refused(error: ApiError, { aborted }: AbortSignal, id: number): Partial<Upload> {
    if (aborted || !this.#waitsAfter(error, id)) return { state: "failed", sent: 0, error };
    this.#waiting.unshift(id);
    return { state: "waiting", sent: 0 };
  }

  /** Whether an upload can go on once somebody signs in again, or the server is back, or accepts more requests. */
  #waitsAfter(error: ApiError, id: number): boolean {
    if (error.status === 429) this.#wait(error.waitSeconds ?? REST_SECONDS);
    else if (error.status === 401 && !this.#unauthorised.has(id)) {
      this.#unauthorised.add(id);
      this.hold();
    } else if (isPassing(error)) {
      const tries = (this.#unanswered.get(id) ?? 0) + 1;
      if (tries >= MOST_TRIES) return false;
      this.#unanswered.set(id, tries);
      void this.#waitForServer();
    } else return false;
    return true;
  }

  async #waitForServer(): Promise<void> {
    if (this.#isAway) return;
    this.#isAway = true;
    // It waits until there is an answer, whichever that is.
    await ask("/healthz", { cache: "no-store" }).catch(() => {});
    this.#isAway = false;
    this.#pump();
    this.#list.notify();
  }

  #progressOf({ id, size }: Upload, signal: AbortSignal): (sent: number) => void {
    let before = 0;
    return (sent) => {
      if (signal.aborted) return;
      // The count starts again when a file is sent a second time.
      const bytes = sent - (sent < before ? 0 : before);
      const now = performance.now();
      this.#speed.add(bytes, now);
      this.#pace.add(bytes, now);
      before = sent;
      this.#list.change(id, { sent: Math.min(sent, size) });
    };
  }

  /** Only the first upload that is refused sets the pause: the others were sent before it was known. */
  #wait(seconds: number): void {
    this.#rest ??= {
      timer: setTimeout(() => this.#resume(), seconds * 1000),
      until: performance.now() + seconds * 1000,
    };
  }

  #resume(): void {
    clearTimeout(this.#rest?.timer);
    this.#rest = null;
    this.#pump();
    this.#list.notify();
  }
}
