import { Dialog } from "../../../components/dialog.tsx";
import type { Leaving } from "./use-leaving.ts";
import { t } from "../../../lib/words/text.ts";

interface LeaveDialogProps {
  readonly leaving: Leaving;
  /** Saves the text; whether it did. */
  readonly onSave: () => Promise<boolean>;
  readonly onDiscard: () => void;
}

/** Asks what is to become of changes that are not saved. */
export function LeaveDialog({ leaving, onSave, onDiscard }: LeaveDialogProps) {
  const save = async () => {
    if (await onSave()) leaving.go();
    else leaving.stay();
  };
  const discard = () => {
    onDiscard();
    leaving.go();
  };
  return (
    <Dialog title={t("Save your changes?")} onClose={leaving.stay}>
      <p>{t("You have changes that are not saved.")}</p>
      <div class="row">
        <button type="button" class="button primary" onClick={() => void save()}>
          {t("Save")}
        </button>
        <button type="button" class="button danger" onClick={discard}>
          {t("Discard")}
        </button>
        <button type="button" class="button" onClick={leaving.stay}>
          {t("Keep editing")}
        </button>
      </div>
    </Dialog>
  );
}
