import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { orNull } from "../../lib/api/api.ts";
import { getFile, getFileAt, parentOf } from "../../lib/files.ts";
import { fileAddress, isId } from "../../lib/files/place.ts";
import { later } from "../../components/later.tsx";
import { useLoad } from "../../lib/api/load.ts";
import { readdress } from "../../lib/browser/router.tsx";
import type { FileRecord } from "../../lib/api/types.ts";
import type { DriveNews } from "../../lib/news.ts";
import type { DriveStore } from "./store/drive.ts";
import type { PreviewSize } from "./use-preview-size.ts";
import { useHappening } from "./use-happening.ts";
import { useOwnWork } from "./use-own-work.ts";
import { useSteps } from "./use-steps.ts";
import { t } from "../../lib/words/text.ts";

/** The preview comes when a file is first shown: who only looks at lists does without it. */
const loadPreview = () => import("./file-preview.tsx");
const FilePreview = later(async () => (await loadPreview()).FilePreview, null);

/** How long nothing may happen after a click. */
const PATIENCE_MS = 300;

interface ShownFileProps {
  readonly store: DriveStore;
  readonly news: DriveNews;
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** What the address asks for: its id or, as documents link to it, its name in the folder. */
  readonly id: string;
  readonly size: PreviewSize;
  readonly onClose: () => void;
}

/** The preview that the address asks for; it stays while one goes from file to file. */
export function ShownFile({ id, store, news, place, folder, size, onClose }: ShownFileProps) {
  const { loaded, reload } = useLoad(id, async (signal) => {
    const [file] = await Promise.all([findFile(store.drive, folder, id, signal), loadPreview()]);
    if (file === null) store.fileMissing(id);
    return { id, file };
  });
  const isFailed = loaded.state === "failed";
  const answer = loaded.state === "ready" && loaded.value.id === id ? loaded.value : null;
  const last = useRef<FileRecord | null>(null);
  // Until the answer comes, what the list knows of it is shown, or else what was shown before.
  const isAwaited = answer === null && !isFailed;
  const found = answer?.file ?? (isAwaited ? (store.shown.peek()?.fileOf(id) ?? null) : null);
  last.current = found ?? last.current;
  const { happening, show } = useHappening(store, id, last.current, reload);
  // What was deleted is still shown, also if it was just being asked for again.
  const file = found ?? (isAwaited || happening?.kind === "deleted" ? last.current : null);
  const steps = useSteps(store, place, id);
  useOwnWork({ store, drive: place, id, onChange: show, onClose });
  const home = file === null ? folder : parentOf(file.path);
  useLayoutEffect(() => {
    const known = answer?.file ?? null;
    // It was moved since it was listed, or since the address was copied; or a document names it by its path.
    if (known !== null && (known.id !== id || home !== folder)) readdress(fileAddress(place, home, known.id));
  }, [answer, home, folder]);
  useLayoutEffect(() => {
    if (file !== null) news.see(file.path);
  }, [file]);
  if (file !== null) {
    return (
      <FilePreview
        file={file}
        store={store}
        steps={steps}
        happening={happening}
        size={size}
        reload={show}
        onClose={onClose}
      />
    );
  }
  if (loaded.state === "loading") {
    return (
      <Late>
        <Dialog title={t("Loading the file…")} onClose={onClose}>
          <Close onClose={onClose} />
        </Dialog>
      </Late>
    );
  }
  return loaded.state === "failed" ? (
    <Dialog title={t("Couldn't load the file")} onClose={onClose}>
      <Failure error={loaded.error} retry={reload} />
      <Close onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog title={t("File not found")} onClose={onClose}>
      <p>{t("It was deleted or moved to another drive, or the address is wrong.")}</p>
      <Close onClose={onClose} />
    </Dialog>
  );
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
        {t("Close")}
      </button>
    </div>
  );
}

/** Null where there is no such file, or it is another drive's. */
async function findFile(
  driveId: string,
  folder: string,
  id: string,
  signal: AbortSignal,
): Promise<FileRecord | null> {
  const file = await orNull(isId(id) ? getFile(id, signal) : getFileAt(driveId, folder + id, signal));
  return file?.drive_id === driveId ? file : null;
}
