import { useContext, useState } from "preact/hooks";
import { isDrawable } from "../../../src/domain/contents/thumbnail.ts";
import { essenceOf } from "../../../src/domain/contents/media-type.ts";
import { useBlobUrl } from "../../lib/browser/blob-url.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { useLoad } from "../../lib/api/load.ts";
import { MOST_SVG_BYTES, SVG, svgAddress } from "../../lib/contents/pictures.ts";
import { t } from "../../lib/words/text.ts";
import { Careful } from "./careful.tsx";
import { NoView } from "./no-view.tsx";
import { TextView } from "./text-view.tsx";
import { Views } from "./views.tsx";
import { Whole } from "./whole.tsx";

const MOST_BYTES = 64 * 1024 * 1024;
/** From so many bytes on, a thumbnail is shown while the picture is loaded. */
const LONG_BYTES = 1024 * 1024;

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
      <Views
        names={[t("Image"), t("Source")]}
        current={isSource ? 1 : 0}
        onChange={(at) => setSource(at === 1)}
      />
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

function SvgImage({ file, content }: ShownProps) {
  const { loaded } = useLoad(file.id, () => svgAddress(content));
  if (loaded.state === "loading") return null;
  if (loaded.state === "ready" && loaded.value !== null) return <Shown file={file} url={loaded.value} />;
  return (
    <>
      <Careful>
        {t(
          "This picture is too complex to be drawn here. Showing its source. Download the file to open it in another app.",
        )}
      </Careful>
      <TextView file={file} kind="text" />
    </>
  );
}

function Shown({ file, url }: { readonly file: ShownFile; readonly url: string | null }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken)
    return <NoView file={file} why={t("The browser can't show this image. It may be damaged.")} />;
  return (
    <div class="preview-body preview-image">
      {url !== null && <img src={url} alt={file.filename} onError={() => setBroken(true)} />}
    </div>
  );
}
