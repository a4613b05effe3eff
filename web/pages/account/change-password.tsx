import { useState } from "preact/hooks";
import { PASSWORD_CHARACTERS } from "../../../src/domain/limits.ts";
import { Field, Form, textOf } from "../../components/forms/form.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError, call } from "../../lib/api/api.ts";
import { t } from "../../lib/words/text.ts";

/** Changes the password, for an account that has one. */
export function ChangePassword() {
  const [changes, setChanges] = useState(0);
  const change = async (values: FormData) => {
    const body = { current: textOf(values, "current"), password: textOf(values, "password") };
    if (body.password !== textOf(values, "again")) {
      throw new ApiError(0, "DIFFERENT", t("The new passwords don't match."), "again");
    }
    await call("POST", "/v0/account/password", { body });
    say(t("Password changed. You are signed out everywhere else."));
    setChanges(changes + 1);
  };
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{t("Password")}</h2>
      <div>
        <Form key={changes} submit={t("Change password")} onSubmit={change}>
          <Field
            label={t("Current password")}
            name="current"
            type="password"
            autocomplete="current-password"
            required
          />
          <Field
            label={t("New password")}
            name="password"
            type="password"
            autocomplete="new-password"
            hint={t("At least {count} characters", { count: PASSWORD_CHARACTERS.least })}
            required
          />
          <Field
            label={t("Confirm new password")}
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
