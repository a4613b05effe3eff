import { DESCRIPTION_CHARACTERS } from "../../../src/domain/limits.ts";
import { Lines } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError, call, orUncertain } from "../../lib/api/api.ts";
import { formatBytes, formatCount } from "../../lib/words/format.ts";
import type { Drive } from "../../lib/api/types.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

export function NewDrive({ onClose, onDone }: DialogProps) {
  return (
    <FormDialog
      title="New drive"
      submit="Create drive"
      onSubmit={async (values, headers) => {
        const body = namingOf(values);
        await call("POST", "/v0/drives", { body, headers });
        say(`Created the drive ${body.name}.`);
        onDone();
      }}
      onClose={onClose}
    >
      <Naming />
    </FormDialog>
  );
}

interface DriveDialogProps extends DialogProps {
  readonly drive: Drive;
  /** It was refused, or nobody knows whether it was done. */
  readonly onUncertain: () => void;
}

/** Changes a drive's name and description. */
export function EditDrive({ drive, onClose, onDone, onUncertain }: DriveDialogProps) {
  return (
    <FormDialog
      title="Edit drive"
      submit="Save"
      onSubmit={async (values) => {
        await orUncertain(call("PATCH", `/v0/drives/${drive.id}`, { body: namingOf(values) }), onUncertain);
        say("Saved.");
        onDone();
      }}
      onClose={onClose}
    >
      <Naming drive={drive} />
      {drive.slug !== null && (
        <p class="soft">
          Renaming changes the slug: links with <code>{drive.slug}</code> will break. The drive ID stays the
          same.
        </p>
      )}
    </FormDialog>
  );
}

function Naming({ drive }: { readonly drive?: Drive }) {
  return (
    <>
      <Field label="Name" name="name" hint="1 to 64 characters" value={drive?.name ?? ""} required />
      <Lines
        label="Description"
        name="description"
        hint="Optional"
        value={drive?.description ?? ""}
        maxLength={DESCRIPTION_CHARACTERS}
      />
    </>
  );
}

function namingOf(values: FormData): { name: string; description: string } {
  // A form sends line breaks as CR LF.
  const description = textOf(values, "description").replaceAll("\r\n", "\n");
  return { name: textOf(values, "name"), description };
}

/** Deletes a drive once its name is typed to confirm. */
export function DeleteDrive({ drive, onClose, onDone, onUncertain }: DriveDialogProps) {
  return (
    <FormDialog
      title="Delete this drive?"
      submit="Delete permanently"
      danger
      onSubmit={async (values) => {
        if (!isNamed(textOf(values, "name"), drive.name)) {
          throw new ApiError(0, "DIFFERENT", "That doesn't match the drive's name.", "name");
        }
        await orUncertain(call("DELETE", `/v0/drives/${drive.id}`), onUncertain);
        say(`Deleted the drive ${drive.name}.`);
        onDone();
      }}
      onClose={onClose}
    >
      <p>
        <strong>
          <Name text={drive.name} />
        </strong>{" "}
        will be permanently deleted, with {formatCount(drive.file_count, "file")} (
        {formatBytes(drive.total_size)}). Keys limited to this drive will stop working at once.
      </p>
      <Field label="Type the name to confirm" name="name" required />
    </FormDialog>
  );
}

/** Whether somebody typed a name as they see it. */
function isNamed(typed: string, name: string): boolean {
  return seen(typed) === seen(name);
}

/** What people see of a name: nothing of what is not meant to be seen (UAX #44), and spaces as one. */
function seen(text: string): string {
  const shown = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return shown.replaceAll(/\s+/gu, " ").trim().normalize("NFKC");
}
