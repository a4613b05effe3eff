import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Preview } from "../../components/preview/preview.tsx";
import { ApiError } from "../../lib/api.ts";
import { getFile } from "../../lib/files.ts";
import { fileAddress, folderAddress, parentOf } from "../../lib/files/place.ts";
import { useLoad } from "../../lib/load.ts";
import { navigate } from "../../lib/router.tsx";
import type { FileRecord } from "../../lib/types.ts";

interface ShownFileProps {
  readonly driveId: string;
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** What the address asks for. */
  readonly fileId: string | null;
  /** The drive has no such file, whatever the list says. */
  readonly onMissing: () => void;
}

/** The preview that the address asks for. Closing it leads back to where it was opened from. */
export function ShownFile({ fileId, ...where }: ShownFileProps) {
  const openedHere = useRef(false);
  const first = useRef(true);
  useLayoutEffect(() => {
    openedHere.current = fileId !== null && !first.current;
    first.current = false;
  }, [fileId]);
  if (fileId === null) return null;
  const close = () => {
    if (openedHere.current) history.back();
    else navigate(folderAddress(where.place, where.folder), { replace: true });
  };
  return <File key={fileId} {...where} id={fileId} onClose={close} />;
}

interface FileProps extends Omit<ShownFileProps, "fileId"> {
  readonly id: string;
  readonly onClose: () => void;
}

function File({ id, driveId, place, folder, onMissing, onClose }: FileProps) {
  const { loaded, reload } = useLoad(id, async (signal) => {
    const file = await findFile(driveId, id, signal);
    if (file === null) onMissing();
    return file;
  });
  const file = loaded.state === "ready" ? loaded.value : null;
  const home = file === null ? folder : parentOf(file.path);
  useLayoutEffect(() => {
    // It was moved since it was listed, or since the address was copied.
    if (home !== folder) navigate(fileAddress(place, home, id), { replace: true });
  }, [home, folder]);
  if (loaded.state === "loading") return null;
  if (file !== null) return <Preview file={file} onClose={onClose} />;
  return loaded.state === "failed" ? (
    <Dialog title="This file cannot be shown" onClose={onClose}>
      <Failure error={loaded.error} retry={reload} />
      <Close onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog title="There is no such file in this drive" onClose={onClose}>
      <p>It was deleted or moved to another drive, or the address is mistyped.</p>
      <Close onClose={onClose} />
    </Dialog>
  );
}

function Close({ onClose }: { readonly onClose: () => void }) {
  return (
    <div class="row">
      <button type="button" class="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

/** Null where there is no such file, or it is another drive's. */
async function findFile(driveId: string, id: string, signal: AbortSignal): Promise<FileRecord | null> {
  try {
    const file = await getFile(id, signal);
    return file.drive_id === driveId ? file : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
