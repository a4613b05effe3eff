import type { Diff } from "../../domain/contents/edit/unified-diff.ts";
import { AskedThread } from "../../process/asked-thread.ts";
import { Turns } from "../turns.ts";
import { diffOf, type DiffRequest } from "./diff-request.ts";

/** Texts that are together shorter are compared at once: that takes less than to ask the thread. In bytes. */
const SHORT_BYTES = 32 * 1024;
/** For so many steps; see `lineChanges`. */
const SHORT_STEPS = 200_000;
/** How long one comparison may take, in milliseconds; then only the ends of the texts are compared. */
const TIME_MS = 2000;

/** A thread that compares texts, one pair after the other. It begins with the first long one. */
export class DiffThread {
  readonly #turns = new Turns<"thread">();
  #thread: AskedThread<{ compare: typeof diffOf }> | null = null;

  /** The differences of two texts. Throws UNAVAILABLE if there are too few file descriptors for a thread. */
  make(request: DiffRequest): Promise<Diff> {
    const { original, now } = request;
    if (original.length + now.length <= SHORT_BYTES) return Promise.resolve(diffOf(request, SHORT_STEPS));
    return this.#turns.take("thread", () => this.#ask(request));
  }

  close(): void {
    this.#thread?.end();
    this.#thread = null;
  }

  async #ask(request: DiffRequest): Promise<Diff> {
    if (this.#thread?.isAlive !== true) {
      const module = new URL("./diff-worker.ts", import.meta.url).href;
      this.#thread = new AskedThread({ module, what: "a thread that compares texts" });
    }
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), TIME_MS);
    try {
      const diff = await Promise.race([this.#thread.ask("compare", request), late.promise]);
      if (diff !== null) return diff;
      this.close();
      return diffOf(request, 0);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
