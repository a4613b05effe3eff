import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import { useContext } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { PreviewContent } from "../../components/preview/content.tsx";
import { ContentSourceContext } from "../../lib/contents/content-source.ts";
import { formatBytes } from "../../lib/words/format.ts";
import { shownFile } from "../../lib/shared.ts";
import type { Shared, SharedFile } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import { Ends } from "./ends.tsx";

interface SharedFilePageProps {
  readonly shared: Shared;
  readonly file: SharedFile;
}

/** The only file that a link shows. */
export function SharedFilePage({ shared, file }: SharedFilePageProps) {
  const { download } = useContext(ContentSourceContext);
  const shown = shownFile(file);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>
            <Name text={shared.name} />
          </h1>
          <p class="soft">
            {formatBytes(file.size)} · <Ends at={shared.expires_at} />
          </p>
        </div>
        <a class="button primary" href={download(shown)} download={file.filename}>
          <Icon svg={downloadIcon} /> {t("Download")}
        </a>
      </header>
      <section class="shared-view" aria-label={t("Preview")}>
        <PreviewContent key={file.content_hash} file={shown} />
      </section>
    </>
  );
}
