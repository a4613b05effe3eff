import type { Clock } from "./clock.ts";

/** The fields of a log line, besides its own `time`, `level` and `message`. */
export interface LogFields {
  readonly [name: string]: unknown;
  readonly time?: never;
  readonly level?: never;
  readonly message?: never;
}

/** Writes one line per call. Never throws, whatever the fields hold. */
export type Log = Readonly<Record<Level, (message: string, fields?: LogFields) => void>>;

interface LogOptions {
  readonly format: "json" | "pretty";
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

type Level = "info" | "warn" | "error";

/**
 * A log in which no value can break out of its line or move a terminal's cursor: line breaks, control characters and
 * text direction marks are escaped. `json` writes one JSON object per line, with the stacks and causes of errors.
 * `pretty` is for people: `name=value` pairs, then error stacks on indented lines, in the same call of `write`.
 */
export function createLog({ format, clock, write }: LogOptions): Log {
  const print = format === "json" ? jsonLine : prettyLine;
  const timeOf = formattedTimes();
  const log = (level: Level, message: string, fields: LogFields | undefined): void => {
    try {
      write(print(timeOf(clock.now()), level, message, fields));
    } catch {
      // There is no other place to report that the log itself failed, and the caller must not fail because of it.
    }
  };
  return {
    info: (message, fields) => log("info", message, fields),
    warn: (message, fields) => log("warn", message, fields),
    error: (message, fields) => log("error", message, fields),
  };
}

/** Formats times, and keeps the last one: many lines share a millisecond. */
function formattedTimes(): (now: number) => string {
  let last = Number.NaN;
  let text = "";
  return (now) => {
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}

function jsonLine(time: string, level: Level, message: string, fields: LogFields | undefined): string {
  let line = `{"time":"${time}","level":"${level}","message":${quoted(message)}`;
  for (const name in fields) {
    const text = encode(fields[name]);
    if (text !== undefined) line += `,${quoted(name)}:${text}`;
  }
  return `${line}}`;
}

// Text that is readable without quotation marks.
const WORD = /^[\w./:@+-]+$/;

function prettyLine(time: string, level: Level, message: string, fields: LogFields | undefined): string {
  let line = `${time} ${level.padEnd(5)} ${quoted(message).slice(1, -1)}`;
  let below = "";
  for (const name in fields) {
    const value = fields[name];
    const shown = value instanceof Error ? headline(value) : value;
    const text = typeof shown === "string" && WORD.test(shown) ? shown : encode(shown);
    if (text !== undefined) line += ` ${WORD.test(name) ? name : quoted(name)}=${text}`;
    if (value instanceof Error) below += stackLines(value, CAUSES);
  }
  return line + below;
}

// Text that JSON does not escape: most of what is logged.
const PLAIN = /^[\w ./:-]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escaped(JSON.stringify(text));
}

/** JSON on one line; undefined for what JSON omits: undefined, functions, symbols. */
function encode(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case "bigint":
      return `"${value}"`;
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : escaped(encodeObject(value));
    case "undefined":
    case "function":
    case "symbol":
      return undefined;
  }
}

function encodeObject(value: object): string {
  try {
    return JSON.stringify(value, (_, inner: unknown) => {
      if (inner instanceof Error) return plainError(inner, CAUSES);
      return typeof inner === "bigint" ? String(inner) : inner;
    });
  } catch (error) {
    // A cycle, or a getter or toJSON that throws.
    return JSON.stringify(`[not printable: ${error instanceof Error ? error.message : "unknown"}]`);
  }
}

// How many nested causes are shown; an error may be its own cause.
const CAUSES = 5;

function plainError(error: Error, causes: number): object {
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  const errors = error instanceof AggregateError ? error.errors : [];
  const within = (inner: unknown): unknown => {
    if (!(inner instanceof Error)) return inner;
    return causes > 0 ? plainError(inner, causes - 1) : headline(inner);
  };
  return {
    name,
    message,
    code,
    stack,
    errors: errors.length > 0 ? errors.map(within) : undefined,
    cause: within(cause),
  };
}

function headline(error: Error): string {
  return `${error.name}: ${error.message}`;
}

function stackLines(error: Error, causes: number): string {
  const { stack = "", cause } = error;
  const own = headline(error);
  const frames = stack.startsWith(own) ? stack.slice(own.length) : stack;
  let lines = "";
  for (const frame of frames.split("\n")) {
    if (frame.trim() !== "") lines += `\n    ${escaped(JSON.stringify(frame.trim()).slice(1, -1))}`;
  }
  if (!(cause instanceof Error) || causes === 0) return lines;
  const title = escaped(JSON.stringify(headline(cause)).slice(1, -1));
  return `${lines}\n    caused by ${title}${stackLines(cause, causes - 1)}`;
}

// JSON escapes the controls below U+0020. These are others that a terminal or a viewer may act on: DEL and the C1
// controls, line and paragraph separators, text direction marks.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EVERY_UNSAFE = new RegExp(UNSAFE, "g");

function escaped(json: string): string {
  return UNSAFE.test(json)
    ? json.replace(EVERY_UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}
