import type { SignInReturn } from "../lib/sign-in-return.ts";

const WORDS: Readonly<Record<SignInReturn["outcome"], string>> = {
  cancelled: "Signing in was cancelled at the provider. You can start again whenever you like.",
  expired: "Signing in took too long, or was begun in another browser. Please start again.",
  failed:
    "Signing in did not work. Please try again; if it fails once more, whoever runs this server finds the reason in its log.",
};

/** Says in words how a sign-in at the provider came to nothing. */
export function TurnedBack({ outcome, requestId }: SignInReturn) {
  return (
    <div class={`notice ${outcome === "failed" ? "bad" : "careful"}`} role="alert">
      <p>{WORDS[outcome]}</p>
      {requestId !== undefined && <p class="soft">Request {requestId}</p>}
    </div>
  );
}
