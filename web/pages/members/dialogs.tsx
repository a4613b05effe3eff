import { Choice } from "../../components/forms/choice.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, textOf } from "../../components/forms/form.tsx";
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
    <Dialog title="Add member" onClose={onClose}>
      <Form
        submit="Add"
        onCancel={onClose}
        onSubmit={async (values, headers) => {
          const body = { username: textOf(values, "username").trim(), role: asRole(textOf(values, "role")) };
          await call("POST", `/v0/drives/${drive.id}/members`, { body, headers });
          say(`${body.username} can use this drive now.`);
          onDone();
        }}
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
      </Form>
    </Dialog>
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
    <Dialog title={isSelf ? "Leave this drive?" : "Remove this member?"} onClose={onClose}>
      <p>
        {isSelf ? "You" : <Name text={member.username} />} will no longer see{" "}
        <strong>
          <Name text={drive.name} />
        </strong>
        . What was done in it stays.
      </p>
      <Form
        submit={isSelf ? "Leave" : "Remove"}
        danger
        onCancel={onClose}
        onSubmit={async () => {
          await call("DELETE", `/v0/drives/${drive.id}/members/${member.user_id}`);
          say(isSelf ? `You left ${drive.name}.` : `${member.username} can no longer use this drive.`);
          onDone();
        }}
      >
        {null}
      </Form>
    </Dialog>
  );
}
