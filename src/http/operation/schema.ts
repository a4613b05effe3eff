import {
  type ArrayOptions,
  type IntegerOptions,
  KindGuard,
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";
import { PAGE_LIMIT, PAGE_LIMIT_DEFAULT, PASSWORD_CHARACTERS, TAGS } from "../../domain/limits.ts";
import { MEMBER_ROLES, PLANS, SCOPES } from "../../domain/accounts/roles.ts";

// Imported as `t`. Built with TypeBox itself: Elysia's `t.Integer` and some others also accept their value as a string.

const EXAMPLE = Symbol("an example");

/** A schema that has an example: the API description shows it where the schema is what a request answers. */
type Exampled<S extends TSchema> = S & { readonly [EXAMPLE]: Static<S> };

export function withExample<S extends TSchema>(schema: S, example: Static<S>): Exampled<S> {
  return Object.assign(schema, { [EXAMPLE]: example });
}

/**
 * What a response shows of a thing, with the name that the API description gives it.
 *
 * @param example of the fields whose example is not the first of their own `examples`, or else null
 */
export function record<P extends TProperties>(
  $id: string,
  properties: P,
  example: Partial<Static<TObject<P>>>,
): Exampled<TObject<P>>;
export function record($id: string, properties: TProperties, example: Readonly<Record<string, unknown>>) {
  const fields = Object.entries(properties).map(([name, { examples }]) => [
    name,
    name in example ? example[name] : (examples?.[0] ?? null),
  ]);
  return withExample(Type.Object(properties, { $id }), Object.fromEntries(fields));
}

export function exampleOf<S extends TSchema>(schema: Exampled<S>): Static<S> {
  return schema[EXAMPLE];
}

/** The example of a schema, or else one that is made of those of its parts; undefined if one of these has none. */
export function shownExample(schema: TSchema): unknown {
  if (EXAMPLE in schema) return schema[EXAMPLE];
  if (KindGuard.IsArray(schema)) {
    const item = shownExample(schema.items);
    return item === undefined ? undefined : [item];
  }
  if (!KindGuard.IsObject(schema)) return undefined;
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, shownExample(part)] as const);
  const isWhole = parts.length > 0 && parts.every(([, part]) => part !== undefined);
  return isWhole ? Object.fromEntries(parts) : undefined;
}

export function text(description: string, ...examples: readonly string[]) {
  return Type.String({ description, ...(examples.length === 0 ? {} : { examples }) });
}

export function optionalText(description: string, ...examples: readonly string[]) {
  return Type.Optional(text(description, ...examples));
}

export function nullableText(description: string, ...examples: readonly string[]) {
  return nullable(text(description, ...examples));
}

/** A number of things, or of bytes. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** What is answered of something that was deleted; see `deletedRecord`. @param description of its identifier */
export function deletedOf(description: string) {
  return Type.Object({ id: id(description), deleted: Type.Literal(true) });
}

export function oneOf<const Value extends string>(values: readonly Value[], options: SchemaOptions = {}) {
  return Type.Union(
    values.map((each) => Type.Literal(each)),
    options,
  );
}

export function optionalInteger(options?: IntegerOptions) {
  return Type.Optional(Type.Integer(options));
}

/** An integer that may be left out, of at least `minimum`. */
export function optionalNumber(minimum: number, description: string, maximum = Number.MAX_SAFE_INTEGER) {
  return optionalInteger({ minimum, maximum, description });
}

export function optionalTexts(options: ArrayOptions) {
  return Type.Optional(Type.Array(Type.String(), options));
}

/** A query parameter that is `1`, `true`, `0` or `false`; `false` by default. */
export function flag(description: string) {
  return Type.Boolean({
    default: false,
    description: `${description} (\`1\`, \`true\`, \`0\` or \`false\`)`,
  });
}

/** Something in JSON that is true or false. */
export function optionalFlag(description: string) {
  return Type.Optional(Type.Boolean({ description }));
}

/** A time in a response: ISO 8601, UTC, milliseconds. For times in requests see `timeInput`. */
export function time(description: string) {
  return Type.String({ format: "date-time", description, examples: ["2030-01-31T12:00:00.000Z"] });
}

/** A time in a request, as text. `parseInstant` checks it, because it knows the calendar. */
export function timeInput(description: string) {
  return text(`${description} (ISO 8601)`, "2030-01-31T12:00:00Z");
}

export function id(description: string) {
  return text(description, "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f");
}

export function nullableId(description: string) {
  return nullable(id(description));
}

const { least, most } = PASSWORD_CHARACTERS;

/** A password to verify. */
export function givenPassword(description?: string) {
  return Type.String({ maxLength: most, ...(description === undefined ? {} : { description }) });
}

/** A new password. `Passwords.hash` checks its least length. */
export function newPassword(description: string) {
  return givenPassword(`${description}: ${least} to ${most} characters.`);
}

/** What a key may do. */
export function scope(description?: string) {
  return oneOf(SCOPES, description === undefined ? {} : { description });
}

/** What one can be in a drive of somebody else. */
export function memberRole() {
  return oneOf(MEMBER_ROLES, {
    description: "A `reader` sees the drive; an `editor` also changes what is in it.",
  });
}

export function plan() {
  return oneOf(PLANS);
}

export const paging = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_LIMIT_DEFAULT }),
};

/** The position where a list continues, instead of a page. @param note a sentence to add */
export function cursor(note = "") {
  return Type.Optional(
    text(
      `The \`next_cursor\` of a page: returns the page after it, and ignores \`page\`. As fast at any position. ${note}`.trimEnd(),
    ),
  );
}

/** How many items a list has. */
export function totalOf(description: string) {
  return withExample(Type.Integer({ description }), 1);
}

/** The fields of a page besides its items. @param total the description of the field `total` */
export function pageFacts(total: string) {
  return {
    total: totalOf(total),
    page: withExample(Type.Integer(), 1),
    limit: withExample(Type.Integer(), PAGE_LIMIT_DEFAULT),
  };
}

/** The position of the next page, in a response. */
export const nextCursor = withExample(
  nullable(text("The `cursor` of the next page; null on the last page.")),
  null,
);

/** A page of a list that goes on with a cursor. @param total the description of the field `total` */
export function pageOf<S extends TSchema>(items: S, total: string) {
  return Type.Object({ data: Type.Array(items), total: totalOf(total), next_cursor: nextCursor });
}

/** Filters files of a drive by the start of their paths. */
export const prefix = Type.Optional(
  text("Only paths that start with this text. In a query, `+` is a space.", "notes/"),
);

/** A file's metadata in a request. @param what a sentence to start with */
export function metadataInput(what: string) {
  return Type.Record(Type.String(), Type.Unknown(), {
    description: `${what} At most 16 KiB as JSON. Numbers that a double cannot represent exactly, such as 12345678901234567890 or 1e400, are refused: send them as strings.`,
  });
}

/** Tags in a query; `tagsIn` reads them. @param what a sentence to start with */
export function tagsParameter(what: string) {
  return optionalTexts({
    description: `${what} A single \`tags\` is split at commas (\`tags=red,big\`). If \`tags\` is repeated, each is one tag (\`tags=red&tags=big\`) and may contain a comma; for a single tag with a comma, add an empty \`tags\` (\`tags=Paris,%20France&tags=\`).`,
  });
}

/** Filters files by tags; `tagsIn` reads them. */
export const tagsFilter = tagsParameter(`Only files with all of these tags, at most ${TAGS}.`);

/** The tags in a query, without empty ones. */
export function tagsIn(values: readonly string[] = []): string[] {
  const [first, ...more] = values;
  if (first === undefined) return [];
  return more.length === 0 ? splitTags(first) : trimTags(values);
}

/** The tags in a comma-separated text, without empty ones. */
export function splitTags(list: string): string[] {
  return trimTags(list.split(","));
}

function trimTags(tags: readonly string[]): string[] {
  return tags.map((tag) => tag.trim()).filter((tag) => tag !== "");
}

export function driveName() {
  return text("1 to 64 characters after trimming.", "Research Notes");
}

/** A drive in a request: its identifier, or its slug `<username>/<drive-name>`. @param note a sentence to add */
export function driveRef(note = "") {
  return Type.String({
    minLength: 1,
    description: `The drive's identifier or slug (\`<username>/<drive-name>\`). ${note}`.trimEnd(),
    examples: ["01976f5e-5d7a-7000-8000-3c5d1a2b4e6f"],
  });
}

/** The snapshot of a drive to look into, in a query. */
export const inSnapshot = Type.Optional(
  text(
    "A snapshot of the drive: then this is about what the drive held when it was taken.",
    "01976f5e-7c9b-7000-8000-5d3e1f2a4b6c",
  ),
);

export const folderPath = text("Ends with `/`.", "notes/2030/");

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** The read-only type of what a schema describes. */
export type RecordOf<S extends TSchema> = ReadOnly<Static<S>>;

type ReadOnly<T> = T extends object ? { readonly [K in keyof T]: ReadOnly<T[K]> } : T;

/** What operations say that make a batch. */
export const UNDONE_AT_ONCE =
  "All of it is one batch: one entry more in the feed of changes, and `POST /v0/undo` with its `batch_id` undoes it.";
