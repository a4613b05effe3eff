import type { ComponentChildren } from "preact";
import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { Readme } from "../../components/readme.tsx";
import { later } from "../../components/later.tsx";
import { UploadArea } from "../../components/upload-area.tsx";
import { isManaged } from "../../lib/drive-places.ts";
import type { Entry } from "../../lib/files.ts";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { chooseView, chosenView } from "../../lib/browser/view-choice.ts";
import type { FolderView } from "../../lib/files/view.ts";
import { keep, kept } from "../../lib/browser/kept.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { useReturns } from "../../lib/browser/returns.ts";
import type { Drive } from "../../lib/api/types.ts";
import { FolderDialogs } from "./dialogs/dialogs.tsx";
import { useListFocus } from "./focus.ts";
import { EmptyFolder } from "./list/empty-folder.tsx";
import { FileGrid } from "./list/grid.tsx";
import type { DriveNews } from "../../lib/news.ts";
import type { DriveStore } from "./store/drive.ts";
import { Toolbar } from "./toolbar.tsx";
import { t } from "../../lib/words/text.ts";

const Drag = later(async () => (await import("./list/drag.tsx")).Drag, null);

interface FolderPageProps {
  readonly store: DriveStore;
  readonly news: DriveNews;
  readonly drive: Drive;
  /** The drive as the address names it. */
  readonly place: string;
  readonly path: string;
  /** The id of the file whose preview is shown. */
  readonly shown: string | null;
  readonly onClosePreview: () => void;
  /** Whether one came here from another page of the dashboard: what had the focus there is gone. */
  readonly takesFocus: boolean;
}

/** What stands in one folder, and all that can be done with it; to be keyed by the folder. */
export function FolderPage(props: FolderPageProps) {
  const { store, news, drive, place, path, shown, onClosePreview, takesFocus } = props;
  const [view, setView] = useState(chosenView);
  const [folder] = useState(() => store.folder(path, { keep, kept }, takesFocus ? "list" : null));
  useLayoutEffect(() => store.show(folder), []);
  useLayoutEffect(() => () => news.see(path), []);
  useReturns(useCallback(() => folder.reload(), []));
  const retry = () => folder.retry();
  const show = (wanted: FolderView) => {
    chooseView(wanted);
    setView(wanted);
  };
  const element = useListFocus(folder);
  const listing = folder.listing.value;
  const error = folder.error.value;
  const dialog = folder.dialog.value;

  const href = (entry: Entry) =>
    entry.kind === "folder" ? folderAddress(place, entry.path) : fileAddress(place, path, entry.file.id);
  // Whoever comes back finds the row active that led away, however it was opened.
  const visit = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (row instanceof HTMLElement) folder.cursor.stand(Number(row.dataset["index"]));
  };

  const Area = folder.isReadOnly ? ReadArea : UploadArea;
  if (listing === null) {
    return error === null ? <p class="soft">{t("Loading…")}</p> : <Failure error={error} retry={retry} />;
  }
  return (
    <div ref={element} class="folder" onClickCapture={visit}>
      <Area driveId={drive.id} folder={path}>
        <Toolbar folder={folder} listing={listing} view={view} onView={show} />
        {error !== null && (
          <div class="list-failure">
            <Failure error={error} retry={retry} />
          </div>
        )}
        {listing.hasFoldersByName && (
          <p class="soft" role="status">
            {t("There are too many folders to sort by size: only the files are sorted.")}
          </p>
        )}
        {listing.count === 0 ? (
          <EmptyFolder
            place={place}
            folder={path}
            isMissing={listing.isMissing}
            isReadOnly={folder.isReadOnly}
            isManaged={isManaged(drive)}
            onNewFile={() => folder.ask({ kind: "new-file" })}
          />
        ) : (
          <FileGrid
            folder={folder}
            news={news}
            listing={listing}
            view={view}
            label={
              path === "" ? t("Files and folders") : t("Files and folders in {path}", { path: plain(path) })
            }
            shown={shown}
            onClosePreview={onClosePreview}
            href={href}
          />
        )}
      </Area>
      {listing.readme !== null && (
        <Readme
          key={listing.readme.id}
          file={listing.readme}
          to={fileAddress(place, path, listing.readme.id)}
        />
      )}
      <Drag store={store} folder={folder} />
      {dialog !== null && <FolderDialogs open={dialog} drive={drive} store={store} folder={folder} />}
    </div>
  );
}

/** What a folder shows to whoever may put nothing into it. */
function ReadArea({ children }: { readonly children: ComponentChildren }) {
  return <div class="upload-area">{children}</div>;
}
