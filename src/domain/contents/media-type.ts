import { invalid } from "../errors.ts";
import { CONTENT_TYPE_CHARACTERS } from "../limits.ts";

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})((?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\\\x00-\\x1f\\x7f-\\uffff]|\\\\[ -~])*"))*)$`,
);

/** Reads a media type that a caller sent (RFC 9110, section 8.3.1); type and subtype become lower case. */
export function parseMediaType(field: string, text: string): string {
  const match = text.length <= CONTENT_TYPE_CHARACTERS ? MEDIA_TYPE.exec(text.trim()) : null;
  const [, essence, parameters] = match ?? [];
  if (essence === undefined) throw invalid(field, "must be a media type such as text/plain");
  return essence.toLowerCase() + (parameters ?? "");
}

/** `type/subtype` without parameters. */
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

/** Whether a page would run it as script or use it as style, with `nosniff` (WHATWG MIME Sniffing, section 4.6). */
export function isCodeType(mimeType: string): boolean {
  return CODE.test(essenceOf(mimeType));
}

const ACTIVE = /^(text\/(html|xsl)|(text|application)\/xml|.*\+xml|message\/rfc822|multipart\/.*)$/;

/** Whether a browser that shows contents of this type may run what is in them: pages, pictures in XML, scripts, styles. */
export function isActiveType(mimeType: string): boolean {
  return isCodeType(mimeType) || ACTIVE.test(essenceOf(mimeType));
}

const TEXT_APPLICATION =
  /^application\/(json|xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|ndjson|jsonl|x-httpd-php|rtf|x-tex|x-latex|x-subrip|.*\+(json|xml|yaml))$/;

/** Whether contents of this type are text that people read; previews show these. */
export function isTextType(mimeType: string): boolean {
  const essence = essenceOf(mimeType);
  return essence.startsWith("text/") || essence === "image/svg+xml" || TEXT_APPLICATION.test(essence);
}

/** All types may be, but those that certainly are not: many types of texts are not known. */
export function mayBeText(mimeType: string): boolean {
  return isTextType(mimeType) || !/^(audio|font|image|video)\/|^application\/pdf$/.test(essenceOf(mimeType));
}

/** The type of a file whose extension says nothing. */
export const UNKNOWN_TYPE = "application/octet-stream";
