import { useState } from "preact/hooks";
import { Copy } from "../../components/forms/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { FormDialog } from "../../components/forms/form-dialog.tsx";
import { call } from "../../lib/api/api.ts";

interface AddUserProps {
  readonly onClose: () => void;
  /** Also called when the dialog was closed before the answer came. */
  readonly onAdded: (made: NewUser) => void;
}

/** The sign-in details of a new user. */
export interface NewUser {
  readonly username: string;
  readonly password: string;
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
      <Field
        label="Temporary password"
        name="password"
        hint="Randomly generated. They can change it on their account page."
        value={proposed}
        required
      />
    </FormDialog>
  );
}

interface ShareDetailsProps {
  readonly made: NewUser;
  readonly onClose: () => void;
}

/** Shows the sign-in details of a new user, once. */
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

/** 32 letters and digits that are hard to confuse: 20 of them hold 100 bits. */
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint8Array(20));
  const letters = Array.from(numbers, (number) => LETTERS[number % LETTERS.length] ?? "").join("");
  return letters.replaceAll(/.{5}(?=.)/g, "$&-");
}
