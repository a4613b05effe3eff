import otherTypes from "mime/types/other.js";
import standardTypes from "mime/types/standard.js";
import { once } from "../once.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";

// Apart from `media-type.ts`, which the dashboard loads: these tables are a tenth of it.

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

/** By extension, later ones first; `*` marks another type's. The library's own lookup is slow at its import. */
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
