import type { VNode } from "preact";
import { useContext, useState } from "preact/hooks";
import { useLoad } from "../../../lib/api/load.ts";
import { ContentSourceContext, type NearFiles } from "../../../lib/contents/content-source.ts";
import { pictureAddress } from "../../../lib/contents/pictures.ts";
import { nearPlaceOf } from "../../../lib/contents/relative.ts";
import { useSeen } from "../code.tsx";
import { DocumentContext } from "./context.ts";

interface PictureProps {
  readonly to: string;
  readonly alt: string;
}

/** A picture from a file of the same drive or link, which is asked for when it is nearly in sight; else its words. */
export function Picture({ to, alt }: PictureProps) {
  const { near } = useContext(ContentSourceContext);
  const { path: here } = useContext(DocumentContext);
  const { ref, isSeen } = useSeen<HTMLSpanElement>();
  const path = nearPlaceOf(to, here)?.path ?? "";
  const words = <em>{alt === "" ? to : alt}</em>;
  return (
    <span ref={ref}>
      {isSeen && near !== null && path !== "" ? (
        <FoundPicture near={near} path={path} alt={alt} words={words} />
      ) : (
        words
      )}
    </span>
  );
}

interface FoundPictureProps {
  readonly near: NearFiles;
  readonly path: string;
  readonly alt: string;
  /** What is shown in its place until it is there, or if it cannot be shown. */
  readonly words: VNode;
}

function FoundPicture({ near, path, alt, words }: FoundPictureProps) {
  const { inline } = useContext(ContentSourceContext);
  const [isBroken, setBroken] = useState(false);
  const { loaded } = useLoad(path, async (signal) => {
    const file = await near.find(path, signal);
    return file === null ? null : pictureAddress(file, inline(file), signal);
  });
  if (isBroken || loaded.state !== "ready" || loaded.value === null) return words;
  return <img src={loaded.value} alt={alt} onError={() => setBroken(true)} />;
}
