import type { Attributes, SpanEvent, SpanKind, SpanRecord } from "./span.ts";

/** Who tells of spans. */
export interface Teller {
  /** What the collector is told of this server: `service.name` and others. */
  readonly resource: Attributes;
  /** Of the program. */
  readonly version: string;
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
/** `STATUS_CODE_ERROR`. */
const FAILED = { code: 2 };
/** The trace flag `sampled`. */
const SAMPLED = 1;

/** The body of a request to a collector (OTLP 1.0: `ExportTraceServiceRequest`, in JSON). */
export function exportRequest(spans: readonly SpanRecord[], { resource, version }: Teller): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ ...resource, "service.version": version }) },
        scopeSpans: [{ scope: { name: "coffer", version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf(span: SpanRecord) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
    flags: SAMPLED,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: attributesOf(span.attributes),
    ...(span.events.length === 0 ? {} : { events: span.events.map(eventOf) }),
    ...(span.hasFailed ? { status: FAILED } : {}),
  };
}

function eventOf({ name, at }: SpanEvent) {
  return { timeUnixNano: nanoseconds(at), name };
}

/** A number of 64 bits is a text (Protocol Buffers, JSON mapping). */
function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => {
    if (typeof value === "string") return { key, value: { stringValue: value } };
    return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
  });
}

/** To the microsecond: of more a number has no room. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
