import type { Diff } from "../../domain/contents/edit/unified-diff.ts";
import { startThread } from "../../process/thread-start.ts";
import { Turns } from "../turns.ts";
import { diffOf, type DiffRequest, type FromDiffThread } from "./diff-request.ts";

/** Texts that are together shorter are compared at once: that takes less than to ask the thread. In bytes. */
const SHORT_BYTES = 32 * 1024;
/** For so many steps; see `lineChanges`. */
const SHORT_STEPS = 200_000;
/** How long one comparison may take, in milliseconds; then only the ends of the texts are compared. */
const TIME_MS = 2000;

/** A thread that compares texts, one pair after the other. It begins with the first long one. */
export class DiffThread {
  readonly #turns = new Turns<"thread">();
  #worker: Worker | null = null;

  /**
   * The differences of two texts.
   *
   * @throws CofferError UNAVAILABLE if there are too few file descriptors for a thread
   */
  make(request: DiffRequest): Promise<Diff> {
    const { original, now } = request;
    if (original.length + now.length <= SHORT_BYTES) return Promise.resolve(diffOf(request, SHORT_STEPS));
    return this.#turns.take("thread", () => this.#ask(request));
  }

  /** Ends the thread. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  async #ask(request: DiffRequest): Promise<Diff> {
    const worker = (this.#worker ??= started());
    const { promise, resolve, reject } = Promise.withResolvers<FromDiffThread | null>();
    const timer = setTimeout(() => resolve(null), TIME_MS);
    const answered = ({ data }: MessageEvent<FromDiffThread>) => resolve(data);
    const failed = ({ message }: ErrorEvent) =>
      reject(new Error(`a thread that compares texts failed: ${message}`));
    const ended = () => reject(new Error("a thread that compares texts ended"));
    worker.addEventListener("message", answered);
    worker.addEventListener("error", failed);
    worker.addEventListener("close", ended);
    try {
      worker.postMessage(request, []);
      const answer = await promise;
      if (answer === null) {
        this.close();
        return diffOf(request, 0);
      }
      if ("failure" in answer) throw new Error(answer.failure);
      return answer.diff;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.removeEventListener("message", answered);
      worker.removeEventListener("error", failed);
      worker.removeEventListener("close", ended);
    }
  }
}

function started(): Worker {
  const worker = startThread(new URL("./diff-worker.ts", import.meta.url).href);
  worker.unref();
  return worker;
}
