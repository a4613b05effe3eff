import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import refreshIcon from "lucide-static/icons/refresh-cw.svg" with { type: "text" };
import { useEffect, useState } from "preact/hooks";
import { useActions } from "../../components/actions.ts";
import { Icon } from "../../components/icon.tsx";
import { say } from "../../components/toast.tsx";
import { type AuditFilter, auditLines } from "../../lib/audit.ts";
import { asApiError } from "../../lib/api/api.ts";
import { useSavedBlob } from "../../lib/browser/blob-url.ts";
import { t } from "../../lib/words/text.ts";

interface ToolsProps {
  readonly filter: AuditFilter;
  readonly onRefresh: () => void;
}

/** What is done with the events that are shown: no feed tells of new ones. */
export function Tools({ filter, onRefresh }: ToolsProps) {
  const { isBusy, download } = useDownload(filter);
  useActions([
    { name: t("Refresh"), svg: refreshIcon, onChoose: onRefresh },
    { name: t("Download these events"), svg: downloadIcon, onChoose: download },
  ]);
  return (
    <div class="row">
      <button type="button" class="button" onClick={onRefresh}>
        <Icon svg={refreshIcon} /> {t("Refresh")}
      </button>
      {/* Not `disabled`, which would take the focus away. */}
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        title={t("All events that fit the filters, as lines of JSON")}
        onClick={download}
      >
        <Icon svg={downloadIcon} /> {isBusy ? t("Downloading…") : t("Download")}
      </button>
    </div>
  );
}

/** Has the browser save all events that a filter means: a link could not ask for lines. */
function useDownload(filter: AuditFilter): { readonly isBusy: boolean; readonly download: () => void } {
  const [abort, setAbort] = useState<AbortController | null>(null);
  const save = useSavedBlob("audit-events.jsonl");
  useEffect(() => () => abort?.abort(), [abort]);
  const download = async () => {
    if (abort !== null) return;
    const begun = new AbortController();
    setAbort(begun);
    try {
      save(await auditLines(filter, begun.signal));
    } catch (error) {
      if (!begun.signal.aborted) say(asApiError(error).message);
    }
    if (!begun.signal.aborted) setAbort(null);
  };
  return { isBusy: abort !== null, download: () => void download() };
}
