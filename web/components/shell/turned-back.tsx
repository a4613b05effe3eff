import type { SignInReturn } from "../../lib/api/sign-in-return.ts";
import { mark, type PlainMessage, t } from "../../lib/words/text.ts";

const WORDS: Readonly<Record<SignInReturn["outcome"], PlainMessage>> = {
  cancelled: mark("Sign-in was cancelled at the provider. You can try again at any time."),
  expired: mark("Sign-in took too long, or was started in another browser. Please try again."),
  failed: mark(
    "Sign-in failed. Please try again. If it fails again, the server's administrator can find the reason in its log.",
  ),
};

/** Explains why a sign-in at the provider did not succeed. */
export function TurnedBack({ outcome, requestId }: SignInReturn) {
  return (
    <div class={`notice ${outcome === "failed" ? "bad" : "careful"}`} role="alert">
      <p>{t(WORDS[outcome])}</p>
      {requestId !== undefined && <p class="soft">{t("Request {id}", { id: requestId })}</p>}
    </div>
  );
}
