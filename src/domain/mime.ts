import { Mime } from "mime/lite";
import otherTypes from "mime/types/other.js";
import standardTypes from "mime/types/standard.js";

const UNKNOWN = "application/octet-stream";

/** Types that agents store most and that the registries name oddly or lack: source code and line formats. */
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

/** The MIME type for a filename's extension; `application/octet-stream` for an unknown one. */
export function mimeTypeOf(filename: string): string {
  // At a slash or backslash the library would drop the part before it.
  return types.getType(filename.replaceAll(/[/\\]/g, "_")) ?? UNKNOWN;
}
