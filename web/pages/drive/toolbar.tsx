import copyIcon from "lucide-static/icons/copy.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import moveIcon from "lucide-static/icons/folder-input.svg" with { type: "text" };
import newFolderIcon from "lucide-static/icons/folder-plus.svg" with { type: "text" };
import infoIcon from "lucide-static/icons/info.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import renameIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import deleteIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import clearIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import { downloadAddress, type Entry } from "../../lib/files.ts";
import { type Selection, selectedBytes } from "../../lib/files-selection.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { FolderListing } from "./folder-listing.ts";
import type { OpenDialog } from "./folder-dialogs.tsx";

interface ToolbarProps {
  readonly listing: FolderListing;
  readonly selection: Selection;
  readonly onClear: () => void;
  readonly onDialog: (dialog: OpenDialog) => void;
}

/** What the folder holds and what can be done: with the folder itself or, once some is selected, with that. */
export function Toolbar({ listing, selection, onClear, onDialog }: ToolbarProps) {
  const entries = [...selection.values()];
  return (
    <div class={`toolbar ${entries.length > 0 ? "toolbar-chosen" : ""}`}>
      {entries.length === 0 ? (
        <>
          <p class="soft toolbar-words">{contentsOf(listing)}</p>
          <Tool svg={newFolderIcon} name="New folder" onClick={() => onDialog({ kind: "new-folder" })} />
        </>
      ) : (
        <>
          <button type="button" class="button quiet" onClick={onClear}>
            <Icon svg={clearIcon} />
            <span class="hidden-visually">Clear the selection</span>
          </button>
          <Chosen selection={selection} listing={listing} />
          <OneFileTools entries={entries} onDialog={onDialog} />
          <AnyTools entries={entries} onDialog={onDialog} />
        </>
      )}
    </div>
  );
}

interface ToolsProps {
  readonly entries: readonly Entry[];
  readonly onDialog: (dialog: OpenDialog) => void;
}

function OneFileTools({ entries, onDialog }: ToolsProps) {
  const [entry] = entries;
  if (entry?.kind !== "file" || entries.length > 1) return null;
  return (
    <>
      <a class="button quiet tool" href={downloadAddress(entry.file.id)} title="Download" download>
        <Icon svg={downloadIcon} /> <span class="tool-name">Download</span>
      </a>
      <Tool svg={linkIcon} name="Copy link" onClick={() => onDialog({ kind: "link", file: entry.file })} />
      <Tool svg={infoIcon} name="Details" onClick={() => onDialog({ kind: "details", file: entry.file })} />
    </>
  );
}

function AnyTools({ entries, onDialog }: ToolsProps) {
  const [entry] = entries;
  return (
    <>
      {entry !== undefined && entries.length === 1 && (
        <Tool svg={renameIcon} name="Rename" onClick={() => onDialog({ kind: "rename", entry })} />
      )}
      <Tool svg={moveIcon} name="Move" onClick={() => onDialog({ kind: "transfer", how: "move", entries })} />
      <Tool svg={copyIcon} name="Copy" onClick={() => onDialog({ kind: "transfer", how: "copy", entries })} />
      <Tool svg={deleteIcon} name="Delete" onClick={() => onDialog({ kind: "delete", entries })} />
    </>
  );
}

interface ToolProps {
  readonly svg: string;
  readonly name: string;
  readonly onClick: () => void;
}

function Tool({ svg, name, onClick }: ToolProps) {
  return (
    <button type="button" class="button quiet tool" title={name} onClick={onClick}>
      <Icon svg={svg} /> <span class="tool-name">{name}</span>
    </button>
  );
}

function contentsOf(listing: FolderListing): string {
  const { folders, total, isSortable } = listing;
  const words = [folders.length > 0 && formatCount(folders.length, "folder"), formatCount(total, "file")]
    .filter((part) => part !== false)
    .join(", ");
  return isSortable ? words : `${words}, by name: too many for another order`;
}

/** Of how many there are, too, where not all are loaded: then "all" may have meant more than was there. */
function Chosen({ selection, listing }: Pick<ToolbarProps, "selection" | "listing">) {
  const bytes = selectedBytes(selection);
  const of = listing.loadedFiles < listing.total ? ` of ${listing.count.toLocaleString()}` : "";
  return (
    <p class="toolbar-words" role="status">
      {selection.size.toLocaleString()}
      {of} selected
      {bytes > 0 && <span class="toolbar-bytes">, {formatBytes(bytes)}</span>}
    </p>
  );
}
