import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { readWhole } from "../../lib/contents/contents.ts";
import { formatBytes } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { useLoad } from "../../lib/api/load.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { Failure } from "../failure.tsx";
import { NoView } from "./no-view.tsx";

interface WholeProps {
  readonly file: ShownFile;
  /** The largest file that is loaded, in bytes. */
  readonly most: number;
  /** The MIME type that the content is shown as, whatever the file says. */
  readonly type: string;
  /** What is shown while it is loaded, above the progress. */
  readonly meanwhile?: ComponentChildren;
  readonly children: (content: Blob) => ComponentChildren;
}

/** Loads a whole file, with a progress bar, and then shows it. */
export function Whole({ file, most, ...rest }: WholeProps) {
  if (file.size > most) {
    const why = t("Files larger than {size} have no preview.", { size: formatBytes(most) });
    return <NoView file={file} why={why} />;
  }
  return <Loading file={file} {...rest} />;
}

function Loading({ file, type, meanwhile, children }: Omit<WholeProps, "most">) {
  const [received, setReceived] = useState(0);
  const { inline } = useContext(ContentSourceContext);
  const { loaded, reload } = useLoad(file.id, async (signal) => {
    const content = await readWhole(inline(file), file, { signal, onProgress: setReceived });
    return content.slice(0, content.size, type);
  });
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  if (loaded.state === "ready") return <>{children(loaded.value)}</>;
  return (
    <div class="preview-body preview-none">
      {meanwhile}
      <progress aria-label={t("Loading")} max={Math.max(file.size, 1)} value={received} />
      <p class="soft">
        {t("{done} of {total}", { done: formatBytes(received), total: formatBytes(file.size) })}
      </p>
    </div>
  );
}
