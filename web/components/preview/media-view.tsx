import { useState } from "preact/hooks";
import { downloadAddress } from "../../lib/files.ts";
import type { FileRecord } from "../../lib/types.ts";
import { NoView } from "./no-view.tsx";

interface MediaViewProps {
  readonly file: FileRecord;
  readonly kind: "audio" | "video";
}

/** Audio or video of any size: the browser asks for the parts that it plays. */
export function MediaView({ file, kind }: MediaViewProps) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <NoView file={file} why={`The browser can't play this ${kind}.`} />;
  const media = {
    controls: true,
    preload: "metadata",
    src: `${downloadAddress(file.id)}?inline=1`,
    "aria-label": file.filename,
    onError: () => setBroken(true),
  } as const;
  return (
    <div class="preview-body preview-media">
      {kind === "audio" ? <audio {...media} /> : <video {...media} />}
    </div>
  );
}
