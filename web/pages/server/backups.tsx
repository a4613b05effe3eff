import backupIcon from "lucide-static/icons/archive.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { useActions } from "../../components/actions.ts";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { asApiError } from "../../lib/api/api.ts";
import type { ServerBackups, ServerReport } from "../../lib/api/types.ts";
import { startBackup } from "../../lib/server.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

interface Props {
  readonly backups: ServerReport["backups"];
  readonly onBegun: () => void;
}

/** The backups that the server makes of itself. */
export function Backups({ backups, onBegun }: Props) {
  return (
    <section aria-labelledby="backups" class="card">
      {backups === null ? (
        <>
          <h2 id="backups">{t("Backups")}</h2>
          <p>
            {rich("This server makes none. Set {setting} to a directory or a bucket, and restart it.", {
              setting: <code>COFFER_BACKUP</code>,
            })}
          </p>
        </>
      ) : (
        <Made backups={backups} onBegun={onBegun} />
      )}
    </section>
  );
}

interface MadeProps {
  readonly backups: ServerBackups;
  readonly onBegun: () => void;
}

function Made({ backups, onBegun }: MadeProps) {
  const [isAsking, setAsking] = useState(false);
  const isBusy = backups.running || isAsking;
  const begin = async () => {
    if (isBusy) return;
    setAsking(true);
    try {
      await startBackup();
    } catch (error) {
      say(asApiError(error).message);
    } finally {
      setAsking(false);
      onBegun();
    }
  };
  useActions([{ name: t("Back up now"), svg: backupIcon, onChoose: () => void begin() }]);
  const { last_success_at: last, next_at: next } = backups;
  return (
    <>
      <div class="page-head">
        <h2 id="backups">{t("Backups")}</h2>
        {/* Not `disabled`, which would take the focus away. */}
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => void begin()}>
          <Icon svg={backupIcon} /> {t("Back up now")}
        </button>
      </div>
      <p role="status">{stateOf(backups)}</p>
      <dl class="server-facts">
        <dt>{t("Last")}</dt>
        <dd>{last === null ? t("None yet") : `${formatTime(last)} (${formatRelative(last)})`}</dd>
        <dt>{t("backup|Next")}</dt>
        <dd>{Date.parse(next) <= Date.now() ? t("Within a minute") : formatTime(next)}</dd>
        <dt>{t("How often")}</dt>
        <dd>{interval(backups.interval_seconds)}</dd>
        <dt>{t("Where")}</dt>
        <dd>
          <Name text={backups.place} />
        </dd>
      </dl>
    </>
  );
}

function stateOf({ running, last_failure_at: failed, last_success_at: last }: ServerBackups): string {
  if (running) return t("A backup is being made…");
  if (failed !== null) return t("The last one failed {time}.", { time: formatRelative(failed) });
  return last === null ? t("No backup has been made yet.") : t("The last one was complete.");
}

function interval(seconds: number): string {
  const [minutes, hours] = [Math.round(seconds / 60), Math.round(seconds / 3600)];
  return hours >= 1
    ? plural(hours, "Every hour", "Every {count} hours")
    : plural(minutes, "Every minute", "Every {count} minutes");
}
