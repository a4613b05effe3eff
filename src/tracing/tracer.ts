import { AsyncLocalStorage } from "node:async_hooks";
import { CofferError } from "../domain/errors.ts";
import type { SteadyClock } from "../process/clock.ts";
import type { Log, LogFields } from "../process/log.ts";
import type { Exporter, SpanFigures } from "./exporter.ts";
import type { Sampler } from "./sampler.ts";
import { Span, type Trace } from "./span.ts";
import { newTraceId, parseTraceparent, type TraceParent } from "./trace-context.ts";

/** How many spans a trace may have here. */
export const MOST_SPANS = 64;

interface TracerParts {
  readonly sampler: Sampler;
  readonly exporter: Exporter;
  readonly clock: SteadyClock;
}

/** Knows in which span the work that is under way belongs. Most modules only need `traced`. */
export class Tracer {
  readonly #parts: TracerParts;
  /** Null in what belongs to no span that is recorded. */
  readonly #current = new AsyncLocalStorage<Span | null>();

  constructor(parts: TracerParts) {
    this.#parts = parts;
  }

  /** How many spans came to what, since the start. */
  get figures(): SpanFigures {
    return this.#parts.exporter.figures;
  }

  /** The span of a request, in the trace that it brings, or in a new one; null if it is not recorded. End it. */
  begin(headers: Headers): Span | null {
    return this.#begin("request", parseTraceparent(headers.get("traceparent")));
  }

  /** Runs work that belongs to a span; null for none. */
  run<T>(span: Span | null, work: () => T): T {
    return this.#current.run(span, work);
  }

  /** Runs work in a span of its own, below the current one, which has failed if the work rejects. */
  within<T>(name: string, work: (span: Span | null) => Promise<T>): Promise<T> {
    const span = this.#current.getStore()?.child(name) ?? null;
    return span === null ? work(null) : this.#during(span, work);
  }

  /** Runs work in a trace of its own, whoever has begun it. */
  apart<T>(name: string, work: (span: Span | null) => Promise<T>): Promise<T> {
    const span = this.#begin(name, null);
    return span === null ? this.run(null, () => work(null)) : this.#during(span, work);
  }

  /** A log whose lines say to which span they belong, while that has not ended. */
  logging(log: Log): Log {
    const placed = (fields: LogFields = {}): LogFields => {
      const span = this.#current.getStore() ?? null;
      return span?.isOpen === true ? { ...fields, trace_id: span.traceId, span_id: span.id } : fields;
    };
    return {
      info: (message, fields) => log.info(message, placed(fields)),
      warn: (message, fields) => log.warn(message, placed(fields)),
      error: (message, fields) => log.error(message, placed(fields)),
    };
  }

  /** Sends what waits, for up to two seconds. */
  stop(): Promise<void> {
    return this.#parts.exporter.stop();
  }

  #begin(name: string, parent: TraceParent | null): Span | null {
    const { sampler, exporter, clock } = this.#parts;
    const id = parent?.traceId ?? newTraceId();
    if (!sampler.takes(id, parent)) return null;
    return new Span(new LocalTrace({ id, exporter, clock }), name, parent?.spanId ?? null);
  }

  #during<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
    return this.#current.run(span, async () => {
      try {
        return await work(span);
      } catch (error) {
        const type = failureOf(error);
        if (type !== null) span.fail(type);
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

/** What of a trace is here. */
class LocalTrace implements Trace {
  readonly id: string;
  readonly #exporter: Exporter;
  readonly #clock: SteadyClock;
  /** Milliseconds since the epoch when the steady clock is at 0. The clock may be set meanwhile. */
  readonly #zero: number;
  /** One of them is the first. */
  #left = MOST_SPANS - 1;

  constructor({ id, exporter, clock }: Omit<TracerParts, "sampler"> & { readonly id: string }) {
    this.id = id;
    this.#exporter = exporter;
    this.#clock = clock;
    this.#zero = clock.now() - clock.elapsed();
  }

  now(): number {
    return this.#zero + this.#clock.elapsed();
  }

  takeRoom(): boolean {
    if (this.#left === 0) {
      this.#exporter.drop();
      return false;
    }
    this.#left -= 1;
    return true;
  }

  ended(span: Parameters<Trace["ended"]>[0]): void {
    this.#exporter.add(span);
  }
}

/** What is ours, or around us, and failed; null for what a caller did wrong. */
function failureOf(error: unknown): string | null {
  if (!(error instanceof CofferError)) return error instanceof Error ? error.name : "unknown";
  return OWN_FAILURES.includes(error.code) ? error.code : null;
}

const OWN_FAILURES: readonly CofferError["code"][] = ["INTERNAL", "UNAVAILABLE", "STORAGE_FULL"];
