import type { SteadyClock } from "../../process/clock.ts";
import { CofferError } from "../../domain/errors.ts";

/** How fast clients must send contents. */
export interface Pace {
  readonly clock: SteadyClock;
  /** Bytes in a second, on average over `PACE_MS`; 0 for no limit. */
  readonly least: number;
}

/** The time over which a client's speed is measured, in milliseconds. */
export const PACE_MS = 60_000;

/**
 * Passes chunks on as long as they come fast enough. Only the time counts in which the client is waited for, not that in
 * which our disk takes what came. Throws REQUEST_TIMEOUT.
 */
export async function* paced(
  chunks: AsyncIterable<Uint8Array>,
  { clock, least }: Pace,
): AsyncGenerator<Uint8Array> {
  let [bytes, waited] = [0, 0];
  let since = clock.elapsed();
  for await (const chunk of chunks) {
    waited += clock.elapsed() - since;
    bytes += chunk.length;
    if (waited >= PACE_MS) {
      if (bytes < (least * waited) / 1000) throw tooSlow(least);
      [bytes, waited] = [0, 0];
    }
    yield chunk;
    since = clock.elapsed();
  }
}

/** What is read at once must be there in that time. Throws REQUEST_TIMEOUT. */
export async function inTime<T>(body: Promise<T>, { least }: Pace, ms: number = PACE_MS): Promise<T> {
  if (least === 0) return body;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooSlow(least)), ms);
  try {
    return await Promise.race([body, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(least: number): CofferError {
  return new CofferError(
    "REQUEST_TIMEOUT",
    `The content came too slowly: send at least ${least} bytes in a second, on average over ${PACE_MS / 1000} seconds. Nothing was stored.`,
  );
}
