import { DriveHead } from "../../components/shell/drive-head.tsx";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { formatRelative } from "../../lib/words/format.ts";
import { usePages } from "../../lib/api/pages.ts";
import { compareSnapshot } from "../../lib/snapshots.ts";
import type { Difference, Drive, Snapshot } from "../../lib/api/types.ts";
import { SnapshotTools } from "./tools.tsx";

const IN_WORDS: Readonly<Record<Difference["change"], string>> = {
  added: "Added",
  removed: "Removed",
  changed: "Changed",
  moved: "Moved",
};

/** What came, went and changed in a drive since a snapshot. */
export function Compared({ drive, snapshot }: { readonly drive: Drive; readonly snapshot: Snapshot }) {
  const { loaded, reload, more } = usePages("compared", (part, signal) =>
    compareSnapshot(snapshot, part, signal),
  );
  return (
    <>
      <DriveHead title="Snapshots" drive={drive}>
        <SnapshotTools drive={drive} snapshot={snapshot} path="" onDone={reload} />
      </DriveHead>
      <h2>
        Changes since <Name text={snapshot.name} />, taken {formatRelative(snapshot.created_at)}
      </h2>
      {loaded.state === "loading" && <p class="soft">Comparing…</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && loaded.value.data.length === 0 && (
        <p class="soft">Nothing has changed since then.</p>
      )}
      {loaded.state === "ready" && loaded.value.data.length > 0 && (
        <ul class="list">
          {loaded.value.data.map(({ path, change, before }) => (
            <li key={`${change} ${path}`} class="difference">
              <span class="standing">{IN_WORDS[change]}</span>
              <span>
                {change === "moved" && before !== null && (
                  <>
                    <Name text={before.path} /> to{" "}
                  </>
                )}
                <Name text={path} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
    </>
  );
}
