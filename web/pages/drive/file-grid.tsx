import { useEffect, useRef } from "preact/hooks";
import type { Entry } from "../../lib/files.ts";
import { among, NOTHING } from "../../lib/files-selection.ts";
import type { SortKey } from "../../lib/files-sort.ts";
import { FileRow } from "./file-row.tsx";
import { GridHead } from "./grid-head.tsx";
import { type GridModel, useGrid } from "./use-grid.ts";
import { ROW_HEIGHT, useVisibleRows } from "./use-visible-rows.ts";

/** How long scrolling must rest before what it shows is asked for. */
const REST_MS = 60;

interface FileGridProps extends GridModel {
  readonly label: string;
  readonly onSort: (key: SortKey) => void;
  readonly href: (entry: Entry) => string;
}

/** The list of a folder: only the rows in sight are in the page, and only what they show is loaded. */
export function FileGrid(props: FileGridProps) {
  const { listing, sort, selection, onSelect } = props;
  const body = useRef<HTMLDivElement>(null);
  const { first, end } = useVisibleRows(body, listing.count);
  const active = Math.min(props.active, listing.count - 1);
  const { press, toggle } = useGrid(body, { ...props, active });

  useEffect(() => {
    const timer = setTimeout(() => listing.ensure(first, end - 1, sort), REST_MS);
    return () => clearTimeout(timer);
  }, [listing, first, end, sort, listing.loadedFiles]);

  const row = (index: number) => {
    const entry = listing.at(index, sort);
    return (
      <FileRow
        key={index}
        index={index}
        entry={entry}
        selected={entry !== undefined && selection.has(entry.key)}
        active={index === active}
        href={props.href}
        onOpen={props.onOpen}
        onPress={press}
        onToggle={toggle}
      />
    );
  };
  const shown = Array.from({ length: end - first }, (_, place) => first + place);
  // The active row has the focus, which must not go when it is scrolled away. It stays in its order, since
  // an element that is moved loses the focus as well.
  if (active < first) shown.unshift(active);
  else if (active >= end) shown.push(active);
  return (
    <div
      role="grid"
      class="file-grid"
      aria-label={props.label}
      aria-rowcount={listing.count + 1}
      aria-multiselectable="true"
    >
      <GridHead
        sort={sort}
        sortable={listing.isSortable}
        onSort={props.onSort}
        chosen={selection.size === 0 ? "none" : selection.size >= listing.count ? "all" : "some"}
        onChooseAll={(all) => onSelect(all ? among(listing.loaded(sort)) : NOTHING)}
      />
      <div ref={body} role="rowgroup" class="file-rows" style={{ height: `${listing.count * ROW_HEIGHT}px` }}>
        {shown.map(row)}
      </div>
    </div>
  );
}
