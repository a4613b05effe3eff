import { useContext } from "preact/hooks";
import { useLoad } from "../../../lib/api/load.ts";
import { ContentSourceContext, type ShownFile } from "../../../lib/contents/content-source.ts";
import { readTextStart } from "../../../lib/contents/contents.ts";
import { formatDocument } from "../../../lib/markdown/format.ts";
import { Failure } from "../../failure.tsx";
import { Document } from "./document.tsx";

/** A Markdown file without anything around it, as a README below its folder; nothing where it cannot be formatted. */
export function MarkdownFile({ file }: { readonly file: ShownFile }) {
  const { inline } = useContext(ContentSourceContext);
  const { loaded, reload } = useLoad(file.id + file.content_hash, async (signal) => {
    const { text } = await readTextStart(inline(file), file, signal);
    return text === null ? null : formatDocument({ format: "markdown", text }, signal);
  });
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  return loaded.value && <Document blocks={loaded.value} path={file.path} />;
}
