import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Preview } from "../../components/preview/preview.tsx";
import { call } from "../../lib/api.ts";
import { getFile } from "../../lib/files.ts";
import { folderAddress, nameOf, parseDrivePlace } from "../../lib/files/place.ts";
import { useLoad } from "../../lib/load.ts";
import { useMedia } from "../../lib/media.ts";
import { navigate, type Place } from "../../lib/router.tsx";
import { titled } from "../../lib/title.ts";
import type { Drive } from "../../lib/types.ts";
import { NotFound } from "../not-found.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { DriveSearch } from "./drive-search.tsx";
import { FolderPage } from "./folder-page.tsx";
import { PlacesButton, PlacesPanel } from "./places.tsx";
import { useBranches } from "./use-branches.ts";

/** From here on there is room for the tree beside the list; styles/tree.css says the same. */
const WIDE = "(width >= 62.5rem)";

/** A folder of a drive at its address, with a file's preview above it where the address has `?file=`. */
export function DrivePage({ place }: { readonly place: Place }) {
  const where = parseDrivePlace(place.path);
  if (where === null) return <NotFound />;
  const fileId = place.query.get("file") || null;
  return <DriveAt key={where.drive} {...where} fileId={fileId} isReached={place.isReached} />;
}

interface DriveAtProps {
  /** The drive as the address names it. */
  readonly drive: string;
  readonly folder: string;
  readonly fileId: string | null;
  /** Whether one came here within the dashboard. */
  readonly isReached: boolean;
}

function DriveAt(props: DriveAtProps) {
  const { loaded, reload } = useLoad(props.drive, (signal) =>
    call<{ data: Drive }>("GET", `/v0/drives/${encodeURIComponent(props.drive)}`, { signal }),
  );
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  return <OpenDrive {...props} place={props.drive} drive={loaded.value.data} />;
}

interface OpenDriveProps extends Omit<DriveAtProps, "drive"> {
  readonly drive: Drive;
  readonly place: string;
}

function OpenDrive({ drive, place, folder, fileId, isReached }: OpenDriveProps) {
  // The list beside the tree tells it what is in the folder that is open.
  const branches = useBranches(drive.id, true);
  const isWide = useMedia(WIDE);
  const title = folder === "" ? drive.name : nameOf(folder);
  useEffect(() => {
    document.title = titled(title);
  }, [title, folder]);
  const places = { branches, drive: place, driveName: drive.name, folder };
  return (
    <>
      <div class="page-head">
        <Breadcrumbs key={folder} drive={place} driveName={drive.name} folder={folder} />
        <div class="drive-tools">
          {!isWide && <PlacesButton key={folder} {...places} />}
          <DriveSearch driveId={drive.id} />
        </div>
      </div>
      <div class="drive-body">
        {isWide && <PlacesPanel {...places} />}
        <FolderPage
          key={`${drive.id}/${folder}`}
          drive={drive}
          place={place}
          folder={folder}
          takesFocus={isReached}
          onFolders={(first) => branches.learn(folder, first)}
        />
      </div>
      <Shown fileId={fileId} address={folderAddress(place, folder)} />
    </>
  );
}

/** The preview that the address asks for. Closing it leads back to where it was opened from. */
function Shown({ fileId, address }: { readonly fileId: string | null; readonly address: string }) {
  const openedHere = useRef(false);
  const first = useRef(true);
  useLayoutEffect(() => {
    openedHere.current = fileId !== null && !first.current;
    first.current = false;
  }, [fileId]);
  if (fileId === null) return null;
  const close = () => {
    if (openedHere.current) history.back();
    else navigate(address, { replace: true });
  };
  return <ShownFile key={fileId} id={fileId} onClose={close} />;
}

function ShownFile({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { loaded, reload } = useLoad(id, (signal) => getFile(id, signal));
  if (loaded.state === "loading") return null;
  if (loaded.state === "ready") return <Preview file={loaded.value} onClose={onClose} />;
  return (
    <Dialog title="This file cannot be shown" onClose={onClose}>
      <Failure error={loaded.error} retry={reload} />
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
