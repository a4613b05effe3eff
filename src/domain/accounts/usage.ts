/** A calendar month in UTC; milliseconds since the epoch, `end` exclusive. */
export interface Month {
  readonly start: number;
  readonly end: number;
}

export function monthOf(instant: number): Month {
  const date = new Date(instant);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

export interface Usage {
  /** Requests with a valid key. */
  readonly operations: number;
  /** Bytes of content sent and received. */
  readonly bandwidth: number;
}
