import { Type } from "@sinclair/typebox";
import type { Static, TSchema } from "@sinclair/typebox";
import { PAGE_LIMIT, PAGE_LIMIT_DEFAULT, PASSWORD_CHARACTERS } from "../../domain/limits.ts";
import { PLANS } from "../../domain/plan.ts";
import { SCOPES } from "../../domain/scope.ts";

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

const { least, most } = PASSWORD_CHARACTERS;

/** A password that is to be checked. */
export function givenPassword(description?: string) {
  return Type.String({ maxLength: most, ...(description === undefined ? {} : { description }) });
}

/** A password that is to be kept; that it is long enough is for `Passwords.hash` to say. */
export function newPassword(description: string) {
  return givenPassword(`${description}: ${least} to ${most.toLocaleString("en")} characters.`);
}

/** What a key may do. */
export function scope(description?: string) {
  return Type.Union(
    SCOPES.map((each) => Type.Literal(each)),
    description === undefined ? {} : { description },
  );
}

/** The plan of an account. */
export function plan() {
  return Type.Union(PLANS.map((each) => Type.Literal(each)));
}

/** The parameter of a path that names a file. */
export const fileParams = Type.Object({ id: id("The file's identifier.") });

/** Which page of a list is asked for. */
export const paging = {
  page: integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_LIMIT_DEFAULT }),
};

/** Where a list is to go on, in the place of a page. @param rule more about it, as a sentence */
export function cursor(rule = "") {
  return Type.Optional(
    Type.String({
      description:
        `A \`next_cursor\`: goes on from there, whatever \`page\` says, at the same cost anywhere. ${rule}`.trimEnd(),
    }),
  );
}

/** What stands beside the items of a page. @param total what is counted on all pages */
export function pageFacts(total: string) {
  return { total: Type.Integer({ description: total }), page: Type.Integer(), limit: Type.Integer() };
}

/** How an answer says where its list goes on. */
export const nextCursor = nullable(Type.String({ description: "Gives the next page; null on the last." }));

/** Which paths of a drive are asked for. */
export const prefix = Type.Optional(
  Type.String({ description: "Only paths that start with it.", examples: ["notes/"] }),
);

/** What a caller keeps with a file. @param what as a sentence */
export function metadataInput(what: string) {
  return Type.Record(Type.String(), Type.Unknown(), {
    description: `${what} At most 16 KiB as JSON. A number that a double cannot hold exactly, such as 12345678901234567890 or 1e400, is refused: send it as a string.`,
  });
}

/** Tags in a query; to be read by `tagsIn`. @param what as a sentence */
export function tagsParameter(what: string) {
  return Type.Optional(
    Type.Array(Type.String(), {
      description: `${what} Given once, they are separated by commas (\`tags=red,big\`). Given more than once, each is one tag as it stands (\`tags=red&tags=big\`), so a tag may have a comma; for that one alone add an empty one (\`tags=Paris,%20France&tags=\`).`,
    }),
  );
}

/** Which tags files must carry; to be read by `tagsIn`. */
export const tagsFilter = tagsParameter("Only files that carry all of these.");

/** The tags that a query gives, without the empty ones. */
export function tagsIn(values: readonly string[] = []): string[] {
  const [first, ...more] = values;
  if (first === undefined) return [];
  return more.length === 0 ? splitTags(first) : trimTags(values);
}

/** Tags that are separated by commas, without the empty ones. */
export function splitTags(text: string): string[] {
  return trimTags(text.split(","));
}

function trimTags(tags: readonly string[]): string[] {
  return tags.map((tag) => tag.trim()).filter((tag) => tag !== "");
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

/** A folder as callers name it. */
export const folderPath = Type.String({ description: "Ends with `/`.", examples: ["notes/2030/"] });

/** A field that may also be `null`. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** What a schema describes, as somebody has it who only reads it. */
export type RecordOf<S extends TSchema> = ReadOnly<Static<S>>;

type ReadOnly<T> = T extends object ? { readonly [K in keyof T]: ReadOnly<T[K]> } : T;
