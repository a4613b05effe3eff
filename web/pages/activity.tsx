import activityIcon from "lucide-static/icons/history.svg" with { type: "text" };
import { useMemo } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { getDrive } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { byDay } from "../lib/by-day.ts";
import { fatesOf } from "../lib/fates.ts";
import { useLoad } from "../lib/api/load.ts";
import { usePages } from "../lib/api/pages.ts";
import { grouped, isGroup } from "../lib/activity-groups.ts";
import { type ActivityFilter, listChanges, readFilter } from "../lib/activity.ts";
import type { Change, Drive } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";
import { Filters } from "./activity/filters.tsx";
import { GroupRow } from "./activity/group.tsx";
import { ChangeRow } from "./activity/row.tsx";

const NONE: readonly Change[] = [];

interface ActivityProps {
  readonly driveId: string;
  /** Of the address, with the filters. */
  readonly query: URLSearchParams;
}

/** What happened in a drive, the last first. */
export function Activity({ driveId, query }: ActivityProps) {
  const { loaded, reload } = useLoad(driveId, (signal) => getDrive(driveId, signal));
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  const drive = loaded.value;
  const filter = readFilter(query);
  return (
    <>
      <DriveHead title={t("Activity")} drive={drive} />
      <Filters drive={drive} filter={filter} />
      <Changes key={String(query)} drive={drive} filter={filter} />
    </>
  );
}

function Changes({ drive, filter }: { readonly drive: Drive; readonly filter: ActivityFilter }) {
  const { loaded, reload, more } = usePages("changes", (part, signal) =>
    listChanges({ drive: drive.id, filter }, part, signal),
  );
  useFeed(drive.id, reload);
  const all = loaded.state === "ready" ? loaded.value.data : NONE;
  const fates = useMemo(() => fatesOf(all), [all]);
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  return (
    <>
      {all.length === 0 && <Nothing isFiltered={Object.values(filter).some((value) => value !== "")} />}
      {byDay(all).map(({ day, entries }) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ul class="list">
            {grouped(entries).map((entry) =>
              isGroup(entry) ? (
                <GroupRow key={entry.changes.at(-1)?.id} group={entry} drive={drive} fates={fates} />
              ) : (
                <ChangeRow key={entry.id} change={entry} drive={drive} fate={fates.get(entry.id)} />
              ),
            )}
          </ul>
        </section>
      ))}
      {loaded.value.hasMore && <ShowMore onMore={more} />}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty svg={activityIcon} title={isFiltered ? t("Nothing found") : t("Nothing has happened yet")}>
      <p class="soft">
        {isFiltered
          ? t("Nothing that is still on record fits these filters.")
          : t("Whatever you, an agent or another member does in this drive is listed here.")}
      </p>
    </Empty>
  );
}
