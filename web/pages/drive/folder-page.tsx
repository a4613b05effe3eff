import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { say } from "../../components/toast.tsx";
import { UploadArea } from "../../components/upload-area.tsx";
import type { Entry } from "../../lib/files.ts";
import { fileAddress, folderAddress } from "../../lib/files-place.ts";
import { NOTHING, type Selection } from "../../lib/files-selection.ts";
import { isIndex, useKept } from "../../lib/kept.ts";
import { plain } from "../../lib/overrides.ts";
import { navigate } from "../../lib/router.tsx";
import type { Drive } from "../../lib/types.ts";
import { EmptyFolder } from "./empty-folder.tsx";
import { FileGrid } from "./file-grid.tsx";
import { FolderDialogs, type OpenDialog } from "./folder-dialogs.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useListing } from "./use-listing.ts";

/** Dialogs that may have changed something though they were closed half-way. */
const WORKING: ReadonlySet<OpenDialog["kind"]> = new Set(["transfer", "delete"]);

interface FolderPageProps {
  readonly drive: Drive;
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** Whether one came here from another page of the dashboard: what had the focus there is gone. */
  readonly takesFocus: boolean;
}

/** What stands in one folder, and all that can be done with it. */
export function FolderPage({ drive, place, folder, takesFocus }: FolderPageProps) {
  const { listing, error, sortBy, reload } = useListing(drive.id, folder);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [active, setActive] = useKept("row", 0, isIndex);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(takesFocus);

  useLayoutEffect(() => {
    // What had the focus, a button of a dialog or of the selection, may be gone now. Other pages leave it to
    // the whole content.
    if (!wantsFocus.current || dialog !== null || listing === null) return;
    wantsFocus.current = false;
    if (document.activeElement?.matches("body, main") === false) return;
    const row = list.current?.querySelector<HTMLElement>("[role=row][tabindex='0']");
    (row ?? list.current?.querySelector<HTMLElement>("button"))?.focus({ preventScroll: true });
  });

  const href = (entry: Entry) =>
    entry.kind === "folder" ? folderAddress(place, entry.path) : fileAddress(place, folder, entry.file.id);
  // One at a time: one that is about to go is not made into another.
  const ask = (next: OpenDialog) => setDialog((open) => open ?? next);
  const clear = () => {
    wantsFocus.current = true;
    setSelection(NOTHING);
  };
  const shown = useRef(dialog);
  shown.current = dialog;
  const done = (message: string) => {
    say(message);
    reload();
    // The answer may come after its dialog was dismissed, and be none of what is done now.
    if (shown.current !== dialog) return;
    setDialog(null);
    clear();
  };
  const close = () => {
    wantsFocus.current = true;
    setDialog(null);
    // What a stopped or partly refused piece of work did shows.
    if (dialog !== null && WORKING.has(dialog.kind)) reload();
  };

  // Whoever comes back finds the row active that led away, however it was opened.
  const visit = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    const index = Number(row?.getAttribute("data-index") ?? Number.NaN);
    if (isIndex(index)) setActive(index);
  };

  if (listing === null) {
    return error === null ? <p class="soft">Loading…</p> : <Failure error={error} retry={reload} />;
  }
  return (
    <div ref={list} class="folder" onClickCapture={visit}>
      <UploadArea driveId={drive.id} folder={folder} onDone={reload}>
        {error !== null && <Failure error={error} retry={reload} />}
        <Toolbar
          driveId={drive.id}
          folder={folder}
          listing={listing}
          selection={selection}
          onClear={clear}
          onDialog={ask}
        />
        {listing.count === 0 ? (
          <EmptyFolder place={place} folder={folder} isMissing={listing.isMissing} />
        ) : (
          <FileGrid
            driveId={drive.id}
            label={folder === "" ? "Files and folders" : `Files and folders in ${plain(folder)}`}
            listing={listing}
            onSort={sortBy}
            selection={selection}
            onSelect={setSelection}
            active={active}
            onActive={setActive}
            href={href}
            onOpen={(entry) => navigate(href(entry))}
            onDialog={ask}
          />
        )}
      </UploadArea>
      {dialog !== null && (
        <FolderDialogs open={dialog} drive={drive} folder={folder} onDone={done} onClose={close} />
      )}
    </div>
  );
}
