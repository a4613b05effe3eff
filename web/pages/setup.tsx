import { Failure } from "../components/failure.tsx";
import { Form, textOf } from "../components/forms/form.tsx";
import { Outside } from "../components/shell/outside.tsx";
import { NewAccountFields } from "../components/forms/sign-in-form.tsx";
import { call } from "../lib/api/api.ts";
import { useLoad } from "../lib/api/load.ts";
import type { SignInOptions } from "../lib/api/types.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { rich, t } from "../lib/words/text.ts";

interface Props {
  readonly token: string;
  readonly onSignedIn: () => void;
}

/** Whether the setup link works, was used already, or is not valid. */
type Link = "good" | "used" | "wrong";

async function checkLink(token: string, signal: AbortSignal): Promise<Link> {
  const query = new URLSearchParams({ token });
  const { valid } = await call<{ valid: boolean }>("GET", `/auth/setup/check?${query}`, { signal });
  if (valid) return "good";
  const { setup } = await call<SignInOptions>("GET", "/auth/options", { signal });
  return setup ? "wrong" : "used";
}

/** Creates the administrator account with the link that the server printed at its start. */
export function Setup({ token, onSignedIn }: Props) {
  const { loaded, reload } = useLoad(token, (signal) => checkLink(token, signal));
  return (
    <Outside>
      {loaded.state === "loading" && <p class="soft">{t("Checking the link…")}</p>}
      {loaded.state === "failed" && (
        <>
          <h1>{t("Couldn't check the link")}</h1>
          <Failure error={loaded.error} retry={reload} />
        </>
      )}
      {loaded.state === "ready" && <ForLink link={loaded.value} token={token} onSignedIn={onSignedIn} />}
    </Outside>
  );
}

function ForLink({ link, token, onSignedIn }: Props & { readonly link: Link }) {
  switch (link) {
    case "good":
      return <OwnAccount token={token} onSignedIn={onSignedIn} />;
    case "used":
      return (
        <>
          <h1>{t("This link was already used")}</h1>
          <p>
            {t(
              "This server already has an administrator. If that is you, sign in; otherwise ask them for an account.",
            )}
          </p>
          <a class="button primary" href="/">
            {t("Sign in")}
          </a>
        </>
      );
    case "wrong":
      return (
        <>
          <h1>{t("This setup link is not valid")}</h1>
          <p>
            {t(
              "The server prints a new link each time it starts, and only the newest one works. The link may also have been cut off when it was copied.",
            )}
            {sentenceSpace()}
            {rich(
              "Find the newest link in the server's output, or create the account on the server with {command}.",
              { command: <code>coffer user create NAME</code> },
            )}
          </p>
        </>
      );
  }
}

function OwnAccount({ token, onSignedIn }: Props) {
  return (
    <>
      <h1>{t("Welcome to Coffer")}</h1>
      <p class="soft">{t("Create the administrator account.")}</p>
      <Form
        submit={t("Create account")}
        onSubmit={async (values) => {
          const body = { token, username: textOf(values, "username"), password: textOf(values, "password") };
          await call("POST", "/auth/setup", { body });
          onSignedIn();
        }}
      >
        <NewAccountFields />
      </Form>
    </>
  );
}
