import { IndexDamaged, isDamage } from "../../db/search/index-tables.ts";
import type { TextJob } from "../../db/search/job-reader.ts";
import type { LackingFiles } from "../../db/search/jobs.ts";
import { diskFull, hadNoRoomToOpen } from "../../db/engine/write-failures.ts";
import type { BatchId, DrivePk, FilePk } from "../../domain/id.ts";
import { AskedThread } from "../../process/asked-thread.ts";
import type { StorePlaces } from "../store-places.ts";
import type { BatchRequest, DoneBatch } from "./index-work.ts";
import type { IndexCalls } from "./index-worker.ts";

/** The thread that writes the full-text index. What is asked of it throws WriteRefused STORAGE_FULL, and IndexDamaged. */
export class IndexThread {
  readonly #thread = new AskedThread<IndexCalls>({
    module: new URL("./index-worker.ts", import.meta.url).href,
    what: "the index thread",
  });

  /**
   * Starts the thread, and opens the index. See `IndexWork.open`.
   *
   * @throws CofferError UNAVAILABLE if there are too few file descriptors for a thread
   */
  static async start(
    places: StorePlaces,
    batch: BatchId | null,
    fresh: BatchId,
  ): Promise<{ thread: IndexThread; isNew: boolean }> {
    const thread = new IndexThread();
    try {
      return { thread, isNew: await answered(thread.#thread.ask("open", places, batch, fresh)) };
    } catch (error) {
      thread.#thread.end();
      throw error;
    }
  }

  /** Whether it can be asked something. */
  get isAlive(): boolean {
    return this.#thread.isAlive;
  }

  /** Does a batch of jobs. It is on the disk when this resolves. */
  index(batch: BatchRequest): Promise<DoneBatch> {
    return answered(this.#thread.ask("index", batch));
  }

  /** See `IndexWork.nextDocument`. */
  nextDocument(after: DrivePk | null, upTo: number): Promise<TextJob | null> {
    return answered(this.#thread.ask("document", after, upTo));
  }

  /** See `IndexWork.lacking`. */
  lacking(after: FilePk): Promise<LackingFiles> {
    return answered(this.#thread.ask("lacking", after));
  }

  /** Merges for a while. Returns whether there may be more to merge. */
  merge(): Promise<boolean> {
    return answered(this.#thread.ask("merge"));
  }

  /** Gives back some memory, and space of the disk. Returns whether there may be more. */
  release(): Promise<boolean> {
    return answered(this.#thread.ask("release"));
  }

  /** Closes the index and ends the thread. See `IndexFile.close`. */
  async close(batch: BatchId | null): Promise<void> {
    if (!this.isAlive) return;
    try {
      await answered(this.#thread.ask("close", batch));
    } finally {
      this.#thread.end();
    }
  }
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hadNoRoomToOpen(error)) throw diskFull();
    throw isDamage(error) ? new IndexDamaged("the search index is damaged") : error;
  }
}
