import { call } from "../../lib/api/api.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { UsageDay } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import { DayUsage } from "./day-usage.tsx";
import { keyName } from "./key-name.ts";
import { StorageByDrive, StorageByKind } from "./storage.tsx";

/** What was done in the account by day and key, and what its storage is used for. */
export function AccountUsage() {
  const { account } = useSession();
  return (
    <>
      <section class="card" aria-labelledby="usage-days">
        <h2 id="usage-days">{t("Usage by day")}</h2>
        <DayUsage
          load={loadDays}
          name={nameOf}
          empty={t("Nothing yet. What you and your keys ask of Coffer is counted here by day.")}
        />
      </section>
      <section class="card" aria-labelledby="usage-storage">
        <h2 id="usage-storage">{t("Storage")}</h2>
        <div class="chart-parts">
          <StorageByDrive user={account.id} />
          <StorageByKind path="/v0/account/usage/kinds" />
        </div>
      </section>
    </>
  );
}

async function loadDays(days: number, signal: AbortSignal): Promise<readonly UsageDay[]> {
  const path = `/v0/account/usage/days?days=${days}`;
  return (await call<{ data: UsageDay[] }>("GET", path, { signal })).data;
}

function nameOf(day: UsageDay | null): string {
  switch (day?.by) {
    case "key":
      return keyName(day.key_name);
    case "session":
      return t("Dashboard");
    case "link":
      return t("Links");
    case "other":
    case undefined:
      return t("Others");
  }
}
