import { Field } from "../../components/forms/form.tsx";

/** The field of a password that an administrator gives a user. @param proposed a random one */
export function TemporaryPassword({ proposed }: { readonly proposed: string }) {
  return (
    <Field
      label="Temporary password"
      name="password"
      hint="Randomly generated. They can change it on their account page."
      value={proposed}
      required
    />
  );
}
