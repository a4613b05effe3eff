import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import pencilIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import trashIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import { Copy } from "../../components/forms/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { NewsMark } from "../../components/news-mark.tsx";
import { isManaged } from "../../lib/drive-places.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive } from "../../lib/api/types.ts";
import { mark, plural, rich, t } from "../../lib/words/text.ts";
import { NewestFiles } from "./newest-files.tsx";

/** What somebody else lets one do in a drive. */
const SHARED = { reader: mark("shared with you to read"), editor: mark("shared with you to edit") } as const;

/** A drive at a glance, with what can be done to it. */
export function DriveCard(props: {
  readonly drive: Drive;
  /** Whether others did something in it since one was there. */
  readonly isChanged: boolean;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  const { drive, isChanged, onEdit, onDelete } = props;
  return (
    <>
      <div class="drive-card-head">
        <span class="drive-sign">
          <NewsMark mark={isChanged ? "changed" : undefined} />
          <Icon svg={driveIcon} />
        </span>
        <h2 class="drive-name">
          <Link to={folderAddress(drive.slug ?? drive.id, "")}>
            <Name text={drive.name} />
          </Link>
        </h2>
        {isManaged(drive) && (
          <>
            <button type="button" class="button quiet" title={t("Edit")} onClick={onEdit}>
              <Icon svg={pencilIcon} />
              <span class="hidden-visually">{rich("Edit {name}", { name: <Name text={drive.name} /> })}</span>
            </button>
            <button type="button" class="button quiet" title={t("Delete")} onClick={onDelete}>
              <Icon svg={trashIcon} />
              <span class="hidden-visually">
                {rich("Delete {name}", { name: <Name text={drive.name} /> })}
              </span>
            </button>
          </>
        )}
      </div>
      {drive.description !== "" && (
        <p class="drive-about soft">
          <Name text={drive.description} />
        </p>
      )}
      {drive.expires_at !== null && (
        <p class="notice careful" title={formatTime(drive.expires_at)}>
          {t("Not claimed yet: it will be deleted {when}.", { when: formatRelative(drive.expires_at) })}
        </p>
      )}
      {drive.file_count > 0 && <NewestFiles drive={drive} />}
      <p class="soft drive-facts">
        {drive.role !== "owner" && <span>{t(SHARED[drive.role])}</span>}
        <span>{plural(drive.file_count, "{count} file", "{count} files")}</span>
        <span>{formatBytes(drive.total_size)}</span>
        <span title={formatTime(drive.updated_at)}>
          {t("modified {when}", { when: formatRelative(drive.updated_at) })}
        </span>
      </p>
      <div>
        <Copy
          text={drive.slug ?? drive.id}
          what={drive.slug === null ? t("copy|the drive ID") : t("copy|the drive slug")}
          shown
        />
      </div>
    </>
  );
}
