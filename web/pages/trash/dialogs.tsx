import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { call } from "../../lib/api/api.ts";
import { nameOf } from "../../lib/files.ts";
import { formatBytes } from "../../lib/words/format.ts";
import type { Drive, TrashEntry } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

/** Asks before something in the trash is deleted for good. */
export function DeleteForGood({ entry, onClose, onDone }: DialogProps & { readonly entry: TrashEntry }) {
  const size = formatBytes(entry.size);
  const name = (
    <strong>
      <Name text={nameOf(entry.path)} />
    </strong>
  );
  return (
    <ConfirmDialog
      title={t("Delete this for good?")}
      submit={t("Delete for good")}
      onConfirm={() => call("DELETE", `/v0/trash/${entry.id}`)}
      said={t("Deleted for good.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {entry.kind === "folder"
          ? rich("{name} with {files} ({size}) can't be put back afterwards.", {
              name,
              files: plural(entry.file_count, "{count} file", "{count} files"),
              size,
            })
          : rich("{name} ({size}) can't be put back afterwards.", { name, size })}
      </p>
    </ConfirmDialog>
  );
}

/** Asks before all that is in the trash of a drive is deleted for good. */
export function EmptyTrash({ drive, onClose, onDone }: DialogProps & { readonly drive: Drive }) {
  return (
    <ConfirmDialog
      title={t("Empty the trash?")}
      submit={t("Empty trash")}
      onConfirm={() => call("DELETE", "/v0/trash", { body: { drive_id: drive.id, confirm: true } })}
      said={t("The trash is empty.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {rich(
          "All that was deleted from {drive} will be gone for good, now and not only once its time is over.",
          {
            drive: (
              <strong>
                <Name text={drive.name} />
              </strong>
            ),
          },
        )}
      </p>
    </ConfirmDialog>
  );
}
