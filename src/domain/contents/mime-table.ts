import otherTypes from "mime/types/other.js";
import standardTypes from "mime/types/standard.js";

/** Types that agents store most and that the registries name oddly or lack: source code and line formats. */
const SOURCE_TYPES = `text/typescript ts tsx mts cts, text/jsx jsx, text/x-python py pyi, text/x-go go, text/x-rust rs,
  text/x-ruby rb, text/x-kotlin kt kts, text/x-swift swift, text/x-csharp cs, text/x-sql sql, text/x-vue vue,
  text/x-svelte svelte, text/x-diff diff patch, text/x-env env, application/x-ndjson ndjson jsonl,
  application/vnd.apache.parquet parquet`;

/**
 * Each type with its extensions, a line for each. Later lines count; `*` marks another type's extension, which is left
 * out. A macro: only the compiler calls it, since thousands of little arrays cost a start more than one text.
 */
export function mimeTable(): string {
  const registered = [standardTypes, otherTypes]
    .flatMap((table) => Object.entries<readonly string[]>(table))
    .map(([type, extensions]) => [type, ...extensions.filter((each) => !each.startsWith("*"))].join(" "));
  return [...registered, ...SOURCE_TYPES.split(/,\s+/)].join("\n");
}
