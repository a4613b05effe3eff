import { useState } from "preact/hooks";
import { PASSWORD_CHARACTERS } from "../../../src/domain/limits.ts";
import { Field, Form, textOf } from "../../components/forms/form.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError, call } from "../../lib/api/api.ts";

/** Changes the password, for an account that has one. */
export function ChangePassword() {
  const [changes, setChanges] = useState(0);
  const change = async (values: FormData) => {
    const body = { current: textOf(values, "current"), password: textOf(values, "password") };
    if (body.password !== textOf(values, "again")) {
      throw new ApiError(0, "DIFFERENT", "The new passwords don't match.", "again");
    }
    await call("POST", "/v0/account/password", { body });
    say("Password changed. You are signed out everywhere else.");
    setChanges(changes + 1);
  };
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <div>
        <Form key={changes} submit="Change password" onSubmit={change}>
          <Field
            label="Current password"
            name="current"
            type="password"
            autocomplete="current-password"
            required
          />
          <Field
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint={`At least ${PASSWORD_CHARACTERS.least} characters`}
            required
          />
          <Field
            label="Confirm new password"
            name="again"
            type="password"
            autocomplete="new-password"
            required
          />
        </Form>
      </div>
    </section>
  );
}
