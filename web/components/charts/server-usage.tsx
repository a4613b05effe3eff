import { call } from "../../lib/api/api.ts";
import type { ServerUsageDay } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import { DayUsage } from "./day-usage.tsx";
import { keyName } from "./key-name.ts";

/** What was done on the server by day and user, for its administrators. */
export function ServerUsage() {
  return (
    <section class="card" aria-labelledby="server-usage">
      <h2 id="server-usage">{t("Usage of the server by day")}</h2>
      <DayUsage
        load={loadDays}
        name={nameOf}
        empty={t("Nothing yet. What users and their keys ask of Coffer is counted here by day.")}
      />
    </section>
  );
}

async function loadDays(days: number, signal: AbortSignal): Promise<readonly ServerUsageDay[]> {
  return (await call<{ data: ServerUsageDay[] }>("GET", `/v0/usage/days?days=${days}`, { signal })).data;
}

function nameOf(day: ServerUsageDay | null): string {
  switch (day?.by) {
    case "user":
      return day.username ?? t("Deleted user");
    case "key":
      return keyName(day.key_name);
    case "session":
      return t("Dashboard");
    case "unclaimed":
      return t("Unclaimed drives");
    case "anonymous":
      return t("Without a key");
    case "other":
    case undefined:
      return t("Others");
  }
}
