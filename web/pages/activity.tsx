import { useMemo } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Failure } from "../components/failure.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { call } from "../lib/api/api.ts";
import { getDrive } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { formatDay } from "../lib/words/format.ts";
import { fatesOf } from "../lib/fates.ts";
import { useLoad } from "../lib/api/load.ts";
import { usePages } from "../lib/api/pages.ts";
import type { Change, CursorPage, Drive } from "../lib/api/types.ts";
import { ChangeRow } from "./activity/row.tsx";

const NONE: readonly Change[] = [];

/** What happened in a drive, the last first. */
export function Activity({ driveId }: { readonly driveId: string }) {
  const { loaded, reload } = useLoad(driveId, (signal) => getDrive(driveId, signal));
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "ready") return <ActivityOf drive={loaded.value} />;
  return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
}

function ActivityOf({ drive }: { readonly drive: Drive }) {
  const { loaded, reload, more } = usePages("changes", (part, signal) => {
    const query = new URLSearchParams({ drive_id: drive.id, sort: "-id", ...part });
    return call<CursorPage<Change>>("GET", `/v0/changes?${query}`, { signal });
  });
  useFeed(drive.id, reload);
  const all = loaded.state === "ready" ? loaded.value.data : NONE;
  const fates = useMemo(() => fatesOf(all), [all]);
  return (
    <>
      <DriveHead title="Activity" drive={drive} />
      {loaded.state === "loading" && <p class="soft">Loading…</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && loaded.value.data.length === 0 && (
        <div class="empty">
          <h2>Nothing has happened yet</h2>
          <p class="soft">Whatever you, an agent or another member does in this drive is listed here.</p>
        </div>
      )}
      {loaded.state === "ready" &&
        byDay(loaded.value.data).map(({ day, changes }) => (
          <section key={day} class="day">
            <h2>{day}</h2>
            <ul class="list">
              {changes.map((change) => (
                <ChangeRow
                  key={change.id}
                  change={change}
                  drive={drive}
                  fate={fates.get(change.id) ?? { kind: "there", path: change.path }}
                />
              ))}
            </ul>
          </section>
        ))}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
    </>
  );
}

interface Day {
  readonly day: string;
  readonly changes: Change[];
}

/** The changes of each day, in the order they came in. */
function byDay(changes: readonly Change[]): readonly Day[] {
  const days: Day[] = [];
  for (const change of changes) {
    const day = formatDay(change.at);
    const last = days.at(-1);
    if (last?.day === day) last.changes.push(change);
    else days.push({ day, changes: [change] });
  }
  return days;
}
