import emptyIcon from "lucide-static/icons/folder-open.svg" with { type: "text" };
import missingIcon from "lucide-static/icons/folder-x.svg" with { type: "text" };
import { askToConnect } from "../../../components/connect.tsx";
import { Icon } from "../../../components/icon.tsx";
import { folderAddress } from "../../../lib/files/place.ts";
import { Link } from "../../../lib/browser/router.tsx";
import { t } from "../../../lib/words/text.ts";

interface EmptyFolderProps {
  /** The drive as the address names it. */
  readonly place: string;
  readonly folder: string;
  /** Whether there is no such folder. */
  readonly isMissing: boolean;
  /** Whether whoever looks may put nothing into it. */
  readonly isReadOnly: boolean;
  /** Whether whoever looks decides about the drive. */
  readonly isManaged: boolean;
  readonly onNewFile: () => void;
}

/** What a folder without anything in it shows; or that there is no such folder, or drive, any more. */
export function EmptyFolder({ place, isMissing, ...words }: EmptyFolderProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon svg={isMissing ? missingIcon : emptyIcon} />
      </span>
      {!isMissing && <EmptyWords {...words} />}
      {isMissing && (words.folder === "" ? <MissingDrive /> : <MissingFolder place={place} />)}
    </div>
  );
}

type EmptyWordsProps = Omit<EmptyFolderProps, "place" | "isMissing">;

function EmptyWords({ folder, isReadOnly, isManaged, onNewFile }: EmptyWordsProps) {
  return (
    <>
      <h2>{folder === "" ? t("This drive is empty") : t("This folder is empty")}</h2>
      {!isReadOnly && (
        <>
          <p class="soft">{t("Drop files or folders here, upload some, or create a folder.")}</p>
          <div class="row">
            {folder === "" && isManaged && (
              <button type="button" class="button primary" onClick={askToConnect}>
                {t("Connect an agent")}
              </button>
            )}
            <button type="button" class="button" onClick={onNewFile}>
              {t("Write a file")}
            </button>
          </div>
        </>
      )}
    </>
  );
}

function MissingFolder({ place }: Pick<EmptyFolderProps, "place">) {
  return (
    <>
      <h2>{t("Folder not found")}</h2>
      <p class="soft">{t("It was renamed, moved or deleted. Uploading here creates it again.")}</p>
      <Link to={folderAddress(place, "")} class="button">
        {t("Go to the drive root")}
      </Link>
    </>
  );
}

function MissingDrive() {
  return (
    <>
      <h2>{t("Drive not found")}</h2>
      <p class="soft">{t("It was deleted while you had it open.")}</p>
      <Link to="/drives" class="button">
        {t("Go to your drives")}
      </Link>
    </>
  );
}
