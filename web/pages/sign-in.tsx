import { Outside } from "../components/shell/outside.tsx";
import { SignInForm } from "../components/forms/sign-in-form.tsx";
import { TurnedBack } from "../components/shell/turned-back.tsx";
import type { SignInReturn } from "../lib/api/sign-in-return.ts";
import { t } from "../lib/words/text.ts";

interface Props {
  /** What became of a sign-in at the provider that was just tried. */
  readonly returned: SignInReturn | null;
  readonly onSignedIn: () => void;
}

/** Signing in, at whatever address the person wanted to see. */
export function SignIn({ returned, onSignedIn }: Props) {
  return (
    <Outside>
      <h1>{t("Sign in")}</h1>
      {returned !== null && <TurnedBack {...returned} />}
      <SignInForm onSignedIn={onSignedIn} focused />
    </Outside>
  );
}
