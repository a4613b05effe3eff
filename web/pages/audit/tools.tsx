import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import refreshIcon from "lucide-static/icons/refresh-cw.svg" with { type: "text" };
import { useActions } from "../../components/actions.ts";
import { Icon } from "../../components/icon.tsx";
import { type AuditFilter, auditLinesAddress } from "../../lib/audit.ts";
import { t } from "../../lib/words/text.ts";

interface ToolsProps {
  readonly filter: AuditFilter;
  readonly onRefresh: () => void;
}

/** What is done with the events that are shown: no feed tells of new ones. */
export function Tools({ filter, onRefresh }: ToolsProps) {
  const lines = auditLinesAddress(filter);
  useActions([
    { name: t("Refresh"), svg: refreshIcon, onChoose: onRefresh },
    { name: t("Download these events"), svg: downloadIcon, href: lines, download: true },
  ]);
  return (
    <div class="row">
      <button type="button" class="button" onClick={onRefresh}>
        <Icon svg={refreshIcon} /> {t("Refresh")}
      </button>
      <a class="button" title={t("All events that fit the filters, as lines of JSON")} href={lines} download>
        <Icon svg={downloadIcon} /> {t("Download")}
      </a>
    </div>
  );
}
