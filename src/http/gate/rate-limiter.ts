import type { Clock } from "../../process/clock.ts";
import { rateLimited } from "./errors.ts";

/** What is left of a window, after this request. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

interface Window {
  readonly startedAt: number;
  used: number;
}

/** Fixed windows, each starting at its bucket's first request. All are equally long, so the map's first end first. */
export class RateLimiter {
  readonly #options;
  readonly #windowMs: number;
  readonly #windows = new Map<string, Window>();

  /** Beyond `capacity` windows the oldest are dropped: memory is limited during a flood of requests. */
  constructor(options: { clock: Clock; windowSeconds: number; capacity?: number }) {
    this.#options = { capacity: 100_000, ...options };
    this.#windowMs = options.windowSeconds * 1000;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request of `bucket`, which may send `limit` in a window. */
  take(bucket: string, limit: number): RateLimitState {
    const now = this.#options.clock.now();
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

  /** Like `take`; throws RATE_LIMITED if there are none left. @param message what to tell, after how many seconds */
  require(bucket: string, limit: number, message: (seconds: number) => string): void {
    const { allowed, resetSeconds } = this.take(bucket, limit);
    if (!allowed) throw rateLimited(message(resetSeconds), resetSeconds);
  }

  /** Undoes one `take`. */
  refund(bucket: string): void {
    const window = this.#windows.get(bucket);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  /** A window that starts in the future is from before the clock was set back. */
  #hasEnded(window: Window, now: number): boolean {
    return now >= window.startedAt + this.#windowMs || now < window.startedAt;
  }

  #makeRoom(now: number): void {
    for (const [bucket, window] of this.#windows) {
      if (this.#windows.size < this.#options.capacity && !this.#hasEnded(window, now)) return;
      this.#windows.delete(bucket);
    }
  }
}
