import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import tilesIcon from "lucide-static/icons/layout-grid.svg" with { type: "text" };
import listIcon from "lucide-static/icons/list.svg" with { type: "text" };
import newFileIcon from "lucide-static/icons/file-plus.svg" with { type: "text" };
import newFolderIcon from "lucide-static/icons/folder-plus.svg" with { type: "text" };
import clearIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useRef } from "preact/hooks";
import { useActions } from "../../components/actions.ts";
import { Icon } from "../../components/icon.tsx";
import { MenuButton } from "../../components/menu-button.tsx";
import type { Entry } from "../../lib/files.ts";
import { folderArchiveAddress } from "../../lib/files/archive.ts";
import { bytesIn } from "../../lib/files/selection.ts";
import { formatBytes, formatNumber } from "../../lib/words/format.ts";
import { useByWidth } from "../../lib/browser/width.ts";
import { entryTools, type FolderTool } from "./list/entry-actions.ts";
import type { FolderView } from "../../lib/files/view.ts";
import type { FolderStore } from "./store/folder.ts";
import type { FolderListing } from "./store/listing.ts";
import { plural, t } from "../../lib/words/text.ts";

/** A toolbar that is narrower has no room for the words of its buttons; in rem. */
const LEAST_FOR_WORDS = 22;

interface ToolbarProps {
  readonly folder: FolderStore;
  readonly listing: FolderListing;
  readonly view: FolderView;
  readonly onView: (view: FolderView) => void;
}

/** What the folder holds and what can be done: with the folder itself or, once some is selected, with that. */
export function Toolbar(props: ToolbarProps) {
  const isChosen = props.folder.cursor.selection.value.size > 0;
  const element = useRef<HTMLDivElement>(null);
  const isNarrow = useByWidth(element, "", (width) => width < LEAST_FOR_WORDS);
  return (
    <div ref={element} class={`toolbar ${isChosen ? "toolbar-chosen" : ""}`}>
      {isChosen ? (
        <SelectionTools {...props} isNarrow={isNarrow} />
      ) : (
        <FolderTools {...props} isNarrow={isNarrow} />
      )}
    </div>
  );
}

type WithRoom<Props> = Props & { readonly isNarrow: boolean };

function FolderTools({ folder, listing, view, onView, isNarrow }: WithRoom<ToolbarProps>) {
  const other: FolderTool =
    view === "list"
      ? { name: t("Grid"), title: t("Show as a grid"), svg: tilesIcon, onChoose: () => onView("tiles") }
      : { name: t("List"), title: t("Show as a list"), svg: listIcon, onChoose: () => onView("list") };
  const all: FolderTool = {
    name: t("Download all"),
    isKnownByIcon: true,
    svg: downloadIcon,
    href: folderArchiveAddress(folder.drive, folder.path),
    download: true,
  };
  const make: FolderTool[] = [
    { name: t("New file"), svg: newFileIcon, onChoose: () => folder.ask({ kind: "new-file" }) },
    { name: t("New folder"), svg: newFolderIcon, onChoose: () => folder.ask({ kind: "new-folder" }) },
  ];
  const tools = [
    ...(listing.count > 0 ? [{ ...other, isKnownByIcon: true }, all] : []),
    ...(folder.isReadOnly ? [] : make),
  ];
  return (
    <>
      <p class="soft toolbar-words">{contentsOf(listing)}</p>
      <Tools label={t("More for this folder")} tools={tools} isNarrow={isNarrow} />
    </>
  );
}

function SelectionTools({ folder, listing, isNarrow }: WithRoom<ToolbarProps>) {
  const entries = [...folder.cursor.selection.value.values()];
  return (
    <>
      <button type="button" class="button quiet" onClick={() => folder.clear()}>
        <Icon svg={clearIcon} />
        <span class="hidden-visually">{t("Clear selection")}</span>
      </button>
      <Chosen entries={entries} listing={listing} />
      <Tools label={t("More for the selection")} tools={entryTools(folder, entries)} isNarrow={isNarrow} />
    </>
  );
}

interface ToolsProps {
  /** What the menu is called. */
  readonly label: string;
  readonly tools: readonly FolderTool[];
  readonly isNarrow: boolean;
}

/** Buttons, or a menu of the same where there is no room for their words. */
function Tools({ label, tools, isNarrow }: ToolsProps) {
  useActions(tools);
  if (!isNarrow) return tools.map((tool) => <Tool key={tool.name} {...tool} />);
  return tools.length === 0 ? null : <MenuButton label={label} items={tools} />;
}

function Tool({
  name,
  title = name,
  svg,
  href,
  isForOne = false,
  isKnownByIcon = false,
  onChoose,
}: FolderTool) {
  const kind = isForOne ? "tool-for-one" : isKnownByIcon ? "tool-by-icon" : "";
  const rest = { class: `button quiet ${kind}`, title };
  const inside = (
    <>
      <Icon svg={svg} /> <span class="tool-name">{name}</span>
    </>
  );
  return href === undefined ? (
    <button type="button" onClick={onChoose} {...rest}>
      {inside}
    </button>
  ) : (
    <a href={href} download {...rest}>
      {inside}
    </a>
  );
}

function contentsOf({ folderCount, fileCount }: FolderListing): string {
  const files = plural(fileCount, "{count} file", "{count} files");
  if (folderCount === 0) return files;
  return t("{folders}, {files}", {
    folders: plural(folderCount, "{count} folder", "{count} folders"),
    files,
  });
}

/** Of how many there are, too, where not all are loaded: then "all" may have meant more than was there. */
function Chosen({ entries, listing }: { entries: readonly Entry[]; listing: FolderListing }) {
  const bytes = bytesIn(entries);
  const { length: chosen } = entries;
  const { count: total } = listing;
  const isPart = listing.loaded < total;
  return (
    <p class="toolbar-words" role="status">
      <span class="toolbar-selected">
        {isPart
          ? plural(chosen, "{count} of {total} selected", "{count} of {total} selected", { total })
          : plural(chosen, "{count} selected", "{count} selected")}
      </span>
      <span class="toolbar-count" aria-hidden="true">
        {isPart ? t("{done} of {total}", { done: chosen, total }) : formatNumber(chosen)}
      </span>
      {bytes > 0 && <span class="toolbar-bytes">, {formatBytes(bytes)}</span>}
    </p>
  );
}
