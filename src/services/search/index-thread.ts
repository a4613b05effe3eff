import { IndexDamaged } from "../../db/search/index-tables.ts";
import type { TextJob } from "../../db/search/job-reader.ts";
import type { LackingFiles } from "../../db/search/jobs.ts";
import { diskFull } from "../../db/engine/write-failures.ts";
import type { BatchId, DrivePk, FilePk } from "../../domain/id.ts";
import { startThread } from "../../process/thread-start.ts";
import type { StorePlaces } from "../store-places.ts";
import type { BatchRequest, DoneBatch } from "./index-work.ts";

/** A message to the thread. It answers each. */
export type IndexRequest =
  | {
      readonly kind: "open";
      readonly places: StorePlaces;
      /** See `IndexWork.open`. */
      readonly batch: BatchId | null;
      readonly fresh: BatchId;
    }
  | { readonly kind: "index"; readonly batch: BatchRequest }
  | { readonly kind: "document"; readonly after: DrivePk | null; readonly upTo: number }
  | { readonly kind: "lacking"; readonly after: FilePk }
  | { readonly kind: "merge" }
  | { readonly kind: "release" }
  | { readonly kind: "close"; readonly batch: BatchId | null };

/** An answer of the thread: what it did, or why it did nothing. */
export type IndexAnswer =
  | { readonly kind: "opened"; readonly isNew: boolean }
  | { readonly kind: "indexed"; readonly done: DoneBatch }
  | { readonly kind: "document"; readonly job: TextJob | null }
  | { readonly kind: "lacking"; readonly files: LackingFiles }
  | { readonly kind: "eased"; readonly isMore: boolean }
  | { readonly kind: "closed" }
  | { readonly kind: "full" }
  | { readonly kind: "damaged" }
  | { readonly kind: "failed"; readonly message: string };

/** The thread that writes the full-text index. It does one thing at a time. */
export class IndexThread {
  readonly #worker: Worker;
  /** Settles the request that the thread has not answered. */
  #asked: PromiseWithResolvers<IndexAnswer> | null = null;
  #isAlive = true;

  private constructor(parts: { worker: Worker }) {
    this.#worker = parts.worker;
  }

  /**
   * Starts the thread, and opens the index.
   *
   * @throws CofferError UNAVAILABLE if there are too few file descriptors for a thread
   */
  static async start(
    places: StorePlaces,
    batch: BatchId | null,
    fresh: BatchId,
  ): Promise<{ thread: IndexThread; isNew: boolean }> {
    const worker = startThread(new URL("./index-worker.ts", import.meta.url).href);
    const thread = new IndexThread({ worker });
    thread.#listen();
    try {
      const { isNew } = await thread.#ask({ kind: "open", places, batch, fresh }, "opened");
      return { thread, isNew };
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  /** Whether it can be asked something. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Does a batch of jobs. It is on the disk when this resolves. */
  async index(batch: BatchRequest): Promise<DoneBatch> {
    return (await this.#ask({ kind: "index", batch }, "indexed")).done;
  }

  /** See `IndexWork.nextDocument`. */
  async nextDocument(after: DrivePk | null, upTo: number): Promise<TextJob | null> {
    return (await this.#ask({ kind: "document", after, upTo }, "document")).job;
  }

  /** See `IndexWork.lacking`. */
  async lacking(after: FilePk): Promise<LackingFiles> {
    return (await this.#ask({ kind: "lacking", after }, "lacking")).files;
  }

  /** Merges for a while. Returns whether there may be more to merge. */
  async merge(): Promise<boolean> {
    return (await this.#ask({ kind: "merge" }, "eased")).isMore;
  }

  /** Gives back some memory, and space of the disk. Returns whether there may be more. */
  async release(): Promise<boolean> {
    return (await this.#ask({ kind: "release" }, "eased")).isMore;
  }

  /** Closes the index and ends the thread. See `IndexFile.close`. */
  async close(batch: BatchId | null): Promise<void> {
    if (!this.#isAlive) return;
    try {
      await this.#ask({ kind: "close", batch }, "closed");
    } finally {
      this.#worker.terminate();
    }
  }

  /**
   * @throws WriteRefused STORAGE_FULL
   * @throws IndexDamaged
   */
  async #ask<Kind extends IndexAnswer["kind"]>(
    request: IndexRequest,
    expected: Kind,
  ): Promise<Extract<IndexAnswer, { kind: Kind }>> {
    if (!this.#isAlive) throw new Error("the index thread has ended");
    this.#asked = Promise.withResolvers();
    this.#worker.postMessage(request, []);
    const answer = await this.#asked.promise;
    if (isOf(answer, expected)) return answer;
    if (answer.kind === "full") throw diskFull();
    if (answer.kind === "damaged") throw new IndexDamaged("the search index is damaged");
    const why = answer.kind === "failed" ? `failed: ${answer.message}` : `answered with ${answer.kind}`;
    throw new Error(`the index thread ${why}`);
  }

  #listen(): void {
    this.#worker.unref();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<IndexAnswer>) =>
      this.#asked?.resolve(data),
    );
    const lose = (error: Error) => {
      this.#isAlive = false;
      this.#asked?.reject(error);
    };
    this.#worker.addEventListener("error", ({ message }) =>
      lose(new Error(`the index thread failed: ${message}`)),
    );
    this.#worker.addEventListener("close", () => lose(new Error("the index thread ended")));
  }
}

function isOf<Kind extends IndexAnswer["kind"]>(
  answer: IndexAnswer,
  kind: Kind,
): answer is Extract<IndexAnswer, { kind: Kind }> {
  return answer.kind === kind;
}
