import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Preview } from "../../components/preview/preview.tsx";
import { call } from "../../lib/api.ts";
import { getFile } from "../../lib/files.ts";
import { folderAddress, nameOf, parseDrivePlace } from "../../lib/files-place.ts";
import { useLoad } from "../../lib/load.ts";
import { plain } from "../../lib/overrides.ts";
import { navigate, type Place } from "../../lib/router.tsx";
import type { Drive } from "../../lib/types.ts";
import { NotFound } from "../not-found.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { DriveSearch } from "./drive-search.tsx";
import { FolderPage } from "./folder-page.tsx";

/** A folder of a drive at its address, with a file's preview above it where the address has `?file=`. */
export function DrivePage({ place }: { readonly place: Place }) {
  const where = parseDrivePlace(place.path);
  if (where === null) return <NotFound />;
  return <DriveAt key={where.drive} {...where} fileId={place.query.get("file") || null} />;
}

interface DriveAtProps {
  readonly drive: string;
  readonly folder: string;
  readonly fileId: string | null;
}

function DriveAt({ drive: place, folder, fileId }: DriveAtProps) {
  const { loaded, reload } = useLoad(place, (signal) =>
    call<{ data: Drive }>("GET", `/v0/drives/${encodeURIComponent(place)}`, { signal }),
  );
  const previous = useRef(folder);
  const isElsewhere = previous.current !== folder;
  useEffect(() => {
    previous.current = folder;
  }, [folder]);
  const title = folder === "" && loaded.state === "ready" ? loaded.value.data.name : nameOf(folder);
  useEffect(() => {
    document.title = title === "" ? "Coffer" : `${plain(title)} · Coffer`;
    return () => {
      document.title = "Coffer";
    };
  }, [title]);
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "failed") {
    return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
  }
  const drive = loaded.value.data;
  return (
    <>
      <div class="page-head">
        <Breadcrumbs drive={place} driveName={drive.name} folder={folder} />
        <DriveSearch driveId={drive.id} />
      </div>
      <FolderPage
        key={`${drive.id}/${folder}`}
        drive={drive}
        place={place}
        folder={folder}
        takesFocus={isElsewhere}
      />
      <Shown fileId={fileId} address={folderAddress(place, folder)} />
    </>
  );
}

/** The preview that the address asks for. Closing it leads back to where it was opened from. */
function Shown({ fileId, address }: { readonly fileId: string | null; readonly address: string }) {
  const openedHere = useRef(false);
  const first = useRef(true);
  useEffect(() => {
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
