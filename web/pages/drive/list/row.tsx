import clockIcon from "lucide-static/icons/clock.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import moreIcon from "lucide-static/icons/ellipsis-vertical.svg" with { type: "text" };
import { FileSign } from "../../../components/file-sign.tsx";
import { Icon } from "../../../components/icon.tsx";
import type { MenuAnchor } from "../../../components/menu.tsx";
import { Name } from "../../../components/name.tsx";
import { NewsMark } from "../../../components/news-mark.tsx";
import type { Entry } from "../../../lib/files.ts";
import { nameOf } from "../../../lib/files.ts";
import { formatBytes, formatRelative, formatTime } from "../../../lib/words/format.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import type { Mark } from "../../../lib/news.ts";
import type { FolderView } from "../../../lib/files/view.ts";
import type { FolderRecord } from "../../../lib/api/types.ts";
import type { Cursor } from "../store/cursor.ts";
import { plural, t } from "../../../lib/words/text.ts";

/** Where a row stands in what holds the rows. */
interface RowSpot {
  /** Pixels. */
  readonly top: number;
  readonly column: number;
  /** How many stand side by side. */
  readonly columns: number;
}

interface FileRowProps {
  readonly cursor: Cursor;
  readonly index: number;
  readonly view: FolderView;
  readonly place: RowSpot;
  /** Undefined while it is loading. */
  readonly entry: Entry | undefined;
  readonly mark: Mark | undefined;
  readonly selected: boolean;
  /** Whether the Tab key comes to this row. */
  readonly active: boolean;
  /** Whether a preview shows its file. */
  readonly isShown: boolean;
  /** Whether its menu is open. */
  readonly hasMenu: boolean;
  readonly href: (entry: Entry) => string;
  /** A plain click has gone to the row. */
  readonly onVisit: (index: number) => void;
  readonly onOpen: (entry: Entry) => void;
  readonly onMenu: (index: number, anchor: MenuAnchor) => void;
}

/** One line of the list, or one tile: a folder, a file, or something still loading. */
export function FileRow(props: FileRowProps) {
  const { cursor, index, entry, selected, active } = props;
  const openMenu = (event: MouseEvent) => {
    // With Shift the browser's own menu comes, as it does in Firefox everywhere.
    if (entry === undefined || event.shiftKey) return;
    event.preventDefault();
    props.onMenu(index, new DOMRect(event.clientX, event.clientY));
  };
  const press = (event: MouseEvent) => {
    cursor.press(index, event);
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) props.onVisit(index);
  };
  return (
    <div
      role="row"
      class="file-row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={props.isShown}
      aria-busy={entry === undefined}
      tabIndex={active ? 0 : -1}
      data-index={index}
      data-folder={entry?.kind === "folder" ? entry.path : undefined}
      style={styleAt(props.place)}
      onFocus={() => cursor.focused(index)}
      onMouseDown={keepTextUnmarked}
      onClick={press}
      onDblClick={() => entry !== undefined && props.onOpen(entry)}
      onContextMenu={openMenu}
    >
      {entry === undefined ? (
        <span role="gridcell" class="cell-loading soft">
          {t("Loading…")}
        </span>
      ) : (
        <Cells {...props} entry={entry} />
      )}
    </div>
  );
}

function styleAt({ top, column, columns }: RowSpot) {
  const width = 100 / columns;
  return { transform: `translateY(${top}px)`, insetInlineStart: `${column * width}%`, width: `${width}%` };
}

/** A press with Shift chooses the rows up to this one, where the browser would mark the text in between. */
function keepTextUnmarked(event: MouseEvent): void {
  if (event.shiftKey) event.preventDefault();
}

function Cells(props: FileRowProps & { readonly entry: Entry }) {
  const { cursor, index, entry, selected, active, href, onOpen } = props;
  const name = nameOf(entry.path);
  const open = (event: MouseEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.stopPropagation();
    onOpen(entry);
  };
  return (
    <>
      <span role="gridcell" class="cell-check" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={selected}
          aria-label={t("Select {name}", { name: plain(name) })}
          onChange={() => cursor.toggle(cursor.goTo(index))}
        />
      </span>
      <span role="gridcell" class="cell-name">
        <span class="cell-sign">
          <NewsMark mark={props.mark} />
          {entry.kind === "folder" ? (
            <FolderIcon />
          ) : (
            <FileSign file={entry.file} size={props.view === "tiles" ? "medium" : "small"} />
          )}
        </span>
        <span class="cell-words">
          <a href={href(entry)} tabIndex={-1} onClick={open} title={plain(name)}>
            <Name text={name} />
          </a>
          <Facts entry={entry} />
        </span>
        {entry.kind === "folder" && <small class="cell-count soft">{filesIn(entry.folder)}</small>}
        {entry.kind === "file" && entry.file.expires_at !== null && <Expiry at={entry.file.expires_at} />}
      </span>
      <span role="gridcell" class="cell-size">
        {formatBytes(entry.kind === "file" ? entry.file.size : entry.folder.total_size)}
      </span>
      <span role="gridcell" class="cell-modified">
        {entry.kind === "file" && <Modified at={entry.file.updated_at} />}
      </span>
      <span
        role="gridcell"
        class="cell-more"
        onClick={(event) => event.stopPropagation()}
        onDblClick={(event) => event.stopPropagation()}
      >
        <button
          type="button"
          class="button quiet more"
          tabIndex={active ? 0 : -1}
          aria-haspopup="menu"
          aria-expanded={props.hasMenu}
          aria-label={t("Actions for {name}", { name: plain(name) })}
          onClick={(event) => props.onMenu(index, event.currentTarget.getBoundingClientRect())}
        >
          <Icon svg={moreIcon} />
        </button>
      </span>
    </>
  );
}

function FolderIcon() {
  return (
    <span class="kind kind-folder">
      <Icon svg={folderIcon} />
      <span class="hidden-visually">{t("Folder")}</span>
    </span>
  );
}

/** What the columns say, under the name where there is no room for them. */
function Facts({ entry }: { readonly entry: Entry }) {
  return (
    <small class="cell-facts soft">
      {entry.kind === "file"
        ? `${formatBytes(entry.file.size)} · ${formatRelative(entry.file.updated_at)}`
        : `${filesIn(entry.folder)} · ${formatBytes(entry.folder.total_size)}`}
    </small>
  );
}

function filesIn({ file_count: count, has_folders: hasFolders }: FolderRecord): string {
  if (count > 0) return plural(count, "{count} file", "{count} files");
  return hasFolders ? t("no files") : t("empty");
}

function Modified({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatRelative(at)}
    </time>
  );
}

function Expiry({ at }: { readonly at: string }) {
  return (
    <span class="badge" title={t("Expires {time}", { time: formatTime(at) })}>
      <Icon svg={clockIcon} />{" "}
      <span class="hidden-visually">{t("Expires {when}", { when: formatRelative(at) })}</span>
      <span class="badge-words" aria-hidden="true">
        {formatRelative(at)}
      </span>
    </span>
  );
}
