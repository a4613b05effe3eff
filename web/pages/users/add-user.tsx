import { useState } from "preact/hooks";
import { Copy } from "../../components/forms/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { call } from "../../lib/api/api.ts";
import { serverAddress } from "../../lib/browser/shown-address.ts";
import { randomPassword, type SignInDetails } from "../../lib/users.ts";
import { t } from "../../lib/words/text.ts";
import { TemporaryPassword } from "./temporary-password.tsx";

interface AddUserProps {
  readonly onClose: () => void;
  /** Also called when the dialog was closed before the answer came. */
  readonly onAdded: (made: SignInDetails) => void;
}

export function AddUser({ onClose, onAdded }: AddUserProps) {
  const [proposed] = useState(randomPassword);
  return (
    <FormDialog
      title={t("Add user")}
      submit={t("Create account")}
      onSubmit={async (values, headers) => {
        const body = { username: textOf(values, "username"), password: textOf(values, "password") };
        await call("POST", "/v0/users", { body, headers });
        onAdded(body);
      }}
      onClose={onClose}
    >
      <Field label={t("Username")} name="username" hint={t("3 to 32 characters: a-z, 0-9 and -")} required />
      <TemporaryPassword proposed={proposed} />
    </FormDialog>
  );
}

interface ShareDetailsProps {
  readonly made: SignInDetails;
  readonly onClose: () => void;
}

/** Shows what somebody signs in with from now on, once. */
export function ShareDetails({ made, onClose }: ShareDetailsProps) {
  const { username, password } = made;
  const lines = [
    serverAddress(),
    t("Username: {username}", { username }),
    t("Password: {password}", { password }),
  ];
  const text = lines.join("\n");
  return (
    <Dialog title={t("Share sign-in details")} onClose={onClose}>
      <p>{t("The password is shown only once. They can change it on their account page.")}</p>
      <pre class="tell">{text}</pre>
      <div class="row">
        <Copy text={text} what={t("copy|the sign-in details")} />
        <button type="button" class="button primary" onClick={onClose}>
          {t("Done")}
        </button>
      </div>
    </Dialog>
  );
}
