import emptyIcon from "lucide-static/icons/folder-open.svg" with { type: "text" };
import missingIcon from "lucide-static/icons/folder-x.svg" with { type: "text" };
import { askToConnect } from "../../../components/connect.tsx";
import { Empty } from "../../../components/empty.tsx";
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
  if (!isMissing) return <EmptyWords {...words} />;
  return words.folder === "" ? <MissingDrive /> : <MissingFolder place={place} />;
}

type EmptyWordsProps = Omit<EmptyFolderProps, "place" | "isMissing">;

function EmptyWords({ folder, isReadOnly, isManaged, onNewFile }: EmptyWordsProps) {
  return (
    <Empty svg={emptyIcon} title={folder === "" ? t("This drive is empty") : t("This folder is empty")}>
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
    </Empty>
  );
}

function MissingFolder({ place }: Pick<EmptyFolderProps, "place">) {
  return (
    <Empty svg={missingIcon} title={t("Folder not found")}>
      <p class="soft">{t("It was renamed, moved or deleted. Uploading here creates it again.")}</p>
      <Link to={folderAddress(place, "")} class="button">
        {t("Go to the drive root")}
      </Link>
    </Empty>
  );
}

function MissingDrive() {
  return (
    <Empty svg={missingIcon} title={t("Drive not found")}>
      <p class="soft">{t("It was deleted while you had it open.")}</p>
      <Link to="/drives" class="button">
        {t("Go to your drives")}
      </Link>
    </Empty>
  );
}
