import openIcon from "lucide-static/icons/square-arrow-out-up-right.svg" with { type: "text" };
import { useEffect, useRef, useState } from "preact/hooks";
import { Menu, type MenuAnchor, type MenuItem } from "../../../components/menu.tsx";
import { describeEntries, type Entry } from "../../../lib/files.ts";
import { withSelected } from "../../../lib/files/selection.ts";
import { type FolderView, VIEW_SHAPES } from "../../../lib/files/view.ts";
import type { DriveNews } from "../../../lib/news.ts";
import type { FolderStore } from "../store/folder.ts";
import type { FolderListing } from "../store/listing.ts";
import { entryTools } from "./entry-actions.ts";
import { GridHead } from "./head.tsx";
import { useKeys } from "./keys.ts";
import { FileRow } from "./row.tsx";
import { useOpening } from "./use-opening.ts";
import { useShownRow } from "./use-shown-row.ts";
import { useVisibleRows } from "./use-visible-rows.ts";
import { t } from "../../../lib/words/text.ts";

/** How long scrolling must rest before what it shows is asked for. */
const REST_MS = 60;

interface FileGridProps {
  readonly folder: FolderStore;
  readonly news: DriveNews;
  readonly listing: FolderListing;
  readonly view: FolderView;
  readonly label: string;
  /** The id of the file whose preview is shown. */
  readonly shown: string | null;
  readonly onClosePreview: () => void;
  readonly href: (entry: Entry) => string;
}

interface OpenMenu {
  readonly row: number;
  readonly anchor: MenuAnchor;
  /** What it acts on, as it was when the menu opened: the list may change below it. */
  readonly entries: readonly Entry[];
}

/** The list of a folder: only the rows in sight are in the page, and only what they show is loaded. */
export function FileGrid(props: FileGridProps) {
  const { folder, news, listing, view, label, shown: shownFile, onClosePreview, href } = props;
  const { cursor } = folder;
  const body = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const shape = VIEW_SHAPES[view];
  const { first, end, columns, height, topOf, reveal } = useVisibleRows(body, listing.count, shape);
  const active = cursor.active.value;
  const selection = cursor.selection.value;
  const { open, visit } = useOpening({ listing, shown: shownFile, href });
  const showMenu = (row: number, anchor: MenuAnchor) => {
    const entry = listing.at(row);
    if (entry !== undefined) setMenu({ row, anchor, entries: withSelected(entry, selection) });
  };
  const showMenuAtRow = (row: number) => {
    const button = body.current?.querySelector(`[data-index="${row}"] .more`) ?? null;
    if (button !== null) showMenu(row, button.getBoundingClientRect());
  };
  useKeys({
    folder,
    listing,
    body,
    columns,
    line: shape.line,
    reveal,
    onGo: visit,
    onOpen: open,
    onEscape: shownFile === null ? null : onClosePreview,
    onMenu: showMenuAtRow,
  });
  useShownRow({ folder, listing, shown: shownFile, reveal });

  useEffect(() => {
    const timer = setTimeout(() => void listing.ensure({ first, last: end - 1 }), REST_MS);
    return () => clearTimeout(timer);
  }, [listing, first, end, listing.loaded, listing.count]);

  const openMenu = (row: number, anchor: MenuAnchor) => showMenu(cursor.goTo(row), anchor);
  const keys = new Set<string>();
  const row = (index: number) => {
    const entry = listing.at(index);
    // Pages from before and after a change may both hold it.
    const key = entry === undefined || keys.has(entry.key) ? `row ${index}` : entry.key;
    keys.add(key);
    return (
      <FileRow
        key={key}
        cursor={cursor}
        index={index}
        view={view}
        place={{ top: topOf(index), column: index % columns, columns }}
        entry={entry}
        mark={entry === undefined ? undefined : news.markOf(entry.path)}
        selected={entry !== undefined && selection.has(entry.key)}
        active={index === active}
        isShown={entry !== undefined && entry.key === shownFile}
        hasMenu={index === menu?.row}
        href={href}
        onVisit={visit}
        onOpen={open}
        onMenu={openMenu}
      />
    );
  };
  const shown = Array.from({ length: end - first }, (_, place) => first + place);
  // The active row has the focus, which must not go when it is scrolled away. It stays in its order, since
  // an element that is moved loses the focus as well.
  if (active < first) shown.unshift(active);
  else if (active >= end) shown.push(active);
  return (
    <>
      <div
        role="grid"
        class={`file-grid file-${view}`}
        aria-label={label}
        aria-rowcount={listing.count + 1}
        aria-multiselectable="true"
      >
        <GridHead
          view={view}
          sort={listing.sort}
          selectable={listing.isSelectable}
          onSort={(key) => folder.sortBy(key)}
          chosen={selection.size === 0 ? "none" : selection.size >= listing.count ? "all" : "some"}
          onChooseAll={(all) => (all ? void cursor.selectAll() : cursor.selectNone())}
        />
        <div ref={body} role="rowgroup" class="file-rows" style={{ height: `${height}px` }}>
          {shown.map(row)}
        </div>
      </div>
      {menu !== null && (
        <Menu
          key={`${menu.row} ${menu.anchor.left} ${menu.anchor.top}`}
          label={t("Actions for {name}", { name: describeEntries(menu.entries) })}
          anchor={menu.anchor}
          items={menuItems(folder, menu.entries, href, open)}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
}

/** What can be done with a row, or with all that is selected where the row is among it. */
function menuItems(
  folder: FolderStore,
  entries: readonly Entry[],
  href: (entry: Entry) => string,
  open: (entry: Entry) => void,
): MenuItem[] {
  const items = entryTools(folder, entries);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) return items;
  return [{ name: t("Open"), svg: openIcon, href: href(entry), onChoose: () => open(entry) }, ...items];
}
