import archive from "lucide-static/icons/file-archive.svg" with { type: "text" };
import code from "lucide-static/icons/file-code.svg" with { type: "text" };
import table from "lucide-static/icons/file-spreadsheet.svg" with { type: "text" };
import text from "lucide-static/icons/file-text.svg" with { type: "text" };
import other from "lucide-static/icons/file.svg" with { type: "text" };
import video from "lucide-static/icons/film.svg" with { type: "text" };
import image from "lucide-static/icons/image.svg" with { type: "text" };
import audio from "lucide-static/icons/music.svg" with { type: "text" };
import { type FileKind, kindOf } from "../../src/domain/contents/kind.ts";
import { Icon } from "./icon.tsx";

const ICONS: Readonly<Record<FileKind, string>> = {
  image,
  video,
  audio,
  table,
  archive,
  code,
  pdf: text,
  text,
  other,
};

/** The icon for a file of this MIME type, in its kind's colour. */
export function FileIcon({ type }: { readonly type: string }) {
  const kind = kindOf(type);
  return (
    <span class={`kind kind-${kind}`}>
      <Icon svg={ICONS[kind]} />
    </span>
  );
}
