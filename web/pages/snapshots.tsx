import snapshotIcon from "lucide-static/icons/camera.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { call } from "../lib/api/api.ts";
import { isManaged } from "../lib/drive-places.ts";
import { getDrive } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { useLoad } from "../lib/api/load.ts";
import { usePages } from "../lib/api/pages.ts";
import { listSnapshots } from "../lib/snapshots.ts";
import type { Drive, Snapshot } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";
import { Compared } from "./snapshots/compared.tsx";
import { DeleteSnapshot, NewSnapshot, RestoreSnapshot } from "./snapshots/dialogs.tsx";
import { Inside } from "./snapshots/inside.tsx";
import { SnapshotRow } from "./snapshots/row.tsx";

interface SnapshotsProps {
  readonly driveId: string;
  readonly query: URLSearchParams;
}

/** The snapshots of a drive; with `inside` or `compare` in the address, what is in one, or what differs since. */
export function Snapshots({ driveId, query }: SnapshotsProps) {
  const { loaded, reload } = useLoad(driveId, (signal) => getDrive(driveId, signal));
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  const [inside, compare] = [query.get("inside"), query.get("compare")];
  const id = inside ?? compare;
  if (id === null) return <SnapshotList drive={loaded.value} />;
  return (
    <OneSnapshot key={id} drive={loaded.value} id={id}>
      {(snapshot) =>
        inside === null ? (
          <Compared drive={loaded.value} snapshot={snapshot} />
        ) : (
          <Inside drive={loaded.value} snapshot={snapshot} path={query.get("path") ?? ""} />
        )
      }
    </OneSnapshot>
  );
}

/** What the person is doing, in a dialog. */
type Doing =
  { readonly what: "create" } | { readonly what: "restore" | "delete"; readonly snapshot: Snapshot };

function SnapshotList({ drive }: { readonly drive: Drive }) {
  const { loaded, reload, more } = usePages("snapshots", (part, signal) =>
    listSnapshots(drive.id, part, signal),
  );
  const [doing, setDoing] = useState<Doing | null>(null);
  useFeed(drive.id, reload);
  const snapshots = loaded.state === "ready" ? loaded.value.data : [];
  const heading = useHeadingAfterLoss(snapshots.length);
  const close = () => setDoing((now) => (now === doing ? null : now));
  const finish = () => {
    close();
    reload();
  };
  const take = drive.role !== "reader" && (
    <button type="button" class="button primary" onClick={() => setDoing({ what: "create" })}>
      {t("Take a snapshot")}
    </button>
  );
  return (
    <>
      <DriveHead title={t("Snapshots")} drive={drive} heading={heading}>
        {snapshots.length > 0 && take}
      </DriveHead>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && snapshots.length === 0 && <NoSnapshots>{take}</NoSnapshots>}
      {snapshots.length > 0 && (
        <ul class="list">
          {snapshots.map((snapshot) => (
            <SnapshotRow
              key={snapshot.id}
              snapshot={snapshot}
              isManaged={isManaged(drive)}
              onRestore={() => setDoing({ what: "restore", snapshot })}
              onDelete={() => setDoing({ what: "delete", snapshot })}
            />
          ))}
        </ul>
      )}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
      {doing?.what === "create" && <NewSnapshot drive={drive} onClose={close} onDone={finish} />}
      {doing?.what === "restore" && (
        <RestoreSnapshot snapshot={doing.snapshot} path="" onClose={close} onDone={finish} />
      )}
      {doing?.what === "delete" && (
        <DeleteSnapshot snapshot={doing.snapshot} onClose={close} onDone={finish} />
      )}
    </>
  );
}

function NoSnapshots({ children }: { readonly children: ComponentChildren }) {
  return (
    <Empty svg={snapshotIcon} title={t("No snapshots yet")}>
      <p class="soft">
        {t(
          "A snapshot remembers the whole drive as it is now, in a moment. Take one before something risky; later you can look inside, compare, and bring back a folder or everything.",
        )}
      </p>
      {children}
    </Empty>
  );
}

interface OneSnapshotProps {
  readonly drive: Drive;
  readonly id: string;
  readonly children: (snapshot: Snapshot) => ComponentChildren;
}

function OneSnapshot({ drive, id, children }: OneSnapshotProps) {
  const { loaded, reload } = useLoad(id, async (signal) => {
    const path = `/v0/drives/${drive.id}/snapshots/${encodeURIComponent(id)}`;
    return (await call<{ data: Snapshot }>("GET", path, { signal })).data;
  });
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "ready") return <>{children(loaded.value)}</>;
  return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
}
