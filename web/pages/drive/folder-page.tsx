import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { say } from "../../components/toast.tsx";
import { UploadArea } from "../../components/upload-area.tsx";
import type { Entry } from "../../lib/files.ts";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { NOTHING } from "../../lib/files/selection.ts";
import { isIndex } from "../../lib/kept.ts";
import { plain } from "../../lib/overrides.ts";
import { navigate } from "../../lib/router.tsx";
import type { Drive, FoldersPage } from "../../lib/types.ts";
import { EmptyFolder } from "./list/empty-folder.tsx";
import { FileGrid } from "./list/grid.tsx";
import { FolderDialogs, type OpenDialog } from "./dialogs/dialogs.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useActiveRow } from "./list/use-active-row.ts";
import { useListing } from "./list/use-listing.ts";
import { useSelection } from "./list/use-selection.ts";

interface FolderPageProps {
  readonly drive: Drive;
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** Whether one came here from another page of the dashboard: what had the focus there is gone. */
  readonly takesFocus: boolean;
  /** Another number where something shows that the list is out of date. */
  readonly news: number;
  /** Told the first page of the folders in it whenever it comes; null where there is no such folder. */
  readonly onFolders: (first: FoldersPage | null) => void;
}

/** What stands in one folder, and all that can be done with it. */
export function FolderPage({ drive, place, folder, takesFocus, news, onFolders }: FolderPageProps) {
  const { listing, error, sortBy, reload, retry } = useListing(drive.id, folder, news, onFolders);
  const [selection, setSelection] = useSelection(listing);
  const { active, setActive, follow } = useActiveRow(listing);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(takesFocus);
  const hadFocus = list.current?.contains(document.activeElement) === true;

  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) wantsFocus.current = true;
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
  const done = (message: string, key?: string) => {
    say(message);
    if (key !== undefined) follow(key);
    reload();
    // The answer may come after its dialog was dismissed, and be none of what is done now.
    if (shown.current !== dialog) return;
    setDialog(null);
    clear();
  };
  const close = () => {
    wantsFocus.current = true;
    setDialog(null);
  };

  // Whoever comes back finds the row active that led away, however it was opened.
  const visit = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    const index = Number(row?.getAttribute("data-index") ?? Number.NaN);
    if (isIndex(index)) setActive(index);
  };

  if (listing === null) {
    return error === null ? <p class="soft">Loading…</p> : <Failure error={error} retry={retry} />;
  }
  return (
    <div ref={list} class="folder" onClickCapture={visit}>
      <UploadArea driveId={drive.id} folder={folder} onDone={reload}>
        <Toolbar
          driveId={drive.id}
          folder={folder}
          listing={listing}
          selection={selection}
          onClear={clear}
          onDialog={ask}
        />
        {error !== null && (
          <div class="list-failure">
            <Failure error={error} retry={retry} />
          </div>
        )}
        {listing.hasFoldersByName && (
          <p class="soft" role="status">
            There are too many folders to sort by size: only the files are sorted.
          </p>
        )}
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
        <FolderDialogs
          open={dialog}
          drive={drive}
          folder={folder}
          onDone={done}
          onUncertain={reload}
          onClose={close}
        />
      )}
    </div>
  );
}
