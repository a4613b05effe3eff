import { useContext, useEffect, useState } from "preact/hooks";
import { isDrawable, type ThumbnailSize } from "../../src/domain/contents/thumbnail.ts";
import { ContentSourceContext, type ThumbnailOf } from "../lib/contents/content-source.ts";
import { FileIcon } from "./file-icon.tsx";

/** When a picture that did not come is asked for again, in milliseconds: the server may have had too much to do. */
const PAUSES_MS = [5000, 30_000];

interface FileSignProps {
  readonly file: ThumbnailOf;
  readonly size: ThumbnailSize;
}

/** A small picture of a picture, once it is in sight; the icon of its kind for everything else. */
export function FileSign({ file, size }: FileSignProps) {
  const { thumbnail } = useContext(ContentSourceContext);
  if (!isDrawable(file.mime_type, file.size)) return <FileIcon type={file.mime_type} />;
  const address = thumbnail(file, size);
  return <Thumbnail key={address} address={address} type={file.mime_type} />;
}

function Thumbnail({ address, type }: { readonly address: string; readonly type: string }) {
  const [failures, setFailures] = useState(0);
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    const pause = PAUSES_MS[failures - 1];
    if (pause === undefined) return;
    const timer = setTimeout(() => setShown(true), pause);
    return () => clearTimeout(timer);
  }, [failures]);
  if (!isShown) return <FileIcon type={type} />;
  const fail = () => {
    setFailures(failures + 1);
    setShown(false);
  };
  return (
    <img
      class="thumbnail"
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={fail}
    />
  );
}
