import { newSpanId, traceparentOf } from "./trace-context.ts";

export type Attributes = Readonly<Record<string, string | number>>;

/** Who is at the other end of a span: nobody, who asked, or who is asked. */
export type SpanKind = "internal" | "server" | "client";

/** What is known of a span that has ended. Times are milliseconds since the epoch, with fractions. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  /** Null at the beginning of a trace that nobody has brought. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly hasFailed: boolean;
}

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
}

/** What the spans of one trace have in common here. */
export interface Trace {
  readonly id: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether there may be one more span; takes the room for it. */
  takeRoom(): boolean;
  /** Takes a span that has ended. */
  ended(span: SpanRecord): void;
}

/** A piece of work: when it began and ended, and what came of it. */
export class Span {
  name: string;
  readonly id = newSpanId();
  readonly #trace: Trace;
  readonly #parentId: string | null;
  readonly #startedAt: number;
  readonly #attributes: Record<string, string | number> = {};
  readonly #events: SpanEvent[] = [];
  #kind: SpanKind = "internal";
  #hasFailed = false;
  #isOpen = true;

  /** @param parentId null at the beginning of a trace */
  constructor(trace: Trace, name: string, parentId: string | null) {
    this.name = name;
    this.#trace = trace;
    this.#parentId = parentId;
    this.#startedAt = trace.now();
  }

  get traceId(): string {
    return this.#trace.id;
  }

  /** Whether it has not ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What says to another program that it works for this span: a `traceparent` header. */
  get header(): string {
    return traceparentOf({ traceId: this.traceId, spanId: this.id, isSampled: true });
  }

  /** A span of a part of this work, from now on. Null once this has ended, and if its trace has too many. */
  child(name: string): Span | null {
    return this.#isOpen && this.#trace.takeRoom() ? new Span(this.#trace, name, this.id) : null;
  }

  /** Values are told to the collector: none may be secret, or as long as callers like. */
  set(attributes: Attributes, kind: SpanKind = this.#kind): void {
    Object.assign(this.#attributes, attributes);
    this.#kind = kind;
  }

  /** Something happens now. */
  note(event: string): void {
    this.#events.push({ name: event, at: this.#trace.now() });
  }

  /** @param type what went wrong: a short word of a closed set, such as a status or the code of an error */
  fail(type: string): void {
    this.#hasFailed = true;
    this.set({ "error.type": type });
  }

  /** Later calls do nothing. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#trace.ended({
      traceId: this.traceId,
      spanId: this.id,
      parentId: this.#parentId,
      name: this.name,
      kind: this.#kind,
      startedAt: this.#startedAt,
      endedAt: this.#trace.now(),
      attributes: this.#attributes,
      events: this.#events,
      hasFailed: this.#hasFailed,
    });
  }
}
