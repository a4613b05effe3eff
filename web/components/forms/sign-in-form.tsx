import logInIcon from "lucide-static/icons/log-in.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PASSWORD_CHARACTERS } from "../../../src/domain/limits.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { SignInOptions } from "../../lib/api/types.ts";
import { shownPath } from "../../lib/browser/shown-address.ts";
import { rich, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Field, Form, textOf } from "./form.tsx";
import { Icon } from "../icon.tsx";

interface Props {
  readonly onSignedIn: () => void;
  /** Whether the page is for signing in only; then its first field gets the focus. */
  readonly focused?: boolean;
  /** Who was signed in until now, on a page that stays open meanwhile. */
  readonly again?: string | undefined;
}

/** Every sign-in method of this server. The provider sends the browser back to the current address. */
export function SignInForm(props: Props) {
  const { loaded, reload } = useLoad("options", (signal) =>
    call<SignInOptions>("GET", "/auth/options", { signal }),
  );
  switch (loaded.state) {
    case "loading":
      return <p class="soft">{t("Loading…")}</p>;
    case "failed":
      return <Failure error={loaded.error} retry={reload} />;
    case "ready":
      return <WaysIn {...props} options={loaded.value} />;
  }
}

function WaysIn({ options, ...props }: Props & { readonly options: SignInOptions }) {
  const { provider, setup } = options;
  const isAgain = props.again !== undefined;
  const signups = options.signups && !isAgain;
  if (provider === null) {
    return (
      <>
        {setup && !signups && <NoAdministrator />}
        <WithPassword {...props} signups={signups} />
      </>
    );
  }
  const returnTo = encodeURIComponent(shownPath() + location.search);
  return (
    <>
      {setup && <NoAdministrator />}
      <a
        class="button primary"
        href={`/auth/oidc/start?return_to=${returnTo}`}
        {...(isAgain ? { target: "_blank" } : {})}
      >
        <Icon svg={logInIcon} />{" "}
        {isAgain
          ? t("Sign in with {provider} in a new tab", { provider: provider.name })
          : t("Sign in with {provider}", { provider: provider.name })}
      </a>
      {isAgain && <p class="soft">{t("Come back to this tab once you have: it notices by itself.")}</p>}
      <details class="other-way">
        <summary>{t("Use a password instead")}</summary>
        <WithPassword {...props} signups={signups} focused={false} />
      </details>
    </>
  );
}

function NoAdministrator() {
  return (
    <div class="notice">
      <p>
        {rich(
          "This server has no administrator yet. To create the administrator account, open the setup link that the server printed when it started, or run {command} on the server.",
          { command: <code>coffer user create NAME</code> },
        )}
      </p>
    </div>
  );
}

function WithPassword({
  signups,
  onSignedIn,
  focused = false,
  again,
}: Props & { readonly signups: boolean }) {
  const [isNew, setNew] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fields = place.current?.querySelectorAll("input") ?? [];
    // Whoever was signed in has only the password to enter.
    if (again !== undefined) fields[1]?.focus();
    else if (focused) fields[0]?.focus();
  }, [focused, again]);
  const other = isNew ? t("I already have an account") : t("Create an account");
  return (
    <div class="dialog-body" ref={place}>
      <Form
        key={isNew}
        submit={isNew ? t("Create account") : t("Sign in")}
        onSubmit={async (values) => {
          const body = { username: textOf(values, "username"), password: textOf(values, "password") };
          await call("POST", isNew ? "/auth/signup" : "/auth/login", { body });
          onSignedIn();
        }}
      >
        {isNew ? <NewAccountFields /> : <SignInFields username={again} />}
      </Form>
      {signups && (
        <button type="button" class="button quiet" onClick={() => setNew(!isNew)}>
          {other}
        </button>
      )}
    </div>
  );
}

function SignInFields({ username = "" }: { readonly username?: string | undefined }) {
  return (
    <>
      <Field label={t("Username")} name="username" autocomplete="username" value={username} required />
      <Field label={t("Password")} name="password" type="password" autocomplete="current-password" required />
    </>
  );
}

export function NewAccountFields() {
  return (
    <>
      <Field
        label={t("Username")}
        name="username"
        autocomplete="username"
        hint={t("3 to 32 characters: a-z, 0-9 and -. Your drives' addresses start with it.")}
        required
      />
      <Field
        label={t("Password")}
        name="password"
        type="password"
        autocomplete="new-password"
        hint={t("At least {count} characters", { count: PASSWORD_CHARACTERS.least })}
        required
      />
    </>
  );
}
