import { DriveHead } from "../../components/shell/drive-head.tsx";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { formatRelative } from "../../lib/words/format.ts";
import { usePages } from "../../lib/api/pages.ts";
import { compareSnapshot } from "../../lib/snapshots.ts";
import type { Difference, Drive, Snapshot } from "../../lib/api/types.ts";
import { mark, type PlainMessage, rich, t } from "../../lib/words/text.ts";
import { SnapshotTools } from "./tools.tsx";

const IN_WORDS: Readonly<Record<Difference["change"], PlainMessage>> = {
  added: mark("Added"),
  removed: mark("Removed"),
  changed: mark("Changed"),
  moved: mark("Moved"),
};

/** What came, went and changed in a drive since a snapshot. */
export function Compared({ drive, snapshot }: { readonly drive: Drive; readonly snapshot: Snapshot }) {
  const { loaded, reload, more } = usePages("compared", (part, signal) =>
    compareSnapshot(snapshot, part, signal),
  );
  return (
    <>
      <DriveHead title={t("Snapshots")} drive={drive}>
        <SnapshotTools drive={drive} snapshot={snapshot} path="" onDone={reload} />
      </DriveHead>
      <h2>
        {rich("Changes since {name}, taken {when}", {
          name: <Name text={snapshot.name} />,
          when: formatRelative(snapshot.created_at),
        })}
      </h2>
      {loaded.state === "loading" && <p class="soft">{t("Comparing…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && loaded.value.data.length === 0 && (
        <p class="soft">{t("Nothing has changed since then.")}</p>
      )}
      {loaded.state === "ready" && loaded.value.data.length > 0 && (
        <ul class="list">
          {loaded.value.data.map(({ path, change, before }) => (
            <li key={`${change} ${path}`} class="difference">
              <span class="standing">{t(IN_WORDS[change])}</span>
              <span>
                {change === "moved" && before !== null ? (
                  rich("{previous} to {path}", {
                    previous: <Name text={before.path} />,
                    path: <Name text={path} />,
                  })
                ) : (
                  <Name text={path} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
    </>
  );
}
