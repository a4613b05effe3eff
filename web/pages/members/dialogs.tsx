import { Choice } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { call } from "../../lib/api/api.ts";
import type { Drive, Member } from "../../lib/api/types.ts";
import { asRole, ROLES } from "./roles.ts";

interface DialogProps {
  readonly drive: Drive;
  readonly onClose: () => void;
  /** Called once the server has done it. */
  readonly onDone: () => void;
}

/** Lets another user of this server use the drive. */
export function AddMember({ drive, onClose, onDone }: DialogProps) {
  return (
    <FormDialog
      title="Add member"
      submit="Add"
      onSubmit={async (values, headers) => {
        const body = { username: textOf(values, "username").trim(), role: asRole(textOf(values, "role")) };
        await call("POST", `/v0/drives/${drive.id}/members`, { body, headers });
        say(`${body.username} can use this drive now.`);
        onDone();
      }}
      onClose={onClose}
    >
      <Field label="Username" name="username" required hint="A user of this server" />
      <Choice
        label="May do"
        name="role"
        value="reader"
        options={Object.entries(ROLES).map(([value, { text }]) => ({ value, text }))}
      />
      <p class="soft">
        Editors also see versions, the trash and snapshots, and can restore them. Readers don't.
      </p>
    </FormDialog>
  );
}

/** Asks before somebody may no longer use the drive, which may be oneself. */
export function RemoveMember({
  drive,
  member,
  isSelf,
  onClose,
  onDone,
}: DialogProps & { readonly member: Member; readonly isSelf: boolean }) {
  return (
    <ConfirmDialog
      title={isSelf ? "Leave this drive?" : "Remove this member?"}
      submit={isSelf ? "Leave" : "Remove"}
      onConfirm={() => call("DELETE", `/v0/drives/${drive.id}/members/${member.user_id}`)}
      said={isSelf ? `You left ${drive.name}.` : `${member.username} can no longer use this drive.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {isSelf ? "You" : <Name text={member.username} />} will no longer see{" "}
        <strong>
          <Name text={drive.name} />
        </strong>
        . What was done in it stays.
      </p>
    </ConfirmDialog>
  );
}
