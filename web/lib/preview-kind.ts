import type { FileRecord } from "./types.ts";

/** How a file is shown; `unknown` is looked into, since it may be a text without a telling name. */
export type PreviewKind =
  "image" | "audio" | "video" | "pdf" | "markdown" | "json" | "table" | "text" | "unknown" | "none";

// What an <img> shows; SVG among it, which runs no script there.
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;
const TEXT =
  /^(text\/.*|application\/(xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|jsonl|x-httpd-php|x-tex|x-latex|x-subrip|.*\+(xml|yaml)))$/;

/** A file's type without parameters, in lower case. */
export function essenceOf({ mime_type }: FileRecord): string {
  return mime_type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** What a file's type stands for; its type is its owner's word, and nothing is run because of it. */
export function previewKind(file: FileRecord): PreviewKind {
  const type = essenceOf(file);
  if (IMAGE.test(type)) return "image";
  if (type.startsWith("audio/")) return "audio";
  if (type.startsWith("video/")) return "video";
  if (type === "application/pdf") return "pdf";
  if (type === "text/markdown") return "markdown";
  if (/^(application|text)\/(.*\+)?json$/.test(type)) return "json";
  if (type === "text/csv" || type === "text/tab-separated-values") return "table";
  if (TEXT.test(type)) return "text";
  return type === "application/octet-stream" ? "unknown" : "none";
}
