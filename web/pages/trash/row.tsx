import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import fileIcon from "lucide-static/icons/file.svg" with { type: "text" };
import { By } from "../../components/by.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { isManaged } from "../../lib/drive-places.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { nameOf, parentOf } from "../../lib/files.ts";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive, TrashEntry } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

interface TrashRowProps {
  readonly entry: TrashEntry;
  /** Undefined where it is not known. */
  readonly drive: Drive | undefined;
  readonly showsDrive: boolean;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly onRestore: () => void;
  readonly onDelete: () => void;
}

/** A file or folder in the trash: where it was, who deleted it, and until when it can be put back. */
export function TrashRow({ entry, drive, showsDrive, isSelected, ...on }: TrashRowProps) {
  const { kind, path, size, file_count: count, deleted_at: at, deleted_by: by, expires_at: until } = entry;
  const name = nameOf(path);
  return (
    <li class="record">
      <span class="record-pick">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={t("Select {name}", { name: plain(name) })}
          onChange={on.onSelect}
        />
        <span class={`kind kind-${kind === "folder" ? "folder" : "other"}`}>
          <Icon svg={kind === "folder" ? folderIcon : fileIcon} />
          <span class="hidden-visually">{kind === "folder" ? t("Folder") : t("File")}</span>
        </span>
      </span>
      <div class="record-what">
        <h2>
          <Name text={name} />
        </h2>
        <p class="soft">
          {kind === "folder"
            ? plural(count, "{count} file, {size}", "{count} files, {size}", { size: formatBytes(size) })
            : formatBytes(size)}
          {" · "}
          <Place folder={parentOf(path)} drive={drive} showsDrive={showsDrive} />
        </p>
      </div>
      <p class="soft record-when">
        <span title={formatTime(at)}>
          {rich("Deleted {when} {by}", { when: formatRelative(at), by: <By by={by} /> })}
        </span>
        <span title={formatTime(until)}>{t("Gone for good {when}", { when: formatRelative(until) })}</span>
      </p>
      <div class="record-tools">
        <button
          type="button"
          class="button"
          aria-label={t("Put back {name}", { name: plain(name) })}
          onClick={on.onRestore}
        >
          {t("Put back")}
        </button>
        {isManaged(drive) && (
          <button
            type="button"
            class="button quiet"
            aria-label={t("Delete {name} for good", { name: plain(name) })}
            onClick={on.onDelete}
          >
            {t("Delete")}
          </button>
        )}
      </div>
    </li>
  );
}

interface PlaceProps {
  readonly folder: string;
  readonly drive: Drive | undefined;
  readonly showsDrive: boolean;
}

function Place({ folder, drive, showsDrive }: PlaceProps) {
  if (drive === undefined) {
    return (
      <>{folder === "" ? t("was in the drive") : rich("was in {place}", { place: <Name text={folder} /> })}</>
    );
  }
  const names = folder.slice(0, -1).replaceAll("/", " / ");
  const place = (
    <Link to={folderAddress(drive.slug ?? drive.id, folder)}>
      {(showsDrive || folder === "") && <Name text={drive.name} />}
      {showsDrive && folder !== "" && " / "}
      <Name text={names} />
    </Link>
  );
  return <>{rich("was in {place}", { place })}</>;
}
