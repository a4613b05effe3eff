import { useState } from "preact/hooks";
import { Choice } from "../../components/forms/choice.tsx";
import { textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { say } from "../../components/toast.tsx";
import { call } from "../../lib/api/api.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { User } from "../../lib/api/types.ts";
import { changeUser, randomPassword, type SignInDetails } from "../../lib/users.ts";
import { plural, t } from "../../lib/words/text.ts";
import { TemporaryPassword } from "./temporary-password.tsx";

interface Props {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives a user a temporary password; `onReset` gets it, as it is shown once. */
export function ResetPassword(props: Props & { readonly onReset: (details: SignInDetails) => void }) {
  const { user, onClose, onDone, onReset } = props;
  const [proposed] = useState(randomPassword);
  return (
    <FormDialog
      title={t("Reset the password of {name}?", { name: user.username })}
      submit={t("Reset password")}
      danger
      onSubmit={async (values) => {
        const password = textOf(values, "password");
        await changeUser(user, { password });
        onDone();
        onReset({ username: user.username, password });
      }}
      onClose={onClose}
    >
      <p>
        {t(
          "This signs them out everywhere, and revokes all their keys and those of their drives. Agents with such a key need a new one.",
        )}
      </p>
      <TemporaryPassword proposed={proposed} />
    </FormDialog>
  );
}

/** Asks before a user becomes an administrator, or is no longer one. */
export function Appoint({ user, onClose, onDone }: Props) {
  const { account, refresh } = useSession();
  const { username: name, admin } = user;
  return (
    <ConfirmDialog
      title={
        admin ? t("Take administration from {name}?", { name }) : t("Make {name} an administrator?", { name })
      }
      submit={admin ? t("Take away") : t("Make administrator")}
      onConfirm={async () => {
        await changeUser(user, { admin: !admin });
        if (user.id === account.id) refresh();
      }}
      said={
        admin
          ? t("{name} is no longer an administrator.", { name })
          : t("{name} is an administrator now.", { name })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {t(
          "Administrators add, disable and delete users, reset their passwords, and make others administrators.",
        )}
        {admin && user.id === account.id && ` ${t("You can't take this back yourself.")}`}
      </p>
    </ConfirmDialog>
  );
}

/** Asks before a user is disabled. */
export function Disable({ user, onClose, onDone }: Props) {
  return (
    <ConfirmDialog
      title={t("Disable {name}?", { name: user.username })}
      submit={t("Disable")}
      onConfirm={() => changeUser(user, { disabled: true })}
      said={t("{name} is disabled.", { name: user.username })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {t(
          "This signs them out everywhere and stops their keys at once. Their drives are kept, and you can enable them again.",
        )}
      </p>
    </ConfirmDialog>
  );
}

/** Deletes a user, and asks what becomes of the drives. @param heirs the usernames of who can get them, best first */
export function DeleteUser({ user, heirs, ...ends }: Props & { readonly heirs: readonly string[] }) {
  const { username: name, drive_count: drives } = user;
  return (
    <FormDialog
      title={t("Delete {name}?", { name })}
      submit={t("Delete user")}
      danger
      onSubmit={async (values, headers) => {
        const to = textOf(values, "to");
        const body = to === "" ? { drives: "delete" } : { drives: "give", to };
        await call("DELETE", `/v0/users/${user.id}`, { body, headers });
        say(t("{name} is deleted.", { name }));
        ends.onDone();
      }}
      onClose={ends.onClose}
    >
      <p>
        {t(
          "Their sessions, keys and links end at once. This can't be undone, and nobody else can have the username.",
        )}
      </p>
      {drives > 0 && (
        <Choice
          label={plural(drives, "Their {count} drive", "Their {count} drives")}
          name="to"
          options={[
            ...heirs.map((heir) => ({ value: heir, text: t("Give to {name}", { name: heir }) })),
            { value: "", text: t("Delete too") },
          ]}
          value={heirs[0] ?? ""}
          hint={t("Members of a drive stay members. Its keys and webhooks go.")}
        />
      )}
    </FormDialog>
  );
}
