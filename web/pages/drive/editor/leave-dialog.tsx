import { Dialog } from "../../../components/dialog.tsx";
import type { Leaving } from "./use-leaving.ts";

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
    <Dialog title="Save your changes?" onClose={leaving.stay}>
      <p>You have changes that are not saved.</p>
      <div class="row">
        <button type="button" class="button primary" onClick={() => void save()}>
          Save
        </button>
        <button type="button" class="button danger" onClick={discard}>
          Discard
        </button>
        <button type="button" class="button" onClick={leaving.stay}>
          Keep editing
        </button>
      </div>
    </Dialog>
  );
}
