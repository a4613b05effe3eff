import logOutIcon from "lucide-static/icons/log-out.svg" with { type: "text" };
import { Failure } from "../components/failure.tsx";
import { Icon } from "../components/icon.tsx";
import { Name } from "../components/name.tsx";
import { Meter } from "../components/meter.tsx";
import { AccountUsage } from "../components/usage.tsx";
import { call } from "../lib/api/api.ts";
import { formatBytes, formatDay, formatNumber, formatTime } from "../lib/words/format.ts";
import { useLoad } from "../lib/api/load.ts";
import { useSession } from "../lib/api/session.tsx";
import type { Usage } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";
import { AppearanceChoice } from "./account/appearance-choice.tsx";
import { ChangePassword } from "./account/change-password.tsx";
import { LanguageChoice } from "./account/language-choice.tsx";
import { Sessions } from "./account/sessions.tsx";

/** The user's own account: usage, sessions and password. */
export function Account() {
  const { account, signOut } = useSession();
  const { username, display_name: name, email, plan, created_at: since } = account;
  return (
    <>
      <div class="page-head">
        <div>
          <h1>
            <Name text={name ?? username} />
          </h1>
          <p class="soft">
            {[name === null ? null : username, email, t("Joined {day}", { day: formatDay(since) })]
              .filter((text) => text !== null)
              .join(" · ")}
          </p>
        </div>
        <button type="button" class="button" onClick={() => void signOut()}>
          <Icon svg={logOutIcon} /> {t("Sign out")}
        </button>
      </div>
      <section class="card" aria-labelledby="usage">
        <div class="page-head">
          <h2 id="usage">{t("This month")}</h2>
          <span class="standing">{t("Plan {plan}", { plan })}</span>
        </div>
        <UsageBars />
      </section>
      <AccountUsage />
      <div class="account-parts">
        <div class="account-column">
          <Sessions />
          <AppearanceChoice />
          <LanguageChoice />
        </div>
        {account.has_password && <ChangePassword />}
      </div>
    </>
  );
}

function UsageBars() {
  const { account } = useSession();
  const { loaded, reload } = useLoad("usage", async (signal) => {
    const { data } = await call<{ data: Usage }>("GET", "/v0/account/usage", { signal });
    return data;
  });
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const { storage, versions, operations, bandwidth, period } = loaded.value;
  const { requests_per_minute: requests, max_file_size: largest } = account.limits;
  return (
    <>
      <div class="meters">
        <Meter label={t("Storage")} figure={storage} format={formatBytes} />
        <Meter label={t("Bandwidth")} figure={bandwidth} format={formatBytes} />
        <Meter label={t("Requests")} figure={operations} format={formatNumber} />
      </div>
      <p class="soft">
        {t(
          "Bandwidth and requests reset on {when}. Rate limit: {requests} requests a minute for each key. Max file size: {size}.",
          { when: formatTime(period.end), requests, size: formatBytes(largest) },
        )}
        {versions.used > 0 && (
          <>
            {" "}
            {t("Earlier versions and the trash take {size} more, which give way first.", {
              size: formatBytes(versions.used),
            })}
          </>
        )}
      </p>
    </>
  );
}
