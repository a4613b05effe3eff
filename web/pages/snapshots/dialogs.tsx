import { Field, textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { formatRelative, sentenceSpace } from "../../lib/words/format.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { deleteSnapshot, forkSnapshot, restoreSnapshot, takeSnapshot } from "../../lib/snapshots.ts";
import type { Drive, Snapshot } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

export function NewSnapshot({ drive, onClose, onDone }: DialogProps & { readonly drive: Drive }) {
  return (
    <FormDialog
      title={t("Take a snapshot")}
      submit={t("Take snapshot")}
      onSubmit={async (values, headers) => {
        await takeSnapshot(drive.id, textOf(values, "name").trim(), headers);
        say(t("Snapshot taken."));
        onDone();
      }}
      onClose={onClose}
    >
      <p class="soft">
        {plural(
          drive.file_count,
          "It remembers all {count} file as they are now.",
          "It remembers all {count} files as they are now.",
        )}
      </p>
      <Field label={t("Name")} name="name" hint={t("Optional")} placeholder={t("e.g. Before the clean-up")} />
    </FormDialog>
  );
}

type SnapshotDialogProps = DialogProps & { readonly snapshot: Snapshot };

/** Asks before a drive becomes what it was, or one folder of it; `path` is empty for all. */
export function RestoreSnapshot({
  snapshot,
  path,
  onClose,
  onDone,
}: SnapshotDialogProps & { readonly path: string }) {
  const { id, drive_id: drive, name, created_at: at } = snapshot;
  const undo = (before: string) => async () => {
    await restoreSnapshot(drive, before, path);
    onDone();
    return t("Everything is as it was before.");
  };
  const when = formatRelative(at);
  const shown = (
    <strong>
      <Name text={name} />
    </strong>
  );
  return (
    <ConfirmDialog
      title={path === "" ? t("Restore the whole drive?") : t("Restore this folder?")}
      submit={t("Restore")}
      onConfirm={async (once) => {
        const done = await restoreSnapshot(drive, id, path, once);
        const said = plural(
          done.files_restored,
          "Restored: {count} file brought back, {removed} removed.",
          "Restored: {count} files brought back, {removed} removed.",
          { removed: done.files_removed },
        );
        say(said, { undo: undo(done.snapshot_id) });
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {path === ""
          ? rich("The drive becomes what it was {when}, in {snapshot}.", { when, snapshot: shown })
          : rich("{folder} becomes what it was {when}, in {snapshot}.", {
              folder: <Name text={path} />,
              when,
              snapshot: shown,
            })}
        {sentenceSpace()}
        {t(
          "What came since then is removed. A snapshot of how things are now is taken first, so that you can go back.",
        )}
      </p>
    </ConfirmDialog>
  );
}

/** Makes a new drive of a snapshot. */
export function ForkSnapshot({ snapshot, onClose }: Omit<SnapshotDialogProps, "onDone">) {
  return (
    <FormDialog
      title={t("New drive from this snapshot")}
      submit={t("Create drive")}
      onSubmit={async (values, headers) => {
        const drive = await forkSnapshot(snapshot, textOf(values, "name"), headers);
        say(t("Created the drive {name}.", { name: drive.name }));
        navigate(folderAddress(drive.slug ?? drive.id, ""));
      }}
      onClose={onClose}
    >
      <p class="soft">
        {rich("It holds the {files} of {snapshot}. This drive stays as it is.", {
          files: plural(snapshot.file_count, "{count} file", "{count} files"),
          snapshot: <Name text={snapshot.name} />,
        })}
      </p>
      <Field label={t("Name")} name="name" hint={t("1 to 64 characters")} required />
    </FormDialog>
  );
}

/** Asks before a snapshot is deleted. */
export function DeleteSnapshot({ snapshot, onClose, onDone }: SnapshotDialogProps) {
  return (
    <ConfirmDialog
      title={t("Delete this snapshot?")}
      submit={t("Delete snapshot")}
      onConfirm={() => deleteSnapshot(snapshot)}
      said={t("Snapshot deleted.")}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {rich("{name} will be gone for good. The drive stays as it is now.", {
          name: (
            <strong>
              <Name text={snapshot.name} />
            </strong>
          ),
        })}
      </p>
    </ConfirmDialog>
  );
}
