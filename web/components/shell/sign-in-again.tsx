import { useId } from "preact/hooks";
import { useModal } from "../../lib/browser/modal.ts";
import { t } from "../../lib/words/text.ts";
import { SignInForm } from "../forms/sign-in-form.tsx";

interface Props {
  /** Whose session has ended. */
  readonly username: string;
  readonly onSignedIn: () => void;
  /** Somebody else is to sign in: what is open goes. */
  readonly onLeave: () => void;
}

/** Asks whoever's session ended to sign in, over all that is open: nothing of it is lost, and what was asked goes on. */
export function SignInAgain({ username, onSignedIn, onLeave }: Props) {
  // There is no way around it: what Escape closes opens again.
  const element = useModal(() => element.current?.showModal());
  const title = useId();
  return (
    <dialog ref={element} class="dialog sign-in-again" tabIndex={-1} aria-labelledby={title}>
      <div class="dialog-body">
        <h2 id={title}>{t("Sign in again")}</h2>
        <p>
          {t(
            "Your session has ended. What you have open here stays as it is, and goes on once you are back.",
          )}
        </p>
        <SignInForm onSignedIn={onSignedIn} again={username} />
        <button type="button" class="button quiet" onClick={onLeave}>
          {t("Use another account")}
        </button>
      </div>
    </dialog>
  );
}
