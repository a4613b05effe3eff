import { useContext, useEffect, useState } from "preact/hooks";
import { essenceOf } from "../../src/domain/contents/media-type.ts";
import { isDrawable, type ThumbnailSize } from "../../src/domain/contents/thumbnail.ts";
import { useLoad } from "../lib/api/load.ts";
import { useBlobUrl } from "../lib/browser/blob-url.ts";
import { ContentSourceContext, type ShownFile } from "../lib/contents/content-source.ts";
import { FileIcon } from "./file-icon.tsx";

/** When a picture that did not come is asked for again, in milliseconds: the server may have had too much to do. */
const PAUSES_MS = [5000, 30_000];
/** A larger PDF is not loaded for the sake of its first page. */
const MOST_PDF_BYTES = 4 * 1024 * 1024;

interface FileSignProps {
  readonly file: ShownFile;
  readonly size: ThumbnailSize;
}

/** A small picture of a picture or, where there is room, of the first page of a PDF; else the icon of its kind. */
export function FileSign({ file, size }: FileSignProps) {
  const { thumbnail } = useContext(ContentSourceContext);
  if (isDrawable(file.mime_type, file.size)) {
    const address = thumbnail(file, size);
    return <Thumbnail key={address} address={address} type={file.mime_type} />;
  }
  if (size !== "small" && hasFirstPage(file)) return <FirstPage key={file.content_hash} file={file} />;
  return <FileIcon type={file.mime_type} />;
}

function hasFirstPage({ mime_type: type, size }: ShownFile): boolean {
  const isPdf = essenceOf(type) === "application/pdf";
  return isPdf && size > 0 && size <= MOST_PDF_BYTES && "OffscreenCanvas" in window;
}

/** Drawn by the browser: the server has nothing that draws PDFs. What cannot be drawn keeps its icon. */
function FirstPage({ file }: Pick<FileSignProps, "file">) {
  const { inline } = useContext(ContentSourceContext);
  const { loaded } = useLoad(file.id, async (signal) => {
    const { firstPages } = await import("../lib/pdf/first-pages.ts");
    return firstPages.of(file, inline(file), signal);
  });
  const page = loaded.state === "ready" ? loaded.value : null;
  return page === null ? <FileIcon type={file.mime_type} /> : <Page content={page} />;
}

function Page({ content }: { readonly content: Blob }) {
  const url = useBlobUrl(content);
  return url !== null && <img class="thumbnail is-page" src={url} alt="" draggable={false} />;
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
