import { useEffect, useRef, useState } from "preact/hooks";
import type { MenuAnchor } from "../../../components/menu.tsx";
import type { Entry } from "../../../lib/files.ts";
import { withSelected } from "../../../lib/files/selection.ts";
import type { SortKey } from "../../../lib/files/sort.ts";
import { FileRow } from "./row.tsx";
import { GridHead } from "./head.tsx";
import { RowMenu } from "./row-menu.tsx";
import { type GridModel, useGrid } from "./use-grid.ts";
import { useVisibleRows } from "./use-visible-rows.ts";

/** How long scrolling must rest before what it shows is asked for. */
const REST_MS = 60;

interface FileGridProps extends GridModel {
  readonly driveId: string;
  readonly label: string;
  readonly onSort: (key: SortKey) => void;
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
  const { listing, selection } = props;
  const body = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const { first, end, height, topOf, reveal } = useVisibleRows(body, listing.count);
  const { active } = props;
  const showMenu = (row: number, anchor: MenuAnchor) => {
    const entry = listing.at(row);
    if (entry !== undefined) setMenu({ row, anchor, entries: withSelected(entry, selection) });
  };
  const showMenuAtRow = (row: number) => {
    const button = body.current?.querySelector(`[data-index="${row}"] .more`) ?? null;
    if (button !== null) showMenu(row, button.getBoundingClientRect());
  };
  const grid = useGrid(props, { body, reveal, onMenu: showMenuAtRow });
  const openMenu = (row: number, anchor: MenuAnchor) => {
    grid.goTo(row, false);
    showMenu(row, anchor);
  };

  useEffect(() => {
    const timer = setTimeout(() => void listing.ensure({ first, last: end - 1 }), REST_MS);
    return () => clearTimeout(timer);
  }, [listing, first, end, listing.revision]);

  const focusOn = (index: number) => {
    // The entry that is followed may stand in another row by now; a dialog gives the focus back to the old one.
    if (index !== active) props.onActive(index);
  };
  const keys = new Set<string>();
  const row = (index: number) => {
    const entry = listing.at(index);
    // Pages from before and after a change may both hold it.
    const key = entry === undefined || keys.has(entry.key) ? `row ${index}` : entry.key;
    keys.add(key);
    return (
      <FileRow
        key={key}
        index={index}
        top={topOf(index)}
        entry={entry}
        selected={entry !== undefined && selection.has(entry.key)}
        active={index === active}
        hasMenu={index === menu?.row}
        href={props.href}
        onOpen={props.onOpen}
        onFocus={focusOn}
        onPress={grid.press}
        onToggle={grid.toggle}
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
        class="file-grid"
        aria-label={props.label}
        aria-rowcount={listing.count + 1}
        aria-multiselectable="true"
      >
        <GridHead
          sort={listing.sort}
          selectable={listing.isSelectable}
          onSort={props.onSort}
          chosen={selection.size === 0 ? "none" : selection.size >= listing.count ? "all" : "some"}
          onChooseAll={(all) => (all ? grid.chooseAll() : grid.chooseNone())}
        />
        <div ref={body} role="rowgroup" class="file-rows" style={{ height: `${height}px` }}>
          {shown.map(row)}
        </div>
      </div>
      {menu !== null && (
        <RowMenu
          key={`${menu.row} ${menu.anchor.left} ${menu.anchor.top}`}
          driveId={props.driveId}
          entries={menu.entries}
          anchor={menu.anchor}
          href={props.href}
          onOpen={props.onOpen}
          onDialog={props.onDialog}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
}
