import { useState } from "preact/hooks";
import { NameDialog } from "../../../components/forms/name-dialog.tsx";
import { later } from "../../../components/later.tsx";
import { say } from "../../../components/toast.tsx";
import { ApiError } from "../../../lib/api/api.ts";
import { useSession } from "../../../lib/api/session.tsx";
import { keyOf, readDraft } from "../../../lib/editing/drafts.ts";
import { EditedFile } from "../../../lib/editing/edited-file.ts";
import { NEW_FORMAT } from "../../../lib/editing/text-format.ts";
import { isTaken } from "../../../lib/uploads/put-file.ts";
import type { DriveStore } from "../store/drive.ts";
import type { FolderStore } from "../store/folder.ts";
import type { Begun } from "./use-editing.ts";
import { t } from "../../../lib/words/text.ts";

const NewText = later(async () => (await import("./new-text.tsx")).NewText);

interface NewFileProps {
  readonly folder: FolderStore;
  readonly store: DriveStore;
  readonly onClose: () => void;
}

/** Asks for the name of a new file, and has its text written. The file is made when that is saved for the first time. */
export function NewFile({ folder, store, onClose }: NewFileProps) {
  const { account } = useSession();
  const [begun, setBegun] = useState<Begun | null>(null);
  if (begun !== null) return <NewText begun={begun} folder={folder} store={store} onClose={onClose} />;
  const begin = async (name: string) => {
    const path = folder.path + name;
    if (await isTaken(folder.drive, path, new AbortController().signal)) {
      throw new ApiError(412, "CONFLICT", t("There is a file with this name already."), "name");
    }
    const file = new EditedFile(folder.drive, path, null);
    const draft = await readDraft(keyOf(account.id, file));
    if (draft !== null) say(t("This is what you wrote before. It is not saved."));
    setBegun({ file, stored: { text: "", format: NEW_FORMAT, etag: null }, draft });
  };
  return (
    <NameDialog
      title={t("New file")}
      submit={t("Write")}
      value="untitled.md"
      onName={begin}
      onClose={onClose}
    />
  );
}
