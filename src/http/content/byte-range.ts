import type { ByteRange } from "../../domain/contents/content.ts";
import { HttpRefusal } from "../gate/errors.ts";

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads a Range header (RFC 9110, section 14.2) for content of `size` bytes. Null if the whole content is to be sent:
 * no header, a malformed one, another unit, or several ranges, which a server may ignore. Throws HttpRefusal
 * RANGE_NOT_SATISFIABLE with Content-Range if no byte of the range exists.
 */
export function parseRange(header: string | null, size: number): ByteRange | null {
  const [, first = "", last = ""] = SINGLE_RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new HttpRefusal(
    "RANGE_NOT_SATISFIABLE",
    `The range is outside the content, which has ${size} bytes. Ask for a part of these.`,
    {
      "content-range": `bytes */${size}`,
    },
  );
}
