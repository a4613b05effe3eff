import { CofferError } from "../../domain/errors.ts";
import { AskedThread } from "../../process/threads.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { addressOf, type EmbeddingsEndpoint } from "./embeddings.ts";
import type { EmbeddingWork } from "./embedding-work.ts";

/** How long changes are collected, in milliseconds. */
const GATHER_MS = 500;
/** How often it is looked for what nobody told of, in milliseconds: documents whose text was read, for example. */
const LOOK_MS = 60_000;
/** How long to wait for a document whose text is read first, in milliseconds. */
const DOCUMENT_MS = 2000;
/** How long to wait after a failure, in milliseconds: twice as long after each, up to the most. */
const RETRY_MS = 2000;
const MOST_RETRY_MS = 300_000;

export interface EmbeddingFailure {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why the endpoint failed; null if it was something else. */
  readonly why: string | null;
}

/** Has vectors made in the background, one request after the other. Does nothing without an endpoint. */
export class Embedder extends Service<
  Pick<Parts, "clock" | "log" | "storePlaces" | "tables"> & { embeddings: EmbeddingsEndpoint | null }
> {
  #thread: AskedThread<EmbeddingWork> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  #failures = 0;
  /** What failed first since it last worked; null while it works. */
  #failure: EmbeddingFailure | null = null;
  #isStarted = false;

  get failure(): EmbeddingFailure | null {
    return this.#failure;
  }

  start(): void {
    this.#isStarted = this.parts.embeddings !== null;
    this.wake();
  }

  /** Call this when files have changed. */
  wake(): void {
    if (this.#failures === 0) this.#schedule(GATHER_MS);
  }

  /** Gives up what is under way: it is done again after the next start. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    // A request may take minutes.
    if (this.#running === null && this.#thread?.isAlive === true) await this.#thread.ask("close");
    this.#thread?.end();
    await this.#running;
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (!this.#isStarted || this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      if (this.#running !== null) return this.#schedule(GATHER_MS);
      this.#running = this.#run().finally(() => {
        this.#running = null;
      });
    }, ms);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    try {
      const thread = await this.#opened();
      if (thread === null) return;
      for (;;) {
        await this.parts.tables.requireWritable();
        const outcome = await thread.ask("step");
        if (outcome.kind === "failed") return this.#fail(outcome.why);
        if (this.#failures > 0) this.parts.log.info("the embeddings endpoint answers again");
        this.#failures = 0;
        this.#failure = null;
        if (outcome.kind === "some") continue;
        return this.#schedule(outcome.kind === "waiting" ? DOCUMENT_MS : LOOK_MS);
      }
    } catch (error) {
      this.#thread?.end();
      this.#thread = null;
      if (!this.#isStarted) return;
      // A full or failed disk, and too few descriptors, are logged elsewhere.
      if (!(error instanceof CofferError)) this.parts.log.error("vectors could not be made", { error });
      this.#fail(null);
    }
  }

  /** Tries again later. @param why the endpoint failed; null if it was something else */
  #fail(why: string | null): void {
    if (why !== null && this.#failures === 0) this.parts.log.warn("the embeddings endpoint fails", { why });
    this.#schedule(Math.min(RETRY_MS * 2 ** this.#failures, MOST_RETRY_MS));
    this.#failures += 1;
    this.#failure ??= { at: this.parts.clock.now(), why };
  }

  async #opened(): Promise<AskedThread<EmbeddingWork> | null> {
    const { embeddings, storePlaces } = this.parts;
    if (embeddings === null) return null;
    if (this.#thread?.isAlive === true) return this.#thread;
    const thread = new AskedThread<EmbeddingWork>({
      module: new URL("./embedding-worker.ts", import.meta.url).href,
      what: "the thread of vectors",
    });
    this.#thread = thread;
    await thread.ask("open", storePlaces, addressOf(embeddings));
    return thread;
  }
}
