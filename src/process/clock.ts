/** The only source of time, passed to everything that needs it; tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** A clock that also measures time, whatever is done to its hands. */
export interface SteadyClock extends Clock {
  /** Milliseconds since some moment, for differences alone. Never goes back; may stand while the machine sleeps. */
  elapsed(): number;
}

export const systemClock: SteadyClock = { now: () => Date.now(), elapsed: () => performance.now() };
