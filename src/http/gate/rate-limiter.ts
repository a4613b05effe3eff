import type { Clock } from "../../clock.ts";

/** What a caller has left of a window, this request included. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** More than this at once is a flood, whose windows must not fill the memory. */
const CAPACITY = 100_000;

/** How long a window is, and how many there may be. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  readonly windowSeconds: number;
  /** How many windows are remembered at once, 100,000 by default; past it the oldest is forgotten. */
  readonly capacity?: number;
}

interface Window {
  readonly startedAt: number;
  used: number;
}

/**
 * Fixed windows, each starting at its bucket's first request. All windows are equally long, so the
 * map's insertion order is also the order in which they end: the ended ones stand at its front and
 * are dropped from there, without a timer for each.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #capacity: number;
  readonly #windows = new Map<string, Window>();

  constructor(options: RateLimiterOptions) {
    this.#clock = options.clock;
    this.#windowMs = options.windowSeconds * 1000;
    this.#capacity = options.capacity ?? CAPACITY;
  }

  /** How many windows are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request of `bucket`, which may make `limit` in a window. */
  take(bucket: string, limit: number): RateLimitState {
    const now = this.#clock.now();
    let window = this.#windows.get(bucket);
    if (window === undefined || this.#hasEnded(window, now)) {
      this.#windows.delete(bucket);
      this.#makeRoom(now);
      window = { startedAt: now, used: 0 };
      this.#windows.set(bucket, window);
    }
    const allowed = window.used < limit;
    if (allowed) window.used += 1;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.startedAt + this.#windowMs - now) / 1000)),
    };
  }

  /** Takes back what one `take` counted, for a request that turned out not to count. */
  giveBack(bucket: string): void {
    const window = this.#windows.get(bucket);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  /** A window that starts in the future is one from before the clock was set back. */
  #hasEnded(window: Window, now: number): boolean {
    return now >= window.startedAt + this.#windowMs || now < window.startedAt;
  }

  #makeRoom(now: number): void {
    for (const [bucket, window] of this.#windows) {
      if (this.#windows.size < this.#capacity && !this.#hasEnded(window, now)) return;
      this.#windows.delete(bucket);
    }
  }
}
