import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import tilesIcon from "lucide-static/icons/layout-grid.svg" with { type: "text" };
import listIcon from "lucide-static/icons/list.svg" with { type: "text" };
import newFileIcon from "lucide-static/icons/file-plus.svg" with { type: "text" };
import newFolderIcon from "lucide-static/icons/folder-plus.svg" with { type: "text" };
import clearIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import type { Entry } from "../../lib/files.ts";
import { folderArchiveAddress } from "../../lib/files/archive.ts";
import { bytesIn } from "../../lib/files/selection.ts";
import { formatBytes, formatCount } from "../../lib/words/format.ts";
import { entryActions } from "./list/entry-actions.ts";
import type { FolderView } from "../../lib/files/view.ts";
import type { FolderStore } from "./store/folder.ts";
import type { FolderListing } from "./store/listing.ts";

interface ToolbarProps {
  readonly folder: FolderStore;
  readonly listing: FolderListing;
  readonly view: FolderView;
  readonly onView: (view: FolderView) => void;
}

/** What the folder holds and what can be done: with the folder itself or, once some is selected, with that. */
export function Toolbar(props: ToolbarProps) {
  const isChosen = props.folder.cursor.selection.value.size > 0;
  return (
    <div class={`toolbar ${isChosen ? "toolbar-chosen" : ""}`}>
      {isChosen ? <SelectionTools {...props} /> : <FolderTools {...props} />}
    </div>
  );
}

function FolderTools({ folder, listing, view, onView }: ToolbarProps) {
  return (
    <>
      <p class="soft toolbar-words">{contentsOf(listing)}</p>
      {listing.count > 0 && <ViewTool view={view} onView={onView} />}
      {listing.count > 0 && (
        <a
          class="button quiet"
          href={folderArchiveAddress(folder.drive, folder.path)}
          title="Download all as ZIP"
          download
        >
          <Icon svg={downloadIcon} /> <span class="tool-name">Download all</span>
        </a>
      )}
      {!folder.isReadOnly && (
        <>
          <Tool svg={newFileIcon} name="New file" onClick={() => folder.ask({ kind: "new-file" })} />
          <Tool svg={newFolderIcon} name="New folder" onClick={() => folder.ask({ kind: "new-folder" })} />
        </>
      )}
    </>
  );
}

/** Shows the folder in the other way. */
function ViewTool({ view, onView }: Pick<ToolbarProps, "view" | "onView">) {
  return view === "list" ? (
    <Tool svg={tilesIcon} name="Grid" onClick={() => onView("tiles")} />
  ) : (
    <Tool svg={listIcon} name="List" onClick={() => onView("list")} />
  );
}

function SelectionTools({ folder, listing }: Pick<ToolbarProps, "folder" | "listing">) {
  const entries = [...folder.cursor.selection.value.values()];
  return (
    <>
      <button type="button" class="button quiet" onClick={() => folder.clear()}>
        <Icon svg={clearIcon} />
        <span class="hidden-visually">Clear selection</span>
      </button>
      <Chosen entries={entries} listing={listing} />
      {entryActions(folder, entries).map(({ name, svg, isForOne = false, leadsTo }) => {
        const kind = isForOne ? "tool-for-one" : "";
        return typeof leadsTo === "string" ? (
          <a key={name} class={`button quiet ${kind}`} href={leadsTo} title={name} download>
            <Icon svg={svg} /> <span class="tool-name">{name}</span>
          </a>
        ) : (
          <Tool key={name} svg={svg} name={name} kind={kind} onClick={() => folder.ask(leadsTo)} />
        );
      })}
    </>
  );
}

interface ToolProps {
  readonly svg: string;
  readonly name: string;
  /** A class. */
  readonly kind?: string;
  readonly onClick: () => void;
}

function Tool({ svg, name, kind = "", onClick }: ToolProps) {
  return (
    <button type="button" class={`button quiet ${kind}`} title={name} onClick={onClick}>
      <Icon svg={svg} /> <span class="tool-name">{name}</span>
    </button>
  );
}

function contentsOf({ folderCount, fileCount }: FolderListing): string {
  return [folderCount > 0 && formatCount(folderCount, "folder"), formatCount(fileCount, "file")]
    .filter((part) => part !== false)
    .join(", ");
}

/** Of how many there are, too, where not all are loaded: then "all" may have meant more than was there. */
function Chosen({ entries, listing }: { entries: readonly Entry[]; listing: FolderListing }) {
  const bytes = bytesIn(entries);
  const of = listing.loaded < listing.count ? ` of ${listing.count.toLocaleString()}` : "";
  return (
    <p class="toolbar-words" role="status">
      {entries.length.toLocaleString()}
      {of} <span class="toolbar-selected">selected</span>
      {bytes > 0 && <span class="toolbar-bytes">, {formatBytes(bytes)}</span>}
    </p>
  );
}
