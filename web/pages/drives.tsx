import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import plusIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import { useCallback, useState } from "preact/hooks";
import { useActions } from "../components/actions.ts";
import { CONNECT } from "../components/connect.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { Finder, isWanted, MANY } from "../components/forms/finder.tsx";
import { First } from "../components/first.tsx";
import { Icon } from "../components/icon.tsx";
import { NewsPanel } from "../components/news.tsx";
import { listDrives } from "../lib/drives.ts";
import { useSession } from "../lib/api/session.tsx";
import { useFeed } from "../lib/api/feed.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { formatBytes, sentenceSpace } from "../lib/words/format.ts";
import { useLoad } from "../lib/api/load.ts";
import { Link } from "../lib/browser/router.tsx";
import type { Drive, News } from "../lib/api/types.ts";
import { plural, rich, t } from "../lib/words/text.ts";
import { DriveCard } from "./drives/drive-card.tsx";
import { DeleteDrive, EditDrive, NewDrive } from "./drives/drive-dialogs.tsx";

/** What the person is doing to a drive, in a dialog. */
type Doing = { readonly what: "create" } | { readonly what: "edit" | "delete"; readonly drive: Drive };

/** The drives of the signed-in user, the last changed first. */
export function Drives() {
  const { loaded, reload } = useLoad("drives", listDrives);
  const [doing, setDoing] = useState<Doing | null>(null);
  const { visits } = useSession();
  const { loaded: told, reload: ask } = useLoad("news", (signal) => visits.list(signal));
  useFeed(
    null,
    useCallback(() => {
      reload();
      ask();
    }, []),
  );
  // Without an answer nothing is marked: the drives are there all the same.
  const news = told.state === "ready" ? told.value : [];
  const dismiss = async () => {
    await Promise.all(news.map(({ drive_id: drive }) => visits.of(drive).dismiss()));
    ask();
  };
  const drives = loaded.state === "ready" ? loaded.value : null;
  const heading = useHeadingAfterLoss(drives?.length ?? 0);
  const create = () => setDoing({ what: "create" });
  useActions([{ name: t("New drive"), svg: plusIcon, onChoose: create }]);
  return (
    <>
      <div class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {t("Drives")}
          </h1>
          {drives !== null && drives.length > 0 && <p class="soft">{sumOf(drives)}</p>}
        </div>
        <div class="row">
          <button type="button" class="button primary" onClick={create}>
            <Icon svg={plusIcon} /> {t("New drive")}
          </button>
          <Link to="/links" class="button quiet">
            {t("Links")}
          </Link>
          <Link to="/trash" class="button quiet">
            {t("Trash")}
          </Link>
        </div>
      </div>
      {drives !== null && news.length > 0 && <NewsPanel news={news} drives={drives} onDismiss={dismiss} />}
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {drives !== null &&
        (drives.length === 0 ? <NoDrives /> : <DriveList drives={drives} news={news} onAct={setDoing} />)}
      <Doings
        doing={doing}
        // An answer that comes after its dialog was dismissed closes no other.
        onClose={() => setDoing((now) => (now === doing ? null : now))}
        onRead={reload}
      />
    </>
  );
}

/** How much there is in one's own drives. */
function sumOf(all: readonly Drive[]): string {
  const drives = all.filter(({ role }) => role === "owner");
  const files = drives.reduce((sum, { file_count }) => sum + file_count, 0);
  const bytes = drives.reduce((sum, { total_size }) => sum + total_size, 0);
  return t("{drives}, {files}, {size}", {
    drives: plural(drives.length, "{count} drive", "{count} drives"),
    files: plural(files, "{count} file", "{count} files"),
    size: formatBytes(bytes),
  });
}

function NoDrives() {
  return (
    <Empty svg={driveIcon} title={t("No drives yet")}>
      <p class="soft">
        {rich(
          "Create one here, or let an agent create its own: it sends a name to {address} and gives you a link to claim the drive.",
          { address: <code>/v0/drives/provision</code> },
        )}
        {sentenceSpace()}
        {rich("The {documentation} explains how.", {
          documentation: <a href="/docs">{t("API documentation")}</a>,
        })}
      </p>
      <Link to={`/keys${CONNECT}`} class="button">
        {t("Connect an agent")}
      </Link>
    </Empty>
  );
}

function DriveList({
  drives,
  news,
  onAct,
}: {
  readonly drives: readonly Drive[];
  readonly news: readonly News[];
  readonly onAct: (doing: Doing) => void;
}) {
  const [wanted, setWanted] = useState("");
  const changed = new Set(news.map(({ drive_id: id }) => id));
  const shown = drives
    .filter(({ name, slug, description }) => isWanted(wanted, [name, slug, description]))
    .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
  return (
    <>
      {drives.length >= MANY && (
        <Finder label={t("Find a drive")} wanted={wanted} onWant={setWanted}>
          {plural(shown.length, "{count} drive", "{count} drives")}
        </Finder>
      )}
      {shown.length === 0 && <p class="soft">{t("No matching drives.")}</p>}
      <First of={shown}>
        {(some) => (
          <ul class="drives">
            {some.map((drive) => (
              <li key={drive.id} class="drive-card">
                <DriveCard
                  drive={drive}
                  isChanged={changed.has(drive.id)}
                  onEdit={() => onAct({ what: "edit", drive })}
                  onDelete={() => onAct({ what: "delete", drive })}
                />
              </li>
            ))}
          </ul>
        )}
      </First>
    </>
  );
}

function Doings(props: {
  readonly doing: Doing | null;
  readonly onClose: () => void;
  /** The list is to be read again. */
  readonly onRead: () => void;
}) {
  const { doing, onClose, onRead } = props;
  const finish = () => {
    onClose();
    onRead();
  };
  switch (doing?.what) {
    case undefined:
      return null;
    case "create":
      return <NewDrive onClose={onClose} onDone={finish} />;
    case "edit":
      return <EditDrive drive={doing.drive} onClose={onClose} onDone={finish} onUncertain={onRead} />;
    case "delete":
      return <DeleteDrive drive={doing.drive} onClose={onClose} onDone={finish} onUncertain={onRead} />;
  }
}
