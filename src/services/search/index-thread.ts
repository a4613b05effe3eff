import { IndexDamaged, isDamage } from "../../db/search/index-tables.ts";
import { diskFull, hadNoRoomToOpen } from "../../db/engine/write-failures.ts";
import type { BatchId } from "../../domain/id.ts";
import { AskedThread } from "../../process/asked-thread.ts";
import type { StorePlaces } from "../parts.ts";
import type { IndexWork } from "./index-work.ts";

/** The thread that writes the full-text index. What is asked of it throws WriteRefused STORAGE_FULL, and IndexDamaged. */
export class IndexThread {
  readonly #thread = new AskedThread<IndexWork>({
    module: new URL("./index-worker.ts", import.meta.url).href,
    what: "the index thread",
  });

  /** Starts the thread, and opens the index: see `IndexWork.open`. Throws UNAVAILABLE without file descriptors. */
  static async start(places: StorePlaces, batch: BatchId | null, fresh: BatchId) {
    const thread = new IndexThread();
    try {
      return { thread, isNew: await thread.ask("open", places, batch, fresh) };
    } catch (error) {
      thread.#thread.end();
      throw error;
    }
  }

  /** Whether it can be asked something. */
  get isAlive(): boolean {
    return this.#thread.isAlive;
  }

  /** Has it do something: see `IndexWork`. */
  async ask<Name extends keyof IndexWork>(name: Name, ...args: Parameters<IndexWork[Name]>) {
    try {
      return await this.#thread.ask(name, ...args);
    } catch (error) {
      if (hadNoRoomToOpen(error)) throw diskFull();
      throw isDamage(error) ? new IndexDamaged("the search index is damaged") : error;
    }
  }

  /** Closes the index and ends the thread. See `IndexFile.close`. */
  async close(batch: BatchId | null): Promise<void> {
    if (!this.isAlive) return;
    try {
      await this.ask("close", batch);
    } finally {
      this.#thread.end();
    }
  }
}
