import { NameDialog } from "../../../components/forms/name-dialog.tsx";
import type { Editing } from "../../../lib/editing/editing.ts";
import { nameOf, parentOf } from "../../../lib/files.ts";
import { t } from "../../../lib/words/text.ts";

interface SaveAsDialogProps {
  readonly editing: Editing;
  readonly onClose: () => void;
}

/** Makes a file of the text under another name: the one that it had is taken, or is somebody else's by now. */
export function SaveAsDialog({ editing, onClose }: SaveAsDialogProps) {
  const save = async (name: string) => {
    await editing.saveAs(parentOf(editing.file.path) + name);
    onClose();
  };
  return (
    <NameDialog
      title={t("Save under another name")}
      submit={t("Save")}
      value={nameOf(editing.file.path)}
      onName={save}
      onClose={onClose}
    >
      {editing.notice.peek()?.kind === "taken" && <p>{t("There is something with this name already.")}</p>}
    </NameDialog>
  );
}
