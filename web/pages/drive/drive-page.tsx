import agentIcon from "lucide-static/icons/bot.svg" with { type: "text" };
import { useEffect, useMemo, useRef } from "preact/hooks";
import { AskedToConnect, askToConnect } from "../../components/connect.tsx";
import { Failure } from "../../components/failure.tsx";
import { Icon } from "../../components/icon.tsx";
import { isManaged } from "../../lib/drive-places.ts";
import { folderAddress, parseDrivePlace } from "../../lib/files/place.ts";
import { nameOf } from "../../lib/files.ts";
import { useMedia } from "../../lib/browser/media.ts";
import { type Place, readdress } from "../../lib/browser/router.tsx";
import { ContentSourceContext, driveContents } from "../../lib/contents/content-source.ts";
import { titled } from "../../lib/browser/title.ts";
import type { Drive } from "../../lib/api/types.ts";
import { DriveTabs } from "../../components/shell/drive-tabs.tsx";
import { NotFound } from "../../components/shell/not-found.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { DriveSearch } from "./drive-search.tsx";
import { FolderPage } from "./folder-page.tsx";
import { PlacesButton, PlacesPanel } from "./places.tsx";
import { ShownFile } from "./shown-file.tsx";
import { NewsPanel } from "../../components/news.tsx";
import { Works } from "./works.tsx";
import { useNews } from "./use-news.ts";
import { useDrive, useDriveStore, useSlugInAddress } from "./use-drive.ts";
import { usePreviewSize } from "./use-preview-size.ts";
import { useWayBack } from "./use-way-back.ts";
import { t } from "../../lib/words/text.ts";

/** From here on there is room for the tree beside the list; styles/tree.css says the same. */
const WIDE = "(width >= 62.5rem)";

/** A folder of a drive at its address, with a file's preview above it where the address has `?file=`. */
export function DrivePage({ place }: { readonly place: Place }) {
  /** By the slugs that drives came to have while they were open, the names that they were opened by. */
  const openedBy = useRef(new Map<string, string>());
  const where = parseDrivePlace(place.path);
  if (where === null) return <NotFound />;
  const { drive, folder } = where;
  const name = openedBy.current.get(drive) ?? drive;
  const follow = (slug: string) => {
    openedBy.current.set(slug, name);
    readdress(folderAddress(slug, folder) + location.search);
  };
  const fileId = place.query.get("file") || null;
  return <DriveAt key={name} {...where} fileId={fileId} isReached={place.isReached} onRenamed={follow} />;
}

interface DriveAtProps {
  /** The drive as the address names it. */
  readonly drive: string;
  readonly folder: string;
  readonly fileId: string | null;
  /** Whether one came here within the dashboard. */
  readonly isReached: boolean;
  /** With the slug that the drive has by now. */
  readonly onRenamed: (slug: string) => void;
}

function DriveAt(props: DriveAtProps) {
  const { loaded, reload } = useDrive(props.drive);
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  return <OpenDrive {...props} place={props.drive} drive={loaded.value} onDriveChange={reload} />;
}

interface OpenDriveProps extends Omit<DriveAtProps, "drive"> {
  readonly drive: Drive;
  readonly place: string;
  /** The drive may be another since. */
  readonly onDriveChange: () => void;
}

function OpenDrive({ drive, place, folder, fileId, isReached, onRenamed, onDriveChange }: OpenDriveProps) {
  useSlugInAddress(drive, place, onRenamed);
  const store = useDriveStore(drive, onDriveChange);
  const contents = useMemo(() => driveContents(drive.id, place), [drive.id, place]);
  const news = useNews(store, place);
  const isWide = useMedia(WIDE);
  const title = folder === "" ? drive.name : nameOf(folder);
  useEffect(() => {
    document.title = titled(title);
  }, [title, folder, place]);
  const size = usePreviewSize();
  const closePreview = useWayBack({ drive: place, folder, fileId, isReached });
  const places = { store: store.tree, drive: place, driveName: drive.name, folder };
  return (
    <ContentSourceContext.Provider value={contents}>
      <div class="drive-head">
        <Breadcrumbs key={folder} drive={place} driveName={drive.name} folder={folder} />
        <div class="drive-tools">
          {!isWide && <PlacesButton key={folder} {...places} />}
          <DriveSearch driveId={drive.id} />
        </div>
      </div>
      <DriveTabs drive={drive} current={t("Files")}>
        {isManaged(drive) && (
          <button type="button" class="button quiet" onClick={askToConnect}>
            <Icon svg={agentIcon} /> {t("Connect an agent")}
          </button>
        )}
      </DriveTabs>
      <Works store={store} drive={drive} />
      {news.before.value !== null && (
        <NewsPanel news={[news.before.value]} drives={[drive]} onDismiss={() => news.dismiss()} />
      )}
      <div class="drive-body">
        {isWide && <PlacesPanel {...places} />}
        <FolderPage
          key={`${drive.id}/${drive.role}/${folder}`}
          store={store}
          news={news}
          drive={drive}
          place={place}
          path={folder}
          shown={fileId}
          onClosePreview={closePreview}
          takesFocus={isReached}
        />
        {fileId !== null && (
          <ShownFile
            store={store}
            news={news}
            place={place}
            folder={folder}
            id={fileId}
            size={size}
            onClose={closePreview}
          />
        )}
      </div>
      <AskedToConnect />
    </ContentSourceContext.Provider>
  );
}
