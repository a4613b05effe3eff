import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { ApiError } from "../../lib/api/api.ts";
import { getFile, parentOf } from "../../lib/files.ts";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { keep, kept } from "../../lib/browser/kept.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useSession } from "../../lib/api/session.tsx";
import { type Happening, happeningTo } from "../../lib/fates.ts";
import { navigate, readdress } from "../../lib/browser/router.tsx";
import type { FileRecord } from "../../lib/api/types.ts";
import { FilePreview } from "./file-preview.tsx";
import type { DriveNews } from "../../lib/news.ts";
import type { DriveStore } from "./store/drive.ts";

/** How long nothing may happen after a click. */
const PATIENCE_MS = 300;

interface ShownFileProps {
  readonly store: DriveStore;
  readonly news: DriveNews;
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** What the address asks for. */
  readonly fileId: string | null;
  /** Whether one came here within the dashboard. */
  readonly isReached: boolean;
}

/** Kept of an entry of the history: whether a page of ours, the one before it, led to the file. */
const IS_LED_TO = "file is led to";

/** The preview that the address asks for. Closing it leads back to where it was opened from: a list, or a search. */
export function ShownFile({ fileId, isReached, ...where }: ShownFileProps) {
  useLayoutEffect(() => {
    // Whoever comes back to the entry, or loads it again, came to it in the same way still.
    if (fileId !== null && kept(IS_LED_TO) === undefined) keep(IS_LED_TO, isReached);
  }, [fileId]);
  if (fileId === null) return null;
  const close = () => {
    if (kept(IS_LED_TO) === true) history.back();
    else navigate(folderAddress(where.place, where.folder), { replace: true });
  };
  return <File key={fileId} {...where} id={fileId} onClose={close} />;
}

interface FileProps extends Omit<ShownFileProps, "fileId" | "isReached"> {
  readonly id: string;
  readonly onClose: () => void;
}

function File({ id, store, news, place, folder, onClose }: FileProps) {
  const { loaded, reload } = useLoad(id, async (signal) => {
    const file = await findFile(store.drive, id, signal);
    if (file === null) store.fileMissing(id);
    return file;
  });
  const last = useRef<FileRecord | null>(null);
  const found = loaded.state === "ready" ? loaded.value : null;
  last.current = found ?? last.current;
  const { happening, show } = useHappening(store, last.current, reload);
  // What was deleted is still shown, also if it was just being asked for again.
  const file = found ?? (happening?.kind === "deleted" ? last.current : null);
  const home = file === null ? folder : parentOf(file.path);
  useLayoutEffect(() => {
    // It was moved since it was listed, or since the address was copied.
    if (home !== folder) readdress(fileAddress(place, home, id));
  }, [home, folder]);
  useLayoutEffect(() => {
    if (file !== null) news.see(file.path);
  }, [file]);
  if (loaded.state === "loading") {
    return (
      <Late>
        <Dialog title="Loading the file…" onClose={onClose}>
          <Close onClose={onClose} />
        </Dialog>
      </Late>
    );
  }
  if (file !== null) {
    return <FilePreview file={file} store={store} happening={happening} reload={show} onClose={onClose} />;
  }
  return loaded.state === "failed" ? (
    <Dialog title="Couldn't load the file" onClose={onClose}>
      <Failure error={loaded.error} retry={reload} />
      <Close onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog title="File not found" onClose={onClose}>
      <p>It was deleted or moved to another drive, or the address is wrong.</p>
      <Close onClose={onClose} />
    </Dialog>
  );
}

/**
 * What others do to the file while it is shown, and a function that shows it as it is now. What is no news is shown at
 * once.
 */
function useHappening(store: DriveStore, file: FileRecord | null, reload: () => void) {
  const { account } = useSession();
  const [happening, setHappening] = useState<Happening | null>(null);
  const show = useCallback(() => {
    setHappening(null);
    reload();
  }, [reload]);
  const known = useRef({ file, happening });
  known.current = { file, happening };
  useLayoutEffect(
    () =>
      store.watch((change) => {
        const { current } = known;
        const next =
          current.file === null ? "reload" : happeningTo(current.file, change, current.happening, account.id);
        if (next === "reload") return show();
        if (next === null) return;
        known.current = { ...current, happening: next };
        setHappening(next);
      }),
    [store, show, account.id],
  );
  return { happening, show };
}

/** Comes only where it is waited for: in between, it would flash. */
function Late({ children }: { readonly children: ComponentChildren }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? <>{children}</> : null;
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
