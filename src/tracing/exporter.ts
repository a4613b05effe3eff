import type { Log } from "../process/log.ts";
import type { Posted } from "./collector.ts";
import { exportRequest, type Teller } from "./otlp.ts";
import type { SpanRecord } from "./span.ts";

/** How many spans came to what: taken by the collector, not taken, or left out for want of room here. */
export type SpanFigures = Readonly<Record<"sent" | "failed" | "dropped", number>>;

/** Waits for some milliseconds, or until the signal. */
type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

interface ExporterParts {
  readonly collector: { post(body: string, signal: AbortSignal): Promise<Posted> };
  readonly teller: Teller;
  readonly log: Log;
  /** Tests pass their own. */
  readonly sleep?: Sleep;
  /** Overrides `DELAY_MS`. */
  readonly delayMs?: number;
  /** Overrides `FLUSH_MS`. */
  readonly flushMs?: number;
}

/** How many spans may wait. */
export const MOST_WAITING = 4096;
/** How many spans a request has at most. */
export const BATCH = 256;
/** How long a span waits for others at most, in milliseconds, while the collector takes them. */
const DELAY_MS = 5000;
/** How often a batch is sent before it has failed. */
const ATTEMPTS = 5;
/** Between the first two attempts, in milliseconds; twice as long each time. */
const PAUSE_MS = 1000;
/** The longest that is waited because the collector says so, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;
/** How long the last spans may take at the end, in milliseconds. */
const FLUSH_MS = 2000;

/** Sends spans in batches, one after another. What does not fit, or is never taken, is counted and forgotten. */
export class Exporter {
  readonly #parts: ExporterParts;
  readonly #waiting: SpanRecord[] = [];
  readonly #figures = { sent: 0, failed: 0, dropped: 0 };
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #isLast = false;
  /** Whether the collector took the batch before. */
  #isWell = true;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  get figures(): SpanFigures {
    return this.#figures;
  }

  add(span: SpanRecord): void {
    if (this.#waiting.length >= MOST_WAITING) return this.drop();
    this.#waiting.push(span);
    this.#arm();
  }

  /** Counts a span that was left out. */
  drop(): void {
    this.#figures.dropped += 1;
  }

  /** Sends what waits, for up to two seconds. */
  async stop(): Promise<void> {
    this.#isLast = true;
    const late = setTimeout(() => this.#stopping.abort(), this.#parts.flushMs ?? FLUSH_MS);
    await this.#sending;
    if (this.#waiting.length > 0) await this.#begin();
    clearTimeout(late);
  }

  /** Sees to it that what waits is sent. */
  #arm(): void {
    if (this.#sending !== null) return;
    if (this.#waiting.length >= BATCH) void this.#begin();
    else this.#timer ??= setTimeout(() => void this.#begin(), this.#parts.delayMs ?? DELAY_MS).unref();
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
      if (this.#waiting.length > 0 && !this.#isLast) this.#arm();
    });
    return this.#sending;
  }

  /** One batch, and the others that are full; at the end all of them. */
  async #sendAll(): Promise<void> {
    do {
      const batch = this.#waiting.splice(0, BATCH);
      const failed = this.#stopping.signal.aborted ? batch.length : await this.#send(batch);
      this.#figures.failed += failed;
      this.#figures.sent += batch.length - failed;
    } while (this.#waiting.length >= (this.#isLast ? 1 : BATCH));
  }

  /** How many of a batch the collector has not taken. */
  async #send(batch: readonly SpanRecord[]): Promise<number> {
    const { collector, teller, sleep = pause } = this.#parts;
    const { signal } = this.#stopping;
    const body = exportRequest(batch, teller);
    for (let attempt = 1; ; attempt++) {
      const posted = await collector.post(body, signal);
      if (posted.kind === "taken") {
        const rejected = Math.min(posted.rejected, batch.length);
        this.#tell(rejected === 0 ? null : posted.why);
        return rejected;
      }
      const wait = posted.kind === "later" ? Math.max(posted.afterMs, PAUSE_MS * 2 ** (attempt - 1)) : 0;
      const isOver = posted.kind === "refused" || attempt >= ATTEMPTS || wait > LONGEST_PAUSE_MS;
      if (isOver || signal.aborted) {
        this.#tell(posted.why);
        return batch.length;
      }
      await sleep(wait, signal);
    }
  }

  /** Says once that the collector takes no spans, and once that it does again. @param why null if it has taken some */
  #tell(why: string | null): void {
    const { log } = this.#parts;
    if (why !== null && this.#isWell)
      log.warn("the collector of traces does not take them; OTEL_EXPORTER_OTLP_ENDPOINT says where it is", {
        reason: why,
      });
    if (why === null && !this.#isWell) log.info("the collector of traces takes them again");
    this.#isWell = why === null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  timer.unref();
  signal.addEventListener("abort", end);
  return promise;
}
