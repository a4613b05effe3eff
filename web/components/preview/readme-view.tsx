import bookIcon from "lucide-static/icons/book-open-text.svg" with { type: "text" };
import { useContext, useId } from "preact/hooks";
import { useLoad } from "../../lib/api/load.ts";
import { Link } from "../../lib/browser/router.tsx";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { readTextStart } from "../../lib/contents/contents.ts";
import { startOfReadme } from "../../lib/files/readme.ts";
import { formatDocument } from "../../lib/markdown/format.ts";
import { sentenceSpace } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { Document } from "./markdown/document.tsx";

interface ReadmeViewProps {
  readonly file: ShownFile;
  /** The address that shows all of it. */
  readonly to: string;
}

/** A Markdown file with its name above it, as a part of a page. Of a long one, the start. */
export function ReadmeView({ file, to }: ReadmeViewProps) {
  const title = useId();
  const { inline } = useContext(ContentSourceContext);
  const { loaded, reload } = useLoad(file.id + file.content_hash, async (signal) => {
    const { text, isCut } = await readTextStart(inline(file), file, signal);
    if (text === null) return null;
    const start = startOfReadme(text);
    const blocks = await formatDocument({ format: "markdown", text: start }, signal);
    return { blocks, isCut: isCut || start.length < text.length };
  });
  if (loaded.state === "loading") return null;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  if (loaded.value === null) return null;
  const { blocks, isCut } = loaded.value;
  return (
    <section class="readme" aria-labelledby={title}>
      <h2 id={title}>
        <Icon svg={bookIcon} />{" "}
        <Link to={to}>
          <Name text={file.filename} />
        </Link>
      </h2>
      {blocks !== null && <Document blocks={blocks} path={file.path} />}
      {(isCut || blocks === null) && (
        <p class="readme-more">
          {blocks === null ? t("It is too complex to be shown here.") : t("This is only its start.")}
          {sentenceSpace()}
          <Link to={to}>{t("Open the whole file")}</Link>
        </p>
      )}
    </section>
  );
}
