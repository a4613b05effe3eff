import { Outside } from "../components/outside.tsx";
import { SignInForm } from "../components/sign-in-form.tsx";

/** Signing in, at whatever address the person wanted to see. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <Outside>
      <h1>Sign in</h1>
      <SignInForm onSignedIn={onSignedIn} focused />
    </Outside>
  );
}
