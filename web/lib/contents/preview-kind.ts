import { documentFormatOf } from "../../../src/domain/contents/extraction.ts";
import { essenceOf, isJsonType, isTextType } from "../../../src/domain/contents/media-type.ts";
import { languageOf } from "../code/languages.ts";
import { EDITABLE_BYTES } from "../editing/limits.ts";
import type { ShownFile } from "./content-source.ts";

/** How a file is shown. For `unknown` its bytes decide: it may be a text without a known extension. */
export type PreviewKind =
  | "image"
  | "audio"
  | "video"
  | "pdf"
  | "document"
  | "markdown"
  | "json"
  | "json-lines"
  | "notebook"
  | "table"
  | "text"
  | "unknown"
  | "none";

// Types that an <img> shows. An SVG runs no script there.
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

const EDITABLE: ReadonlySet<PreviewKind> = new Set([
  "markdown",
  "json",
  "json-lines",
  "table",
  "text",
  "unknown",
]);

/** Whether a file may be a text that can be edited. Its bytes decide, once they are read. */
export function mayBeEdited(file: ShownFile): boolean {
  return file.size <= EDITABLE_BYTES && EDITABLE.has(previewKind(file));
}

/** The kind for a file's type. The type is only what its owner says, so nothing is run because of it. */
export function previewKind({ filename, mime_type }: ShownFile): PreviewKind {
  const type = essenceOf(mime_type);
  if (IMAGE.test(type)) return "image";
  if (type.startsWith("audio/")) return "audio";
  if (type.startsWith("video/")) return "video";
  if (type === "application/pdf") return "pdf";
  const format = documentFormatOf(type);
  if (format !== null && format !== "html") return "document";
  if (type === "text/markdown") return "markdown";
  if (/\.ipynb$/i.test(filename) || type === "application/x-ipynb+json") return "notebook";
  if (isJsonType(type)) return "json";
  if (/^application\/(?:x-ndjson|ndjson|jsonl)$/.test(type)) return "json-lines";
  if (type === "text/csv" || type === "text/tab-separated-values") return "table";
  if (isTextType(type)) return "text";
  return type === "application/octet-stream" || languageOf(filename, type) !== null ? "unknown" : "none";
}
