import type { Span } from "./span.ts";
import type { Tracer } from "./tracer.ts";

/**
 * Runs work in a span of its own, if it belongs to a trace that is recorded.
 *
 * @param tracer null if the server records no traces
 * @param name of a closed set: no part of it may come from a caller
 */
export function traced<T>(
  tracer: Tracer | null,
  name: string,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  return tracer === null ? work(null) : tracer.within(name, work);
}
