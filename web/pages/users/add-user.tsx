import { useState } from "preact/hooks";
import { Copy } from "../../components/forms/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { call } from "../../lib/api/api.ts";
import { randomPassword, type SignInDetails } from "../../lib/users.ts";
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
      title="Add user"
      submit="Create account"
      onSubmit={async (values, headers) => {
        const body = { username: textOf(values, "username"), password: textOf(values, "password") };
        await call("POST", "/v0/users", { body, headers });
        onAdded(body);
      }}
      onClose={onClose}
    >
      <Field label="Username" name="username" hint="3 to 32 characters: a-z, 0-9 and -" required />
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
  const text = `${location.origin}\nUsername: ${made.username}\nPassword: ${made.password}`;
  return (
    <Dialog title="Share sign-in details" onClose={onClose}>
      <p>The password is shown only once. They can change it on their account page.</p>
      <pre class="tell">{text}</pre>
      <div class="row">
        <Copy text={text} what="the sign-in details" />
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
