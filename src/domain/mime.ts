import { Mime } from "mime/lite";
import otherTypes from "mime/types/other.js";
import standardTypes from "mime/types/standard.js";
import { invalid } from "./errors.ts";
import { CONTENT_TYPE_CHARACTERS } from "./limits.ts";

const UNKNOWN = "application/octet-stream";

/** What agents store most and the registries name oddly or not at all: source code and line formats. */
const SOURCE_TYPES: Record<string, string[]> = {
  "text/typescript": ["ts", "tsx", "mts", "cts"],
  "text/jsx": ["jsx"],
  "text/x-python": ["py", "pyi"],
  "text/x-go": ["go"],
  "text/x-rust": ["rs"],
  "text/x-ruby": ["rb"],
  "text/x-kotlin": ["kt", "kts"],
  "text/x-swift": ["swift"],
  "text/x-csharp": ["cs"],
  "text/x-sql": ["sql"],
  "text/x-vue": ["vue"],
  "text/x-svelte": ["svelte"],
  "text/x-diff": ["diff", "patch"],
  "text/x-env": ["env"],
  "application/x-ndjson": ["ndjson", "jsonl"],
  "application/vnd.apache.parquet": ["parquet"],
};

const types = new Mime(standardTypes, otherTypes).define(SOURCE_TYPES, true);

/** The MIME type a filename's ending stands for; `application/octet-stream` for endings nobody knows. */
export function mimeTypeOf(filename: string): string {
  // A slash or backslash would make the library look at a part of the name only.
  return types.getType(filename.replaceAll(/[/\\]/g, "_")) ?? UNKNOWN;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})((?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\\\x00-\\x1f\\x7f-\\uffff]|\\\\[ -~])*"))*)$`,
);

/** Reads a media type a caller sent (RFC 9110, section 8.3.1); type and subtype in lower case. */
export function parseMediaType(field: string, text: string): string {
  const match = text.length <= CONTENT_TYPE_CHARACTERS ? MEDIA_TYPE.exec(text.trim()) : null;
  const [, essence, parameters] = match ?? [];
  if (essence === undefined) throw invalid(field, "must be a media type such as text/plain");
  return essence.toLowerCase() + (parameters ?? "");
}

/** `type/subtype` alone, without parameters. */
export function essenceOf(mimeType: string): string {
  const end = mimeType.indexOf(";");
  return (end === -1 ? mimeType : mimeType.slice(0, end)).trim().toLowerCase();
}

/** Whether contents of this type are JSON, such as `application/json` and `application/geo+json`. */
export function isJsonType(mimeType: string): boolean {
  return /^(application|text)\/([^/]*\+)?json$/.test(essenceOf(mimeType));
}

const CODE =
  /^((text|application)\/(x-)?(java|ecma)script|text\/(jscript|livescript|javascript1\.[0-5])|text\/css)$/;

/** Whether a page takes contents of this type as its own script or style, and of no other (WHATWG MIME Sniffing, 4.6). */
export function isCodeType(mimeType: string): boolean {
  return CODE.test(essenceOf(mimeType));
}

const TEXT_APPLICATION =
  /^application\/(json|xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|ndjson|jsonl|x-httpd-php|rtf|x-tex|x-latex|x-subrip|.*\+(json|xml|yaml))$/;

/** Whether contents of this type are text that people read and previews show. */
export function isTextType(mimeType: string): boolean {
  const essence = essenceOf(mimeType);
  return essence.startsWith("text/") || essence === "image/svg+xml" || TEXT_APPLICATION.test(essence);
}
