import { Failure } from "../components/failure.tsx";
import { Form, textOf } from "../components/form.tsx";
import { Outside } from "../components/outside.tsx";
import { NewAccountFields } from "../components/sign-in-form.tsx";
import { call } from "../lib/api.ts";
import { useLoad } from "../lib/load.ts";
import type { SignInOptions } from "../lib/types.ts";

interface Props {
  readonly token: string;
  readonly onSignedIn: () => void;
}

/** Whether the link can be used; if not, whether that is because somebody has used one. */
type Link = "good" | "used" | "wrong";

async function checkLink(token: string, signal: AbortSignal): Promise<Link> {
  const query = new URLSearchParams({ token });
  const { valid } = await call<{ valid: boolean }>("GET", `/auth/setup/check?${query}`, { signal });
  if (valid) return "good";
  const { setup } = await call<SignInOptions>("GET", "/auth/options", { signal });
  return setup ? "wrong" : "used";
}

/** The account of an administrator, made by the link that the start printed. */
export function Setup({ token, onSignedIn }: Props) {
  const { loaded, reload } = useLoad(token, (signal) => checkLink(token, signal));
  return (
    <Outside>
      {loaded.state === "loading" && <p class="soft">Checking the link…</p>}
      {loaded.state === "failed" && (
        <>
          <h1>The link cannot be checked</h1>
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
          <h1>This link has done its work</h1>
          <p>
            This server has an administrator already. If it is you, sign in; if not, ask them for an account.
          </p>
          <a class="button primary" href="/">
            Sign in
          </a>
        </>
      );
    case "wrong":
      return (
        <>
          <h1>This is not the newest setup link</h1>
          <p>
            The server prints a new link each time it starts, and only the last one works; it may also have
            been cut off when it was copied. Look for the newest one in what the server printed, or make the
            account on its machine with <code>coffer user create NAME</code>.
          </p>
        </>
      );
  }
}

function OwnAccount({ token, onSignedIn }: Props) {
  return (
    <>
      <h1>Welcome to Coffer</h1>
      <p class="soft">Make the administrator's account. It looks after everybody else's.</p>
      <Form
        submit="Make the account"
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
