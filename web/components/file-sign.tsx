import { useContext, useState } from "preact/hooks";
import { isDrawable, type ThumbnailSize } from "../../src/domain/contents/thumbnail.ts";
import { ContentSourceContext, type ThumbnailOf } from "../lib/contents/content-source.ts";
import { FileIcon } from "./file-icon.tsx";

interface FileSignProps {
  readonly file: ThumbnailOf;
  readonly size: ThumbnailSize;
}

/** A small picture of a picture, once it is in sight; the icon of its kind for everything else. */
export function FileSign({ file, size }: FileSignProps) {
  const { thumbnail } = useContext(ContentSourceContext);
  const address = isDrawable(file.mime_type, file.size) ? thumbnail(file, size) : null;
  const [broken, setBroken] = useState<string | null>(null);
  if (address === null || address === broken) return <FileIcon type={file.mime_type} />;
  return (
    <img
      key={address}
      class="thumbnail"
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => setBroken(address)}
    />
  );
}
