import { once } from "../once.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { mimeTable } from "./mime-table.ts" with { type: "macro" };

// Apart from `media-type.ts`, which the dashboard loads: this table is a tenth of it.
const TABLE = mimeTable();

const types = once(() => {
  const lines = TABLE.split("\n").map((line) => line.split(" "));
  return new Map(lines.flatMap(([type = "", ...extensions]) => extensions.map((each) => [each, type])));
});

/** The MIME type for a filename's extension; `application/octet-stream` for an unknown one. */
export function mimeTypeOf(filename: string): string {
  return types().get(filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()) ?? UNKNOWN_TYPE;
}
