import { useId } from "preact/hooks";
import { By } from "../../components/by.tsx";
import { Name } from "../../components/name.tsx";
import { useLoad } from "../../lib/api/load.ts";
import type { FileRecord } from "../../lib/api/types.ts";
import { fileEntry } from "../../lib/files.ts";
import { lastChangeOf } from "../../lib/last-change.ts";
import { formatTime } from "../../lib/words/format.ts";
import { Facts } from "./dialogs/facts.tsx";
import type { FolderStore } from "./store/folder.ts";
import { t } from "../../lib/words/text.ts";

interface DetailsPanelProps {
  readonly id: string;
  readonly file: FileRecord;
  /** The folder whose list is shown; null where nothing can be changed. */
  readonly folder: FolderStore | null;
}

/** What is known of a file, beside its content. */
export function DetailsPanel({ id, file, folder }: DetailsPanelProps) {
  const title = useId();
  // Who it was is good to know, and no loss where it is not to be had.
  const { loaded } = useLoad(`${file.id} ${file.updated_at}`, async (signal) => ({
    of: file,
    change: await lastChangeOf(file, signal),
  }));
  const change = loaded.state === "ready" && loaded.value.of.id === file.id ? loaded.value.change : null;
  return (
    <section id={id} class="side-part" aria-labelledby={title}>
      <h3 id={title}>{t("Details")}</h3>
      <Facts file={file} by={change !== null && <By by={change.by} />}>
        {file.expires_at !== null && (
          <>
            <dt>{t("Expires")}</dt>
            <dd>{formatTime(file.expires_at)}</dd>
          </>
        )}
        {file.tags.length > 0 && (
          <>
            <dt>{t("Tags")}</dt>
            <dd>
              <ul class="tags">
                {file.tags.map((tag) => (
                  <li key={tag} class="chip">
                    <Name text={tag} />
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </Facts>
      {folder !== null && !folder.isReadOnly && (
        <button
          type="button"
          class="button"
          aria-haspopup="dialog"
          onClick={() => folder.ask({ kind: "details", entry: fileEntry(file) })}
        >
          {t("Edit details")}
        </button>
      )}
    </section>
  );
}
