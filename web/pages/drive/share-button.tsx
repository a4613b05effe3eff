import shareIcon from "lucide-static/icons/share-2.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import { fileEntry } from "../../lib/files.ts";
import type { FileRecord } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import type { FolderStore, OpenDialog } from "./store/folder.ts";

interface ShareButtonProps {
  readonly folder: FolderStore;
  readonly file: FileRecord;
}

/** Shares the file that is shown; nothing for whoever may not. On a phone, only the menu beside it has room for this. */
export function ShareButton({ folder, file }: ShareButtonProps) {
  const share: OpenDialog = { kind: "share", entry: fileEntry(file) };
  return folder.allows(share) ? (
    <button type="button" class="button preview-share" title={t("Share")} onClick={() => folder.ask(share)}>
      <Icon svg={shareIcon} /> <span class="preview-label">{t("Share")}</span>
    </button>
  ) : null;
}
