import otherTypes from "mime/types/other.js";
import standardTypes from "mime/types/standard.js";
import { once } from "../once.ts";

/** The type of a file whose extension says nothing. */
export const UNKNOWN_TYPE = "application/octet-stream";

/** Types that agents store most and that the registries name oddly or lack: source code and line formats. */
const SOURCE_TYPES = {
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

/**
 * Types by extension, later ones first. Not the library's own lookup, which takes long and is made at its import. A
 * star marks an extension that belongs to another type.
 */
const types = once(
  () =>
    new Map(
      [standardTypes, otherTypes, SOURCE_TYPES]
        .flatMap((table) => Object.entries<readonly string[]>(table))
        .flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const))
        .filter(([extension]) => !extension.startsWith("*")),
    ),
);

/** The MIME type for a filename's extension; `application/octet-stream` for an unknown one. */
export function mimeTypeOf(filename: string): string {
  return types().get(filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()) ?? UNKNOWN_TYPE;
}
