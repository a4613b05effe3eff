import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { call } from "../../lib/api/api.ts";
import { nameOf } from "../../lib/files.ts";
import { formatBytes, formatCount } from "../../lib/words/format.ts";
import type { Drive, TrashEntry } from "../../lib/api/types.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

/** Asks before something in the trash is deleted for good. */
export function DeleteForGood({ entry, onClose, onDone }: DialogProps & { readonly entry: TrashEntry }) {
  return (
    <ConfirmDialog
      title="Delete this for good?"
      submit="Delete for good"
      onConfirm={() => call("DELETE", `/v0/trash/${entry.id}`)}
      said="Deleted for good."
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        <strong>
          <Name text={nameOf(entry.path)} />
        </strong>{" "}
        {entry.kind === "folder" && `with ${formatCount(entry.file_count, "file")} `}(
        {formatBytes(entry.size)}) can't be put back afterwards.
      </p>
    </ConfirmDialog>
  );
}

/** Asks before all that is in the trash of a drive is deleted for good. */
export function EmptyTrash({ drive, onClose, onDone }: DialogProps & { readonly drive: Drive }) {
  return (
    <ConfirmDialog
      title="Empty the trash?"
      submit="Empty trash"
      onConfirm={() => call("DELETE", "/v0/trash", { body: { drive_id: drive.id, confirm: true } })}
      said="The trash is empty."
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        All that was deleted from{" "}
        <strong>
          <Name text={drive.name} />
        </strong>{" "}
        will be gone for good, now and not only once its time is over.
      </p>
    </ConfirmDialog>
  );
}
