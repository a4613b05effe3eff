/** The span that another program, or this one, was in when it asked (W3C Trace Context, 2.2). */
export interface TraceParent {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** Whether it is recorded there. */
  readonly isSampled: boolean;
}

/** Later versions may add fields after a dash, and keep the first ones (W3C Trace Context, 4.3). */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A longer header is not read: the time must be bounded, whatever is sent. */
const LONGEST = 512;

/** What a `traceparent` header says; null without one, and for one that is malformed, which must not be used. */
export function parseTraceparent(header: string | null): TraceParent | null {
  if (header === null || header.length > LONGEST) return null;
  const [, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(header) ?? [];
  if (traceId === "" || (header.startsWith("00") && rest !== undefined)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` header for others. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

export function newTraceId(): string {
  return randomHex(16);
}

export function newSpanId(): string {
  return randomHex(8);
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
