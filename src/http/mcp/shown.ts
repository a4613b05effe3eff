import { Type } from "@sinclair/typebox";
import type { Drive } from "../../domain/drives/drive.ts";
import { invalid } from "../../domain/errors.ts";
import type { NamedActor } from "../../domain/changes/change.ts";
import type { FileVersion } from "../../domain/history/history.ts";
import type { FileAtPath, FileFacts } from "../../domain/files/file.ts";
import { type Precondition, quotedTag } from "../../domain/files/precondition.ts";
import { formatInstant } from "../../domain/time.ts";
import { etagOf } from "../content/conditions.ts";
import * as t from "../operation/schema.ts";
import { parseId } from "../../domain/id.ts";
import type { Diff } from "../../domain/contents/edit/unified-diff.ts";
import { startOf, utf8Length } from "../../domain/contents/texts/text.ts";

export const driveArgument = Type.Optional(
  Type.String({
    minLength: 1,
    description: "From list_drives. Leave it out if you have one only.",
  }),
);

export const pathArgument = Type.String({
  minLength: 1,
  description: "The file's path in the drive.",
  examples: ["notes/plan.md"],
});

/** What names a file. */
export const fileArguments = { drive_id: driveArgument, path: pathArgument };

/** The guard of a change, in arguments. */
export const ifMatchArgument = t.optionalText(
  "The etag that the file must still have. If it has another, nothing is changed.",
);

/** Why something is changed; see `callerSaying` of `tool.ts`. */
export const messageArgument = t.optionalText("Why: the history shows it.");

/** How many paths a call may name. */
export const NAMED_PATHS = 100;

export function severalPaths(description: string) {
  const path = Type.String({ minLength: 1 });
  return Type.Optional(Type.Array(path, { minItems: 1, maxItems: NAMED_PATHS, description }));
}

/** A pattern of paths. @param what of it begins the description */
export function globArgument(what = "Only files that match") {
  return t.optionalText(
    `${what}: \`*\` and \`?\` within a name, \`**\` across folders, \`{a,b}\`.`,
    "**/*.md",
  );
}

export const onlyTagsArgument = t.optionalTexts({ description: "Only files with all of these tags." });

export const cursorArgument = t.optionalText("next_cursor of the page before.");

/** What an answer can show of a file besides its path. */
const FILE_FIELDS = [
  "drive",
  "etag",
  "id",
  "mime_type",
  "size",
  "tags",
  "title",
  "updated_at",
  "url",
] as const;

export type FileField = (typeof FILE_FIELDS)[number];

export const fieldsArgument = Type.Optional(
  Type.Array(t.oneOf(FILE_FIELDS), {
    maxItems: FILE_FIELDS.length,
    description: "What else to show of each file. url is where a human sees it.",
  }),
);

/** A drive as arguments name it: by its slug or, while it has none, its id. */
export function nameOf({ slug, id }: Drive): string {
  return slug ?? id;
}

/** What is shown of a file that was changed. */
export const CHANGED = ["etag", "size"] as const;

/** A file by its path, and these facts. Lists do without etags, which alone would take most of their room. */
export function fileShown(drive: Drive, file: FileFacts, fields: readonly FileField[], base = "") {
  const facts: Record<FileField, unknown> = {
    drive: nameOf(drive),
    etag: etagOf(file.digest),
    id: file.id,
    mime_type: file.mimeType,
    size: file.size,
    tags: file.tags,
    title: file.filename,
    updated_at: formatInstant(file.updatedAt),
    url: fileAddress(base, file),
  };
  return { path: file.path, ...Object.fromEntries(fields.map((field) => [field, facts[field]])) };
}

/** Who changed something, in words. */
export function whose(by: NamedActor | null): string {
  if (by === null) return "the server";
  return by.name === "" ? `an unnamed ${by.kind}` : `${by.kind} ${by.name ?? by.id}`;
}

/** An argument that the action needs. Throws VALIDATION_ERROR. */
export function needed<Given extends { readonly action: string }, Name extends string & keyof Given>(
  given: Given,
  name: Name,
): Exclude<Given[Name], undefined>;
export function needed(given: { readonly action: string; readonly [name: string]: unknown }, name: string) {
  const value = given[name];
  if (value === undefined) throw invalid(name, `is required to ${given.action}`);
  return value;
}

export function nextCursor(next_cursor: string | null) {
  return next_cursor === null ? {} : { next_cursor };
}

/** By which all that a call did to many files is undone. */
export function batch(batch_id: string | null) {
  return batch_id === null ? {} : { batch_id };
}

/** What changed in a text, as much as an answer holds. */
export function diffShown({ text, isCut }: Diff) {
  const diff = startOf(text, ANSWER_DIFF_BYTES);
  return { diff, ...(isCut || diff.length < text.length ? { diff_cut: true } : {}) };
}

export function versionShown(version: FileVersion) {
  const { version: number, size, replacedAt, replacedBy } = version;
  const replaced = { replaced_at: formatInstant(replacedAt), replaced_by: whose(replacedBy) };
  return { version: number, size, ...replaced, ...saidOf(version) };
}

/** What was said of a content: its label, and why it was made. */
export function saidOf({ label, message }: Pick<FileVersion, "label" | "message">) {
  return { ...(label === null ? {} : { label }), ...(message === null ? {} : { message }) };
}

/** The conditions of a change. An etag may come without its quotes. */
export function preconditionFrom(ifMatch: string | undefined): Precondition {
  const tag = ifMatch === undefined ? null : quotedTag(ifMatch);
  return { ifMatch: tag, ifUnmodifiedSince: null, ifNoneMatch: null };
}

/** How the contents of images begin that models can see, as Latin-1. For WebP see `imageTypeOf`. */
const BEGINNINGS = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
] as const;
const WEBP = "image/webp";

/** The type of an image by its first bytes; null for anything else. A false type would fail a model's next request. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return WEBP;
  return BEGINNINGS.find(([, beginning]) => start.startsWith(beginning))?.[0] ?? null;
}

/** Whether a file says that it is an image that models can see. */
export function isImageType(mimeType: string): boolean {
  return mimeType === WEBP || BEGINNINGS.some(([type]) => type === mimeType);
}

const URI_START = "coffer://";

/** The template of all files (RFC 6570): a drive's id or slug, and a path whose slashes stay. */
export const FILE_URI_TEMPLATE = `${URI_START}{drive}/{+path}`;

/** A file as a resource. Everything but slashes is percent-encoded, so no name can look like more than a name. */
export function fileUri({ driveId, path }: Pick<FileFacts, "driveId" | "path">): string {
  return `${URI_START}${driveId}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The drive and the path of a resource; null if it is none. The slash of a slug may stay as it is. */
export function parseFileUri(uri: string): FileAtPath | null {
  if (!uri.startsWith(URI_START)) return null;
  const [name = "", ...rest] = uri.slice(URI_START.length).split("/");
  if (rest.length === 0) return null;
  try {
    const drive = decodeURIComponent(name);
    // A slug is two names with a slash between them.
    const isHalf = rest.length > 1 && !drive.includes("/") && parseId(drive) === null;
    const other = isHalf ? `/${decodeURIComponent(rest.shift() ?? "")}` : "";
    return { drive: drive + other, path: decodeURIComponent(rest.join("/")) };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Where the dashboard shows a file. Its folder is left out, which may be long and may change. */
export function fileAddress(base: string, { driveId, id }: FileFacts): string {
  return `${base}/drives/${driveId}/?file=${id}`;
}

/** The most bytes of JSON in an answer that is a list, and of text in one that shows a file: about 10,000 tokens. */
export const ANSWER_BYTES = 32 * 1024;
/** The most bytes of JSON that such a text takes, in which some characters take six times their bytes. */
export const ANSWER_TEXT_JSON_BYTES = 36 * 1024;
/** The most files that a page of a list shows. */
export const PAGE_FILES = 100;
/** The same for a search, whose results are longer. */
export const SEARCH_RESULTS = 20;
/** The most changes, snapshots, versions and links that an answer shows. */
export const PAGE_RECORDS = 50;
/** The most bytes of a diff in an answer. */
export const ANSWER_DIFF_BYTES = 16 * 1024;
/** What one answer of grep holds, about 3,000 tokens: files, matches, and UTF-16 code units of lines in JSON. */
export const GREP_PAGE = { files: 30, bounds: { matches: 100, characters: 8_000 } };
/** The most bytes of an image that is shown. */
export const WHOLE_BYTES = 512 * 1024;
/** How many drives one page of resources looks into, if they are empty. */
export const LISTED_DRIVES = 100;
/** How many completions are shown, at most 100 (MCP, completion/complete). */
export const COMPLETIONS = 100;

/** The first items whose JSON fits into an answer: at least one, if there is one. */
export function fitting<T>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += utf8Length(JSON.stringify(item))) > ANSWER_BYTES);
  return tooMany === -1 ? items : items.slice(0, Math.max(1, tooMany));
}
