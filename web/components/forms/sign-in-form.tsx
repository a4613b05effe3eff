import logInIcon from "lucide-static/icons/log-in.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PASSWORD_CHARACTERS } from "../../../src/domain/limits.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { SignInOptions } from "../../lib/api/types.ts";
import { Failure } from "../failure.tsx";
import { Field, Form, textOf } from "./form.tsx";
import { Icon } from "../icon.tsx";

interface Props {
  readonly onSignedIn: () => void;
  /** Whether the page is for signing in only; then its first field gets the focus. */
  readonly focused?: boolean;
}

/** Every sign-in method of this server. The provider sends the browser back to the current address. */
export function SignInForm({ onSignedIn, focused = false }: Props) {
  const { loaded, reload } = useLoad("options", (signal) =>
    call<SignInOptions>("GET", "/auth/options", { signal }),
  );
  switch (loaded.state) {
    case "loading":
      return <p class="soft">Loading…</p>;
    case "failed":
      return <Failure error={loaded.error} retry={reload} />;
    case "ready":
      return <WaysIn options={loaded.value} onSignedIn={onSignedIn} focused={focused} />;
  }
}

function WaysIn({ options, onSignedIn, focused = false }: Props & { readonly options: SignInOptions }) {
  const { provider, setup, signups } = options;
  if (provider === null) {
    return (
      <>
        {setup && !signups && <NoAdministrator />}
        <WithPassword signups={signups} onSignedIn={onSignedIn} focused={focused} />
      </>
    );
  }
  const returnTo = encodeURIComponent(location.pathname + location.search);
  return (
    <>
      {setup && <NoAdministrator />}
      <a class="button primary" href={`/auth/oidc/start?return_to=${returnTo}`}>
        <Icon svg={logInIcon} /> Sign in with {provider.name}
      </a>
      <details class="other-way">
        <summary>Use a password instead</summary>
        <WithPassword signups={signups} onSignedIn={onSignedIn} />
      </details>
    </>
  );
}

function NoAdministrator() {
  return (
    <div class="notice">
      <p>
        This server has no administrator yet. To create the administrator account, open the setup link that
        the server printed when it started, or run <code>coffer user create NAME</code> on the server.
      </p>
    </div>
  );
}

function WithPassword({ signups, onSignedIn, focused = false }: Props & { readonly signups: boolean }) {
  const [isNew, setNew] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (focused) place.current?.querySelector("input")?.focus();
  }, [focused]);
  const other = isNew ? "I already have an account" : "Create an account";
  return (
    <div class="dialog-body" ref={place}>
      <Form
        key={isNew}
        submit={isNew ? "Create account" : "Sign in"}
        onSubmit={async (values) => {
          const body = { username: textOf(values, "username"), password: textOf(values, "password") };
          await call("POST", isNew ? "/auth/signup" : "/auth/login", { body });
          onSignedIn();
        }}
      >
        {isNew ? <NewAccountFields /> : <SignInFields />}
      </Form>
      {signups && (
        <button type="button" class="button quiet" onClick={() => setNew(!isNew)}>
          {other}
        </button>
      )}
    </div>
  );
}

function SignInFields() {
  return (
    <>
      <Field label="Username" name="username" autocomplete="username" required />
      <Field label="Password" name="password" type="password" autocomplete="current-password" required />
    </>
  );
}

export function NewAccountFields() {
  return (
    <>
      <Field
        label="Username"
        name="username"
        autocomplete="username"
        hint="3 to 32 characters: a-z, 0-9 and -. Your drives' addresses start with it."
        required
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        hint={`At least ${PASSWORD_CHARACTERS.least} characters`}
        required
      />
    </>
  );
}
