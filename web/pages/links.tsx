import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { call } from "../lib/api/api.ts";
import { listDrives } from "../lib/drives.ts";
import { useFeed } from "../lib/api/feed.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { folderAddress } from "../lib/files/place.ts";
import { Link } from "../lib/browser/router.tsx";
import { useLoad } from "../lib/api/load.ts";
import { usePages } from "../lib/api/pages.ts";
import type { CursorPage, ManagedLink } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";
import { LinkRow } from "./links/row.tsx";
import { RevokeLink } from "./links/revoke.tsx";
import { ShowLink } from "./links/show.tsx";

/** The links that work without signing in, the newest first: of one drive, by its id, or of all. */
export function Links({ driveId }: { readonly driveId: string | null }) {
  const drives = useLoad("drives", listDrives).loaded;
  const { loaded, reload, more } = usePages("links", (part, signal) => {
    const query = new URLSearchParams({ ...(driveId === null ? {} : { drive_id: driveId }), ...part });
    return call<CursorPage<ManagedLink>>("GET", `/v0/links?${query}`, { signal });
  });
  const [revoking, setRevoking] = useState<ManagedLink | null>(null);
  const [shown, setShown] = useState<ManagedLink | null>(null);
  useFeed(driveId, reload);
  const known = drives.state === "ready" ? drives.value : [];
  const links = loaded.state === "ready" ? loaded.value.data : [];
  const heading = useHeadingAfterLoss(links.length);
  const close = () => setRevoking((now) => (now === revoking ? null : now));
  return (
    <>
      <DriveHead title={t("Links")} drive={known.find(({ id }) => id === driveId)} heading={heading} />
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && links.length === 0 && (
        <Empty svg={linkIcon} title={t("No links")}>
          <p class="soft">
            {t(
              "A link shows a file or folder to somebody without an account. Choose Share in the menu of a file or folder to make one. Those that agents make are listed here too.",
            )}
          </p>
          <Link to={driveId === null ? "/drives" : folderAddress(driveId, "")} class="button">
            {driveId === null ? t("Go to your drives") : t("Go to the drive root")}
          </Link>
        </Empty>
      )}
      {links.length > 0 && (
        <ul class="list">
          {links.map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              drive={known.find(({ id }) => id === link.drive_id)}
              showsDrive={driveId === null}
              onShow={() => setShown(link)}
              onRevoke={() => setRevoking(link)}
            />
          ))}
        </ul>
      )}
      {loaded.state === "ready" && loaded.value.hasMore && <ShowMore onMore={more} />}
      {shown !== null && <ShowLink link={shown} onClose={() => setShown(null)} />}
      {revoking !== null && (
        <RevokeLink
          link={revoking}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
        />
      )}
    </>
  );
}
