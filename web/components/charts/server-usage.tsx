import { useState } from "preact/hooks";
import { call } from "../../lib/api/api.ts";
import type { ServerUsageDay } from "../../lib/api/types.ts";
import { optionsOf } from "../../lib/words/options.ts";
import { mark, t } from "../../lib/words/text.ts";
import { Choice } from "../forms/choice.tsx";
import { DayUsage } from "./day-usage.tsx";
import { keyName } from "./key-name.ts";
import { StorageByDriveOfServer, StorageByKind } from "./storage.tsx";

const GROUPINGS = [
  { value: "user", text: mark("By user") },
  { value: "key", text: mark("By key") },
] as const;

/** What was done on the server by day and user or key, and what its storage is used for; for its administrators. */
export function ServerUsage() {
  const [by, setBy] = useState("user");
  const choice = (
    <Choice label={t("Grouping")} name="by" options={optionsOf(GROUPINGS)} value={by} onChoose={setBy} />
  );
  return (
    <>
      <section class="card" aria-labelledby="server-usage">
        <h2 id="server-usage">{t("Usage of the server by day")}</h2>
        <DayUsage
          load={(days, signal) => loadDays(`days=${days}&by=${by}`, signal)}
          name={nameOf}
          empty={t("Nothing yet. What users and their keys ask of Coffer is counted here by day.")}
          of={by}
          choice={choice}
        />
      </section>
      <section class="card" aria-labelledby="server-storage">
        <h2 id="server-storage">{t("Storage")}</h2>
        <div class="chart-parts">
          <StorageByDriveOfServer />
          <StorageByKind path="/v0/usage/kinds" />
        </div>
      </section>
    </>
  );
}

async function loadDays(query: string, signal: AbortSignal): Promise<readonly ServerUsageDay[]> {
  return (await call<{ data: ServerUsageDay[] }>("GET", `/v0/usage/days?${query}`, { signal })).data;
}

function nameOf(day: ServerUsageDay | null): string {
  switch (day?.by) {
    case "user":
      return day.username ?? t("Deleted user");
    case "key":
      // The user first: a name that is read from right to left would turn the order of both.
      return t("{owner}: {name}", { owner: day.username ?? t("Deleted user"), name: keyName(day.key_name) });
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
