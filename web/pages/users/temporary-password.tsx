import { Field } from "../../components/forms/form.tsx";
import { t } from "../../lib/words/text.ts";

/** The field of a password that an administrator gives a user. @param proposed a random one */
export function TemporaryPassword({ proposed }: { readonly proposed: string }) {
  return (
    <Field
      label={t("Temporary password")}
      name="password"
      hint={t("Randomly generated. They can change it on their account page.")}
      value={proposed}
      required
    />
  );
}
