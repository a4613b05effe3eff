import { PDF_WORKER, startWorker } from "../browser/own-worker.ts";
import type { DrawnPage, FromPdfWorker, ToPdfWorker } from "./messages.ts";

/** In ms, for the script of the worker to come. */
const TIME_TO_LOAD = 60_000;
/** In ms, to read what a document consists of. Of 100 MiB it takes a second here. */
const TIME_TO_OPEN = 10_000;
/** In ms, for one page. An ordinary one takes 20 to 200 here; a telephone may need four times as long. */
const TIME_TO_DRAW = 3000;

export type OpenedPdf =
  | { readonly kind: "opened"; readonly pages: number; readonly ratio: number }
  | { readonly kind: "refused"; readonly why: "password" | "damaged" | "slow" | "unable" };

/**
 * Draws the pages of a PDF in a worker, one after another. Documents are hostile: a page that takes too long is given
 * up by ending the worker, and the next is drawn by another one. The thread of the page never waits.
 */
export class PdfReader implements Disposable {
  readonly #content: Blob;
  readonly #timeToOpen: number;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param timeToOpen in ms */
  constructor(content: Blob, timeToOpen = TIME_TO_OPEN) {
    this.#content = content;
    this.#timeToOpen = timeToOpen;
  }

  open(): Promise<OpenedPdf> {
    return this.#inTurn(() => this.#start());
  }

  /**
   * Draws a page, `width` pixels wide or less.
   *
   * @returns null if it cannot be drawn, or not in time, or is no longer wanted when its turn comes
   */
  draw(page: number, width: number, signal: AbortSignal): Promise<DrawnPage | null> {
    return this.#inTurn(async () => {
      if (signal.aborted || this.#isClosed) return null;
      if (this.#worker === null && (await this.#start()).kind !== "opened") return null;
      const drawn = await this.#ask({ kind: "draw", page, width }, TIME_TO_DRAW);
      if (drawn === null) this.#end();
      return drawn?.kind === "drawn" ? drawn : null;
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#end();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #start(): Promise<OpenedPdf> {
    const data = await this.#content.arrayBuffer();
    if (this.#isClosed) return { kind: "refused", why: "unable" };
    this.#worker = startWorker(PDF_WORKER);
    const ready = await this.#answered(TIME_TO_LOAD);
    const opened = ready === null ? null : await this.#ask({ kind: "open", data }, this.#timeToOpen);
    if (opened?.kind === "opened") return opened;
    this.#end();
    if (opened?.kind === "refused") return opened;
    return { kind: "refused", why: ready === null ? "unable" : "slow" };
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #ask(message: ToPdfWorker, time: number): Promise<FromPdfWorker | null> {
    this.#worker?.postMessage(message, message.kind === "open" ? [message.data] : []);
    return this.#answered(time);
  }

  /** The worker's next answer; null if it has failed, or does not answer in time. */
  #answered(time: number): Promise<FromPdfWorker | null> {
    const worker = this.#worker;
    if (worker === null) return Promise.resolve(null);
    const { promise, resolve } = Promise.withResolvers<FromPdfWorker | null>();
    const settled = new AbortController();
    const settle = (answer: FromPdfWorker | null) => {
      settled.abort();
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(settle, time, null);
    const { signal } = settled;
    // pdf.js has messages of its own, which have no kind.
    const listen = ({ data }: MessageEvent<FromPdfWorker | { readonly kind?: undefined }>) => {
      if (data.kind !== undefined) settle(data);
    };
    worker.addEventListener("message", listen, { signal });
    worker.addEventListener("error", () => settle(null), { signal });
    return promise;
  }
}
