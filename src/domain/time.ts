import { invalid } from "./errors.ts";

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d)?)?$/;

/** What `formatInstant` writes with a year of four digits; a zone can lead beyond it. */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Reads a real ISO 8601 time, as milliseconds since the epoch. Without a zone it is UTC, without a time midnight. */
export function parseInstant(field: string, text: string): number {
  const match = INSTANT.exec(text);
  if (match === null) throw invalid(field, "must be an ISO 8601 time such as 2030-01-31T12:00:00Z");
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // Date turns 30 February into 1 or 2 March: only a date that comes back unchanged was real.
  const utc = Date.parse(`${local}Z`);
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(local)) {
    throw invalid(field, "must be a date and time that exists");
  }
  const instant = utc + Number(fraction.padEnd(3, "0").slice(0, 3)) - zoneOffset(field, zone);
  if (instant < FIRST || instant > LAST) throw invalid(field, "must be in the years 0000 to 9999, in UTC");
  return instant;
}

function zoneOffset(field: string, zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) throw invalid(field, "must have a time zone that exists");
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** How many milliseconds a span has, by the letter of its unit. */
const SPAN_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** A time, or one that lies so long before `now`, as `30m`, `2h` or `7d`. Throws VALIDATION_ERROR. */
export function instantBefore(field: string, text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const span = SPAN_MS[unit];
  return count === undefined || span === undefined ? parseInstant(field, text) : now - Number(count) * span;
}

/** Formats a time (milliseconds since the epoch) for responses: ISO 8601, UTC, with milliseconds. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}

/** The date of a time in UTC, such as `2030-01-31`. */
export function formatDay(instant: number): string {
  return formatInstant(instant).slice(0, "2030-01-31".length);
}

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
