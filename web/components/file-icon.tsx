import archive from "lucide-static/icons/file-archive.svg" with { type: "text" };
import code from "lucide-static/icons/file-code.svg" with { type: "text" };
import table from "lucide-static/icons/file-spreadsheet.svg" with { type: "text" };
import text from "lucide-static/icons/file-text.svg" with { type: "text" };
import file from "lucide-static/icons/file.svg" with { type: "text" };
import film from "lucide-static/icons/film.svg" with { type: "text" };
import image from "lucide-static/icons/image.svg" with { type: "text" };
import music from "lucide-static/icons/music.svg" with { type: "text" };
import { Icon } from "./icon.tsx";

/** The first pattern that matches a type gives its icon. */
const KINDS: readonly (readonly [kind: string, type: RegExp, svg: string])[] = [
  ["image", /^image\//, image],
  ["media", /^video\//, film],
  ["media", /^audio\//, music],
  ["table", /csv|spreadsheet|excel|tab-separated/, table],
  ["archive", /zip|compressed|x-tar|gzip|x-7z|zstd|x-rar/, archive],
  ["code", /json|javascript|typescript|xml|html|css|x-sh|python|yaml|toml|sql|wasm/, code],
  ["pdf", /pdf/, text],
  ["text", /^text\/|document|rtf|epub/, text],
];

/** The icon for a file of this MIME type, in its kind's colour. */
export function FileIcon({ type }: { readonly type: string }) {
  const [kind, , svg] = KINDS.find(([, pattern]) => pattern.test(type)) ?? ["other", /$/, file];
  return (
    <span class={`kind kind-${kind}`}>
      <Icon svg={svg} />
    </span>
  );
}
