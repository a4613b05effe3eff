import auditIcon from "lucide-static/icons/scroll-text.svg" with { type: "text" };
import manualIcon from "lucide-static/icons/book-open.svg" with { type: "text" };
import { useEffect } from "preact/hooks";
import { Failure } from "../components/failure.tsx";
import { Icon } from "../components/icon.tsx";
import { ServerUsage } from "../components/usage.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { useLoad } from "../lib/api/load.ts";
import { useSession } from "../lib/api/session.tsx";
import type { ServerReport } from "../lib/api/types.ts";
import { Link } from "../lib/browser/router.tsx";
import { useStyle } from "../lib/browser/style.ts";
import { getServer } from "../lib/server.ts";
import { formatTime } from "../lib/words/format.ts";
import { t } from "../lib/words/text.ts";
import { Backups } from "./server/backups.tsx";
import { Health } from "./server/health.tsx";
import { Problems } from "./server/problems.tsx";
import { Refused } from "./server/refused.tsx";
import style from "./server/server.css" with { type: "text" };
import { Settings } from "./server/settings.tsx";

/** How often the page asks again, in milliseconds: while something is under way, and otherwise. */
const ASK_MS = { busy: 1000, idle: 30_000 };

/** How the server is, and its settings; for administrators. Nobody else is told that there is such a page. */
export function Server() {
  const { account } = useSession();
  return account.admin ? <WholeServer /> : <NotFound />;
}

function WholeServer() {
  useStyle(style);
  const { loaded, reload } = useLoad("server", getServer);
  const server = loaded.state === "ready" ? loaded.value : null;
  useFollowing(reload, server?.backups?.running === true || server?.contents === null);
  return (
    <>
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>{t("Server")}</h1>
          {server !== null && (
            <p class="soft">
              {t("Coffer {version}, running since {time}", {
                version: server.version,
                time: formatTime(server.started_at),
              })}
            </p>
          )}
        </div>
        <div class="row">
          <Link to="/audit" class="button">
            <Icon svg={auditIcon} /> {t("Audit log")}
          </Link>
          <a class="button" href="/manual">
            <Icon svg={manualIcon} /> {t("Manual")}
          </a>
        </div>
      </div>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {server !== null && <Report server={server} onChanged={reload} />}
    </>
  );
}

interface ReportProps {
  readonly server: ServerReport;
  readonly onChanged: () => void;
}

function Report({ server, onChanged }: ReportProps) {
  return (
    <>
      <Problems server={server} />
      <Health server={server} />
      <ServerUsage />
      <Backups backups={server.backups} onBegun={onChanged} />
      <Refused days={server.refused} since={server.started_at} />
      <Settings settings={server.settings} onChanged={onChanged} />
    </>
  );
}

/** Asks again from time to time, while the page is in sight. */
function useFollowing(ask: () => void, isBusy: boolean): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && ask();
    const timer = setInterval(look, isBusy ? ASK_MS.busy : ASK_MS.idle);
    return () => clearInterval(timer);
  }, [ask, isBusy]);
}
