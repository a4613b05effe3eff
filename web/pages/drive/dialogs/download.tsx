import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import { Dialog } from "../../../components/dialog.tsx";
import { Icon } from "../../../components/icon.tsx";
import type { Entry } from "../../../lib/files.ts";
import { ARCHIVE_PATHS } from "../../../../src/domain/limits.ts";
import { folderArchiveAddress } from "../../../lib/files/archive.ts";
import type { Drive } from "../../../lib/api/types.ts";
import { sentenceSpace } from "../../../lib/words/format.ts";
import { plural, t } from "../../../lib/words/text.ts";

interface DownloadDialogProps {
  readonly drive: Drive;
  /** The folder that is open, which holds the entries. */
  readonly folder: string;
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
}

/** Says what to do instead where too much is selected to name each in one download. */
export function DownloadDialog({ drive, folder, entries, onClose }: DownloadDialogProps) {
  return (
    <Dialog title={t("Too many items selected")} onClose={onClose}>
      <p>
        {plural(entries.length, "You selected {count} item.", "You selected {count} items.")}
        {sentenceSpace()}
        {t("One download takes up to {most}, or fewer if their names are long.", { most: ARCHIVE_PATHS })}
        {sentenceSpace()}
        {folder === ""
          ? t("Download the whole drive, or select fewer.")
          : t("Download the whole folder, or select fewer.")}
      </p>
      <div class="row">
        <a class="button primary" href={folderArchiveAddress(drive.id, folder)} download onClick={onClose}>
          <Icon svg={downloadIcon} /> {t("Download all")}
        </a>
        <button type="button" class="button" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </Dialog>
  );
}
