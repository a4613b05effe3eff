import { useContext, useState } from "preact/hooks";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { t } from "../../lib/words/text.ts";
import { FileIcon } from "../file-icon.tsx";
import { NoView } from "./no-view.tsx";

interface MediaViewProps {
  readonly file: ShownFile;
  readonly kind: "audio" | "video";
}

/** Audio or video of any size: the browser asks for the parts that it plays. */
export function MediaView({ file, kind }: MediaViewProps) {
  const [isBroken, setBroken] = useState(false);
  const { inline } = useContext(ContentSourceContext);
  if (isBroken) {
    const why =
      kind === "audio" ? t("The browser can't play this audio.") : t("The browser can't play this video.");
    return <NoView file={file} why={why} />;
  }
  const media = {
    controls: true,
    preload: "metadata",
    src: inline(file),
    "aria-label": file.filename,
    onError: () => setBroken(true),
  } as const;
  return (
    <div class={`preview-body preview-media is-${kind}`}>
      {kind === "audio" ? (
        <>
          <FileIcon type={file.mime_type} />
          <audio {...media} />
        </>
      ) : (
        <video {...media} />
      )}
    </div>
  );
}
