import { DESCRIPTION_CHARACTERS } from "../../../src/domain/limits.ts";
import { Lines } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError, call, orUncertain } from "../../lib/api/api.ts";
import { formatBytes } from "../../lib/words/format.ts";
import type { Drive } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

interface DialogProps {
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

export function NewDrive({ onClose, onDone }: DialogProps) {
  return (
    <FormDialog
      title={t("New drive")}
      submit={t("Create drive")}
      onSubmit={async (values, headers) => {
        const body = namingOf(values);
        await call("POST", "/v0/drives", { body, headers });
        say(t("Created the drive {name}.", { name: body.name }));
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
      title={t("Edit drive")}
      submit={t("Save")}
      onSubmit={async (values) => {
        await orUncertain(call("PATCH", `/v0/drives/${drive.id}`, { body: namingOf(values) }), onUncertain);
        say(t("Saved."));
        onDone();
      }}
      onClose={onClose}
    >
      <Naming drive={drive} />
      {drive.slug !== null && (
        <p class="soft">
          {rich("Renaming changes the slug: links with {slug} will break. The drive ID stays the same.", {
            slug: <code>{drive.slug}</code>,
          })}
        </p>
      )}
    </FormDialog>
  );
}

function Naming({ drive }: { readonly drive?: Drive }) {
  return (
    <>
      <Field
        label={t("Name")}
        name="name"
        hint={t("1 to 64 characters")}
        value={drive?.name ?? ""}
        required
      />
      <Lines
        label={t("Description")}
        name="description"
        hint={t("Optional")}
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
      title={t("Delete this drive?")}
      submit={t("Delete permanently")}
      danger
      onSubmit={async (values) => {
        if (!isNamed(textOf(values, "name"), drive.name)) {
          throw new ApiError(0, "DIFFERENT", t("That doesn't match the drive's name."), "name");
        }
        await orUncertain(call("DELETE", `/v0/drives/${drive.id}`), onUncertain);
        say(t("Deleted the drive {name}.", { name: drive.name }));
        onDone();
      }}
      onClose={onClose}
    >
      <p>
        {rich(
          "{name} will be permanently deleted, with {files} ({size}). Keys limited to this drive will stop working at once.",
          {
            name: (
              <strong>
                <Name text={drive.name} />
              </strong>
            ),
            files: plural(drive.file_count, "{count} file", "{count} files"),
            size: formatBytes(drive.total_size),
          },
        )}
      </p>
      <Field label={t("Type the name to confirm")} name="name" required />
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
