import clockIcon from "lucide-static/icons/clock.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import { FileIcon } from "../../components/file-icon.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import type { Entry } from "../../lib/files.ts";
import { nameOf } from "../../lib/files-place.ts";
import { formatBytes, formatRelative, formatTime } from "../../lib/format.ts";
import { plain } from "../../lib/overrides.ts";
import { ROW_HEIGHT } from "./use-visible-rows.ts";

interface FileRowProps {
  readonly index: number;
  /** Undefined while it is loading. */
  readonly entry: Entry | undefined;
  readonly selected: boolean;
  /** Whether the Tab key comes to this row. */
  readonly active: boolean;
  readonly href: (entry: Entry) => string;
  readonly onOpen: (entry: Entry) => void;
  readonly onPress: (index: number, event: MouseEvent) => void;
  readonly onToggle: (index: number) => void;
}

/** One line of the list: a folder, a file, or something still loading. */
export function FileRow(props: FileRowProps) {
  const { index, entry, selected, active } = props;
  return (
    <div
      role="row"
      class="file-row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-busy={entry === undefined}
      tabIndex={active ? 0 : -1}
      data-index={index}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
      onClick={(event) => props.onPress(index, event)}
      onDblClick={() => entry !== undefined && props.onOpen(entry)}
    >
      {entry === undefined ? (
        <span role="gridcell" class="cell-loading soft">
          Loading…
        </span>
      ) : (
        <Cells {...props} entry={entry} />
      )}
    </div>
  );
}

function Cells({ index, entry, selected, href, onOpen, onToggle }: FileRowProps & { readonly entry: Entry }) {
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
          aria-label={`Select ${plain(name)}`}
          onChange={() => onToggle(index)}
        />
      </span>
      <span role="gridcell" class="cell-name">
        {entry.kind === "folder" ? <FolderIcon /> : <FileIcon type={entry.file.mime_type} />}
        <span class="cell-words">
          <a href={href(entry)} tabIndex={-1} onClick={open} title={plain(name)}>
            <Name text={name} />
          </a>
          {entry.kind === "file" && <Facts entry={entry} />}
        </span>
        {entry.kind === "file" && entry.file.expires_at !== null && <Expiry at={entry.file.expires_at} />}
      </span>
      <span role="gridcell" class="cell-size">
        {entry.kind === "file" && formatBytes(entry.file.size)}
      </span>
      <span role="gridcell" class="cell-modified">
        {entry.kind === "file" && <Modified at={entry.file.updated_at} />}
      </span>
    </>
  );
}

function FolderIcon() {
  return (
    <span class="kind kind-folder">
      <Icon svg={folderIcon} />
      <span class="hidden-visually">Folder</span>
    </span>
  );
}

/** Size and time under the name, where there is no room for their columns. */
function Facts({ entry }: { readonly entry: Extract<Entry, { kind: "file" }> }) {
  return (
    <small class="cell-facts soft">
      {formatBytes(entry.file.size)} · {formatRelative(entry.file.updated_at)}
    </small>
  );
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
    <span class="badge" title={`Vanishes on ${formatTime(at)}`}>
      <Icon svg={clockIcon} /> <span class="badge-words">{formatRelative(at)}</span>
      <span class="hidden-visually">it vanishes</span>
    </span>
  );
}
