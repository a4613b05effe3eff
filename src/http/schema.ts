import { Type } from "@sinclair/typebox";
import type { TSchema } from "@sinclair/typebox";

// Built with TypeBox itself: Elysia's `t.Integer` and some others also accept their value as a string.

/** An integer parameter or field; in a query it is read from decimal digits alone. */
export function integer(options: {
  minimum: number;
  maximum: number;
  default?: number;
  description?: string;
}) {
  return Type.Integer(options);
}

/** A query parameter that is `1`, `true`, `0` or `false`, and `false` when it is missing. */
export function flag(description: string) {
  return Type.Boolean({
    default: false,
    description: `${description} (\`1\`, \`true\`, \`0\` or \`false\`)`,
  });
}

/** A time as it is sent out: ISO 8601, UTC, milliseconds. Times sent in are `timeInput`. */
export function time(description: string) {
  return Type.String({ format: "date-time", description, examples: ["2030-01-31T12:00:00.000Z"] });
}

/** A time a caller sends, as text: whether it is one is for `parseInstant` to say, which knows the calendar. */
export function timeInput(description: string) {
  return Type.String({ description: `${description} (ISO 8601)`, examples: ["2030-01-31T12:00:00Z"] });
}

/** An opaque identifier. */
export function id(description: string) {
  return Type.String({ description, examples: ["01976f5e-5d7a-7000-8000-3c5d1a2b4e6f"] });
}

/** The name a drive is given. */
export function driveName() {
  return Type.String({ description: "1 to 64 characters after trimming.", examples: ["Research Notes"] });
}

/** A drive as callers name it: its identifier, or its slug `<username>/<drive-name>`. */
export function driveRef() {
  return Type.String({
    minLength: 1,
    description: "The drive's identifier, or its slug `<username>/<drive-name>`.",
    examples: ["01976f5e-5d7a-7000-8000-3c5d1a2b4e6f"],
  });
}

/** A field that may also be `null`. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}
