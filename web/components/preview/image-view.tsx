import { useContext, useEffect, useState } from "preact/hooks";
import { isDrawable } from "../../../src/domain/contents/thumbnail.ts";
import { essenceOf } from "../../../src/domain/contents/media-type.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { useLoad } from "../../lib/api/load.ts";
import { isSimpleSvg } from "../../lib/contents/svg-cost.ts";
import { Careful } from "./careful.tsx";
import { NoView } from "./no-view.tsx";
import { TextView } from "./text-view.tsx";
import { Views } from "./views.tsx";
import { useBlobUrl, Whole } from "./whole.tsx";

const MOST_BYTES = 64 * 1024 * 1024;
/** From so many bytes on, a thumbnail is shown while the picture is loaded. */
const LONG_BYTES = 1024 * 1024;
const MOST_SVG_BYTES = 1024 * 1024;
const SVG = "image/svg+xml";

/** An image. Of an SVG, the source can be shown as well. */
export function ImageView({ file }: { readonly file: ShownFile }) {
  const [isSource, setSource] = useState(false);
  const type = essenceOf(file.mime_type);
  if (type !== SVG) {
    return (
      <Whole file={file} most={MOST_BYTES} type={type} meanwhile={<Draft file={file} />}>
        {(content) => <BlobImage file={file} content={content} />}
      </Whole>
    );
  }
  return (
    <>
      <Views names={["Image", "Source"]} current={isSource ? 1 : 0} onChange={(at) => setSource(at === 1)} />
      {isSource ? (
        <TextView file={file} kind="text" />
      ) : (
        <Whole file={file} most={MOST_SVG_BYTES} type={SVG}>
          {(content) => <SvgImage file={file} content={content} />}
        </Whole>
      )}
    </>
  );
}

/** A thumbnail of a picture that takes long to load. */
function Draft({ file }: { readonly file: ShownFile }) {
  const { thumbnail } = useContext(ContentSourceContext);
  const [isBroken, setBroken] = useState(false);
  if (isBroken || file.size < LONG_BYTES || !isDrawable(file.mime_type, file.size)) return null;
  return <img class="preview-draft" src={thumbnail(file, "large")} alt="" onError={() => setBroken(true)} />;
}

interface ShownProps {
  readonly file: ShownFile;
  readonly content: Blob;
}

function BlobImage({ file, content }: ShownProps) {
  return <Shown file={file} url={useBlobUrl(content)} />;
}

/** An SVG, if it is simple; of 1 KB one can be made that holds the page for minutes. */
function SvgImage({ file, content }: ShownProps) {
  const { loaded } = useLoad(file.id, async () => {
    const text = await content.text();
    // What is drawn is what was measured, whatever encoding it says it has.
    return isSimpleSvg(text) ? new Blob(["\ufeff", text], { type: SVG }) : null;
  });
  if (loaded.state !== "ready") return null;
  if (loaded.value !== null) return <DataImage file={file} content={loaded.value} />;
  return (
    <>
      <Careful>
        This picture is too complex to be drawn here. Showing its source. Download the file to open it in
        another app.
      </Careful>
      <TextView file={file} kind="text" />
    </>
  );
}

/**
 * An SVG runs no script in an <img>, but it would when opened in a new tab. With a `data:` address it has no origin
 * even there.
 */
function DataImage({ file, content }: ShownProps) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const reader = new FileReader();
    reader.addEventListener("load", () => setUrl(typeof reader.result === "string" ? reader.result : null));
    reader.readAsDataURL(content);
    return () => reader.abort();
  }, [content]);
  return <Shown file={file} url={url} />;
}

function Shown({ file, url }: { readonly file: ShownFile; readonly url: string | null }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <NoView file={file} why="The browser can't show this image. It may be damaged." />;
  return (
    <div class="preview-body preview-image">
      {url !== null && <img src={url} alt={file.filename} onError={() => setBroken(true)} />}
    </div>
  );
}
