import { useId, useState } from "preact/hooks";
import { abilitiesOf, NO_APPLICATION } from "../../src/domain/oauth/consent.ts";
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
import type { SignInReturn } from "../lib/api/sign-in-return.ts";
import type { Account, AuthorizationRequest, Drive } from "../lib/api/types.ts";

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
            <p class="soft">An app asks for access to your drives</p>
            <h1>Sign in to decide</h1>
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
  if (loaded.state === "loading") return <p class="soft">Loading…</p>;
  if (loaded.state === "failed") return <NotDecidable error={loaded.error} retry={reload} />;
  const { request, drives } = loaded.value;
  return (
    <>
      <Asker request={request} account={account} />
      <div class="card-part">
        <Form
          submit="Allow"
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
        <p class="soft">An app asks for access to your drives</p>
        <h1>
          <Name text={name} />
        </h1>
      </header>
      <dl class="facts">
        <dt>Who asks</dt>
        <dd>
          {host === null ? (
            "Not verified: the app chose its name itself"
          ) : (
            <>
              <strong>{host}</strong> says that this is its app
            </>
          )}
        </dd>
        <dt>Answer goes to</dt>
        <dd>
          <Target {...redirect} />
        </dd>
        <dt>You are</dt>
        <dd>{account.username}</dd>
      </dl>
      <div class="notice careful">
        <p>
          {redirect.kind === "site"
            ? `Allow this only if you trust ${redirect.name} and asked for it there just now.`
            : "Allow this only if you started the app on this device just now."}
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
          <strong>A program on this computer</strong> <span class="soft">({name})</span>
        </>
      );
    case "app":
      return (
        <>
          <strong>An app on this device</strong> <span class="soft">(the one for {name}: links)</span>
        </>
      );
  }
}

interface TermsProps {
  readonly scope: AuthorizationRequest["scope"];
  readonly drives: readonly Drive[];
}

function Terms({ scope, drives }: TermsProps) {
  const reading = { value: "read-only", text: "Only read" };
  const writing = { value: "read-write", text: "Read, change and delete" };
  const [drive, setDrive] = useState("");
  const [allowed, setAllowed] = useState(scope);
  return (
    <>
      <Choice
        label="It gets access to"
        name="drive_id"
        onChoose={setDrive}
        options={[
          { value: "", text: "All my drives" },
          ...drives.map(({ id, name, slug }) => ({ value: id, text: `Only ${plain(name)} (${slug ?? id})` })),
        ]}
      />
      <Choice
        label="It may"
        name="scope"
        value={scope}
        onChoose={(value) => setAllowed(value === "read-only" ? "read-only" : scope)}
        options={scope === "read-only" ? [reading] : [writing, reading]}
      />
      <Abilities of={abilitiesOf(allowed, drive === "" ? "account" : "drive")} />
    </>
  );
}

/** All that the app will be able to do, as it is chosen. */
function Abilities({ of }: { readonly of: readonly string[] }) {
  const heading = useId();
  return (
    <section class="abilities" aria-labelledby={heading}>
      <h2 id={heading}>It will be able to</h2>
      <ul>
        {of.map((ability) => (
          <li key={ability}>{ability}</li>
        ))}
      </ul>
      <p class="soft">{NO_APPLICATION} You can end its access at any time on the page of keys.</p>
    </section>
  );
}

function Decided({ to }: { readonly to: string }) {
  return (
    <>
      <h1>Back to the app</h1>
      <p>If nothing happens, follow this link. Then you can close this page.</p>
      <a class="button primary" href={to}>
        Back to the app
      </a>
    </>
  );
}

function NotDecidable({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status === 404) return <Problem problem="over" />;
  return (
    <>
      <h1>Couldn't load the request</h1>
      <Failure error={error} retry={retry} />
    </>
  );
}

const OTHERWISE = [
  "This request cannot be used",
  "Something is missing in it. Start again in the app.",
] as const;

/** Why there is nothing to decide, and what to do. Anybody can make an address, so that no other text is shown. */
const PROBLEMS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  over: [
    "This request is over",
    "It was decided already, or nobody decided in time. Start again in the app if you still want to let it in.",
  ],
  client: [
    "This app is not known here",
    "It has to introduce itself again, or what it says about itself could not be read. Remove this server from the app and add it again. Nothing was sent to it.",
  ],
  redirect: [
    "This request is not safe",
    "The answer would go to an address that the app did not register. Nothing was sent there. If you did not start this yourself, close the page.",
  ],
  busy: [
    "Too many requests",
    "Too many came from your address. Wait a few minutes, then start again in the app.",
  ],
};

function Problem({ problem }: { readonly problem: string }) {
  const [title, text] = PROBLEMS[problem] ?? OTHERWISE;
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <a class="button" href="/drives">
        Go to your drives
      </a>
    </>
  );
}
