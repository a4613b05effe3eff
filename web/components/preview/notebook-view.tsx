import { useState } from "preact/hooks";
import { useLoad } from "../../lib/api/load.ts";
import type { ShownFile } from "../../lib/contents/content-source.ts";
import { formatDocument } from "../../lib/markdown/format.ts";
import { t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Careful } from "./careful.tsx";
import { ScrolledDocument } from "./markdown/document.tsx";
import { TextView } from "./text-view.tsx";
import { Views } from "./views.tsx";
import { Whole } from "./whole.tsx";

const MOST_BYTES = 8 * 1024 * 1024;

/** A Jupyter notebook: its words, its code and what the code gave. The source can be shown as well. */
export function NotebookView({ file }: { readonly file: ShownFile }) {
  const [view, setView] = useState(0);
  return (
    <>
      <Views names={[t("Notebook"), t("Source")]} current={view} onChange={setView} />
      {view === 1 ? (
        <TextView file={file} kind="text" />
      ) : (
        <Whole file={file} most={MOST_BYTES} type="text/plain">
          {(content) => <Notebook file={file} content={content} />}
        </Whole>
      )}
    </>
  );
}

function Notebook({ file, content }: { readonly file: ShownFile; readonly content: Blob }) {
  const { loaded, reload } = useLoad(file.id, async (signal) =>
    formatDocument({ format: "notebook", text: await content.text() }, signal),
  );
  if (loaded.state === "loading") return <p class="preview-body preview-none soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  if (loaded.value !== null) return <ScrolledDocument blocks={loaded.value} path={file.path} />;
  return (
    <>
      <Careful>
        {t("This is not a notebook, or it is too long or complex to show. Showing its source.")}
      </Careful>
      <TextView file={file} kind="text" />
    </>
  );
}
