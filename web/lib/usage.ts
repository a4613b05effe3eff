import type { ServerUsageDay, UsageDay } from "./api/types.ts";

/** What somebody did on a day: a key of the account, or a user of the server. */
export type Usage = UsageDay | ServerUsageDay;

/** What of it is shown. */
export type Measure = "requests" | "client_errors" | "server_errors" | "bytes_received" | "bytes_sent";

export function isInBytes(measure: Measure): boolean {
  return measure === "bytes_received" || measure === "bytes_sent";
}

/** What one of them did on each of some days. */
export interface Series<Of extends Usage> {
  /** One of the entries; null for all that have no series of their own. */
  readonly of: Of | null;
  /** In the order of the days. */
  readonly values: readonly number[];
  readonly total: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many have a series of their own; the rest is one together. */
const NAMED = 5;

/** The dates in UTC of so many days, up to that of `now`. */
export function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, "2030-01-31".length),
  );
}

function whoOf(usage: Usage): string {
  return usage.key_id ?? ("user_id" in usage ? usage.user_id : null) ?? usage.by;
}

/** What each did on these days, those that did most first. Who did nothing is left out. */
export function seriesOf<Of extends Usage>(
  entries: readonly Of[],
  days: readonly string[],
  measure: Measure,
): readonly Series<Of>[] {
  const places = new Map(days.map((day, index) => [day, index]));
  const all = Map.groupBy(entries, whoOf)
    .values()
    .map((own): Series<Of> => {
      const values = days.map(() => 0);
      for (const entry of own) {
        const place = places.get(entry.day);
        if (place !== undefined) values[place] = entry[measure];
      }
      const [of] = own;
      return { of: of === undefined || of.by === "other" ? null : of, values, total: sumOf(values) };
    })
    .filter(({ total }) => total > 0)
    .toArray()
    .toSorted((a, b) => b.total - a.total);
  const named = all.filter(({ of }) => of !== null);
  const rest = [...named.splice(NAMED), ...all.filter(({ of }) => of === null)];
  return rest.length === 0 ? named : [...named, togetherOf(rest, days)];
}

function togetherOf<Of extends Usage>(some: readonly Series<Of>[], days: readonly string[]): Series<Of> {
  const values = days.map((_, index) => sumOf(some.map((each) => each.values[index] ?? 0)));
  return { of: null, values, total: sumOf(values) };
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How many steps a scale has, at most. */
const STEPS = 4;

/** A scale from 0 to at least `most`, in a few round steps: of bytes, round in their units. */
export function scaleOf(most: number, inBytes: boolean): readonly number[] {
  const least = Math.max(1, most / STEPS);
  const unit = inBytes ? 1024 ** Math.floor(Math.log(least) / Math.log(1024)) : 1;
  const power = 10 ** Math.floor(Math.log10(least / unit));
  const step = ([1, 2, 5, 10].find((factor) => factor * power * unit >= least) ?? 10) * power * unit;
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
}
