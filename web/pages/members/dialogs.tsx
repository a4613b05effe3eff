import { Choice } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { call } from "../../lib/api/api.ts";
import type { Drive, Member } from "../../lib/api/types.ts";
import { rich, t } from "../../lib/words/text.ts";
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
      title={t("Add member")}
      submit={t("Add")}
      onSubmit={async (values, headers) => {
        const body = { username: textOf(values, "username").trim(), role: asRole(textOf(values, "role")) };
        await call("POST", `/v0/drives/${drive.id}/members`, { body, headers });
        say(t("{name} can use this drive now.", { name: body.username }));
        onDone();
      }}
      onClose={onClose}
    >
      <Field label={t("Username")} name="username" required hint={t("A user of this server")} />
      <Choice
        label={t("May do")}
        name="role"
        value="reader"
        options={Object.entries(ROLES).map(([value, text]) => ({ value, text: t(text) }))}
      />
      <p class="soft">
        {t("Editors also see versions, the trash and snapshots, and can restore them. Readers don't.")}
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
  const shown = (
    <strong>
      <Name text={drive.name} />
    </strong>
  );
  return (
    <ConfirmDialog
      title={isSelf ? t("Leave this drive?") : t("Remove this member?")}
      submit={isSelf ? t("Leave") : t("Remove")}
      onConfirm={() => call("DELETE", `/v0/drives/${drive.id}/members/${member.user_id}`)}
      said={
        isSelf
          ? t("You left {drive}.", { drive: drive.name })
          : t("{name} can no longer use this drive.", { name: member.username })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {isSelf
          ? rich("You will no longer see {drive}. What was done in it stays.", { drive: shown })
          : rich("{name} will no longer see {drive}. What was done in it stays.", {
              name: <Name text={member.username} />,
              drive: shown,
            })}
      </p>
    </ConfirmDialog>
  );
}
