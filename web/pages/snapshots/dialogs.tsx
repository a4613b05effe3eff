import { Field, textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { formatCount, formatRelative } from "../../lib/words/format.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { deleteSnapshot, forkSnapshot, restoreSnapshot, takeSnapshot } from "../../lib/snapshots.ts";
import type { Drive, Snapshot } from "../../lib/api/types.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

export function NewSnapshot({ drive, onClose, onDone }: DialogProps & { readonly drive: Drive }) {
  return (
    <FormDialog
      title="Take a snapshot"
      submit="Take snapshot"
      onSubmit={async (values, headers) => {
        await takeSnapshot(drive.id, textOf(values, "name").trim(), headers);
        say("Snapshot taken.");
        onDone();
      }}
      onClose={onClose}
    >
      <p class="soft">It remembers all {formatCount(drive.file_count, "file")} as they are now.</p>
      <Field label="Name" name="name" hint="Optional" placeholder="e.g. Before the clean-up" />
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
    return "Everything is as it was before.";
  };
  return (
    <ConfirmDialog
      title={path === "" ? "Restore the whole drive?" : "Restore this folder?"}
      submit="Restore"
      onConfirm={async (once) => {
        const done = await restoreSnapshot(drive, id, path, once);
        const restored = formatCount(done.files_restored, "file");
        say(`Restored: ${restored} brought back, ${done.files_removed.toLocaleString()} removed.`, {
          undo: undo(done.snapshot_id),
        });
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {path === "" ? "The drive" : <Name text={path} />} becomes what it was {formatRelative(at)}, in{" "}
        <strong>
          <Name text={name} />
        </strong>
        . What came since then is removed. A snapshot of how things are now is taken first, so that you can go
        back.
      </p>
    </ConfirmDialog>
  );
}

/** Makes a new drive of a snapshot. */
export function ForkSnapshot({ snapshot, onClose }: Omit<SnapshotDialogProps, "onDone">) {
  return (
    <FormDialog
      title="New drive from this snapshot"
      submit="Create drive"
      onSubmit={async (values, headers) => {
        const drive = await forkSnapshot(snapshot, textOf(values, "name"), headers);
        say(`Created the drive ${drive.name}.`);
        navigate(folderAddress(drive.slug ?? drive.id, ""));
      }}
      onClose={onClose}
    >
      <p class="soft">
        It holds the {formatCount(snapshot.file_count, "file")} of <Name text={snapshot.name} />. This drive
        stays as it is.
      </p>
      <Field label="Name" name="name" hint="1 to 64 characters" required />
    </FormDialog>
  );
}

/** Asks before a snapshot is deleted. */
export function DeleteSnapshot({ snapshot, onClose, onDone }: SnapshotDialogProps) {
  return (
    <ConfirmDialog
      title="Delete this snapshot?"
      submit="Delete snapshot"
      onConfirm={() => deleteSnapshot(snapshot)}
      said="Snapshot deleted."
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        <strong>
          <Name text={snapshot.name} />
        </strong>{" "}
        will be gone for good. The drive stays as it is now.
      </p>
    </ConfirmDialog>
  );
}
