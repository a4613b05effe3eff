import { useId, useState } from "preact/hooks";
import { Choice } from "../components/forms/choice.tsx";
import { Failure } from "../components/failure.tsx";
import { Form, textOf } from "../components/forms/form.tsx";
import { Name } from "../components/name.tsx";
import { OtherAccount } from "../components/shell/other-account.tsx";
import { Outside } from "../components/shell/outside.tsx";
import { SignInForm } from "../components/forms/sign-in-form.tsx";
import { say } from "../components/toast.tsx";
import { TurnedBack } from "../components/shell/turned-back.tsx";
import { type ApiError, asApiError, call } from "../lib/api/api.ts";
import { listDrives } from "../lib/drives.ts";
import { useLoad } from "../lib/api/load.ts";
import { plain } from "../lib/contents/overrides.ts";
import { abilitiesOf } from "../lib/words/abilities.ts";
import type { SignInReturn } from "../lib/api/sign-in-return.ts";
import type { Account, AuthorizationRequest, Drive } from "../lib/api/types.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { mark, type PlainMessage, rich, t } from "../lib/words/text.ts";

interface Props {
  /** The query of the address: `request`, or `problem` if there is nothing to decide. */
  readonly query: URLSearchParams;
  /** Null while nobody is signed in. */
  readonly account: Account | null;
  /** What became of a sign-in at the provider that was just tried. */
  readonly returned: SignInReturn | null;
  /** Reads again who is signed in. */
  readonly onAccountChange: () => void;
  /** Somebody signed out, so that another can sign in. */
  readonly onLeave: () => void;
}

/** Where a person lets an app in, signing in first if needed. */
export function Consent(props: Props) {
  const { query, account, returned, onAccountChange, onLeave } = props;
  const problem = query.get("problem");
  const request = query.get("request");
  if (problem !== null || request === null) {
    return (
      <Outside>
        <Problem problem={problem ?? ""} />
      </Outside>
    );
  }
  return (
    <Outside>
      {account === null ? (
        <>
          <header>
            <p class="soft">{t("An app asks for access to your drives")}</p>
            <h1>{t("Sign in to decide")}</h1>
          </header>
          {returned !== null && <TurnedBack {...returned} />}
          <SignInForm onSignedIn={onAccountChange} focused />
        </>
      ) : (
        <Decision key={account.id} id={request} account={account} onLeave={onLeave} />
      )}
    </Outside>
  );
}

interface DecisionProps {
  readonly id: string;
  readonly account: Account;
  readonly onLeave: () => void;
}

function Decision({ id, account, onLeave }: DecisionProps) {
  const address = `/v0/oauth/requests/${encodeURIComponent(id)}`;
  const [to, setTo] = useState<string | null>(null);
  const { loaded, reload } = useLoad(id, async (signal) => {
    const [{ data }, drives] = await Promise.all([
      call<{ data: AuthorizationRequest }>("GET", address, { signal }),
      listDrives(signal),
    ]);
    return { request: data, drives };
  });
  const decide = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const { data } = await call<{ data: { redirect_to: string } }>("POST", address, { body, headers });
    setTo(data.redirect_to);
    location.assign(data.redirect_to);
  };
  if (to !== null) return <Decided to={to} />;
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <NotDecidable error={loaded.error} retry={reload} />;
  const { request, drives } = loaded.value;
  return (
    <>
      <Asker request={request} account={account} />
      <div class="card-part">
        <Form
          submit={t("Allow")}
          onSubmit={(values, once) => {
            const drive = textOf(values, "drive_id");
            const limit = drive === "" ? {} : { drive_id: drive };
            return decide({ allow: true, scope: textOf(values, "scope"), ...limit }, once);
          }}
          onCancel={() => {
            decide({ allow: false }).catch((error: unknown) => say(asApiError(error).message));
          }}
        >
          <Terms scope={request.scope} drives={drives.filter(({ role }) => role === "owner")} />
        </Form>
        <OtherAccount onLeave={onLeave} />
      </div>
    </>
  );
}

/** Who asks, where the answer goes, and who is asked. */
function Asker({ request, account }: { readonly request: AuthorizationRequest; readonly account: Account }) {
  const { client_name: name, client_host: host, redirect } = request;
  return (
    <>
      <header>
        <p class="soft">{t("An app asks for access to your drives")}</p>
        <h1>
          <Name text={name} />
        </h1>
      </header>
      <dl class="facts">
        <dt>{t("Who asks")}</dt>
        <dd>
          {host === null
            ? t("Not verified: the app chose its name itself")
            : rich("{host} says that this is its app", { host: <strong>{host}</strong> })}
        </dd>
        <dt>{t("Answer goes to")}</dt>
        <dd>
          <Target {...redirect} />
        </dd>
        <dt>{t("You are")}</dt>
        <dd>{account.username}</dd>
      </dl>
      <div class="notice careful">
        <p>
          {redirect.kind === "site"
            ? t("Allow this only if you trust {site} and asked for it there just now.", {
                site: redirect.name,
              })
            : t("Allow this only if you started the app on this device just now.")}
        </p>
      </div>
    </>
  );
}

function Target({ kind, name }: AuthorizationRequest["redirect"]) {
  switch (kind) {
    case "site":
      return <strong>{name}</strong>;
    case "computer":
      return (
        <>
          <strong>{t("A program on this computer")}</strong> <span class="soft">({name})</span>
        </>
      );
    case "app":
      return (
        <>
          <strong>{t("An app on this device")}</strong>{" "}
          <span class="soft">{t("(the one for {scheme}: links)", { scheme: name })}</span>
        </>
      );
  }
}

interface TermsProps {
  readonly scope: AuthorizationRequest["scope"];
  readonly drives: readonly Drive[];
}

function Terms({ scope, drives }: TermsProps) {
  const reading = { value: "read-only", text: t("Only read") };
  const writing = { value: "read-write", text: t("Read, change and delete") };
  const [drive, setDrive] = useState("");
  const [allowed, setAllowed] = useState(scope);
  return (
    <>
      <Choice
        label={t("It gets access to")}
        name="drive_id"
        onChoose={setDrive}
        options={[
          { value: "", text: t("All my drives") },
          ...drives.map(({ id, name, slug }) => ({
            value: id,
            text: t("Only {name} ({slug})", { name: plain(name), slug: slug ?? id }),
          })),
        ]}
      />
      <Choice
        label={t("It may")}
        name="scope"
        value={scope}
        onChoose={(value) => setAllowed(value === "read-only" ? "read-only" : scope)}
        options={scope === "read-only" ? [reading] : [writing, reading]}
      />
      <Abilities of={abilitiesOf(allowed, drive === "" ? "account" : "drive")} />
    </>
  );
}

/** All that the app will be able to do, as it is chosen, and what none can, whatever is allowed: see `requireManaging`. */
function Abilities({ of }: { readonly of: readonly string[] }) {
  const heading = useId();
  return (
    <section class="abilities" aria-labelledby={heading}>
      <h2 id={heading}>{t("It will be able to")}</h2>
      <ul>
        {of.map((ability) => (
          <li key={ability}>{ability}</li>
        ))}
      </ul>
      <p class="soft">
        {t(
          "It cannot make or revoke other keys, see or end your sessions, set up webhooks, claim drives, share your drives with people, change your password, or let other apps in.",
        )}
        {sentenceSpace()}
        {t("You can end its access at any time on the page of keys.")}
      </p>
    </section>
  );
}

function Decided({ to }: { readonly to: string }) {
  return (
    <>
      <h1>{t("Back to the app")}</h1>
      <p>{t("If nothing happens, follow this link. Then you can close this page.")}</p>
      <a class="button primary" href={to}>
        {t("Back to the app")}
      </a>
    </>
  );
}

function NotDecidable({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status === 404) return <Problem problem="over" />;
  return (
    <>
      <h1>{t("Couldn't load the request")}</h1>
      <Failure error={error} retry={retry} />
    </>
  );
}

const OTHERWISE = [
  mark("This request cannot be used"),
  mark("Something is missing in it. Start again in the app."),
] as const;

/** Why there is nothing to decide, and what to do. Anybody can make an address, so that no other text is shown. */
const PROBLEMS: Readonly<Record<string, readonly [title: PlainMessage, text: PlainMessage]>> = {
  over: [
    mark("This request is over"),
    mark(
      "It was decided already, or nobody decided in time. Start again in the app if you still want to let it in.",
    ),
  ],
  client: [
    mark("This app is not known here"),
    mark(
      "It has to introduce itself again, or what it says about itself could not be read. Remove this server from the app and add it again. Nothing was sent to it.",
    ),
  ],
  redirect: [
    mark("This request is not safe"),
    mark(
      "The answer would go to an address that the app did not register. Nothing was sent there. If you did not start this yourself, close the page.",
    ),
  ],
  busy: [
    mark("Too many requests"),
    mark("Too many came from your address. Wait a few minutes, then start again in the app."),
  ],
};

function Problem({ problem }: { readonly problem: string }) {
  const [title, text] = PROBLEMS[problem] ?? OTHERWISE;
  return (
    <>
      <h1>{t(title)}</h1>
      <p>{t(text)}</p>
      <a class="button" href="/drives">
        {t("Go to your drives")}
      </a>
    </>
  );
}
