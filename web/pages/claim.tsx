import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { CONNECT } from "../components/connect.tsx";
import { Failure } from "../components/failure.tsx";
import { Form } from "../components/forms/form.tsx";
import { Name } from "../components/name.tsx";
import { OtherAccount } from "../components/shell/other-account.tsx";
import { Outside } from "../components/shell/outside.tsx";
import { SignInForm } from "../components/forms/sign-in-form.tsx";
import { TurnedBack } from "../components/shell/turned-back.tsx";
import { type ApiError, call } from "../lib/api/api.ts";
import { folderAddress } from "../lib/files/place.ts";
import { formatBytes, formatRelative, formatTime } from "../lib/words/format.ts";
import { useLoad } from "../lib/api/load.ts";
import { navigate } from "../lib/browser/router.tsx";
import type { SignInReturn } from "../lib/api/sign-in-return.ts";
import type { Account, Claimable, Drive } from "../lib/api/types.ts";
import { mark, type PlainMessage, plural, rich, t } from "../lib/words/text.ts";

interface Props {
  /** As it stands in the address, percent-encoded. */
  readonly token: string;
  /** Null while nobody is signed in. */
  readonly account: Account | null;
  /** What became of a sign-in at the provider that was just tried. */
  readonly returned: SignInReturn | null;
  /** Reads again who is signed in. */
  readonly onAccountChange: () => void;
  /** Somebody signed out, so that another can sign in. */
  readonly onLeave: () => void;
}

/** Where a human claims the drive of their agent, signing in first if needed. */
export function Claim(props: Props) {
  const { loaded, reload } = useLoad(props.token, async (signal) => {
    const { data } = await call<{ data: Claimable }>("GET", `/v0/drives/claim/${props.token}`, { signal });
    return data;
  });
  return (
    <Outside>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <NotClaimable error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <Offer {...props} drive={loaded.value} />}
    </Outside>
  );
}

function Offer(props: Props & { readonly drive: Claimable }) {
  const { drive, account, returned, onAccountChange } = props;
  const [claimed, setClaimed] = useState<Drive | null>(null);
  if (claimed !== null) return <Claimed drive={claimed} />;
  return (
    <>
      <header>
        <p class="soft">{t("An agent created this drive for you")}</p>
        <h1>
          <Name text={drive.name} />
        </h1>
      </header>
      <Facts drive={drive} />
      {account === null ? (
        <section class="card-part">
          <h2>{t("Sign in to claim it")}</h2>
          {returned !== null && <TurnedBack {...returned} />}
          <SignInForm onSignedIn={onAccountChange} />
        </section>
      ) : (
        <ClaimForm {...props} account={account} onClaimed={setClaimed} />
      )}
    </>
  );
}

function Facts({ drive }: { readonly drive: Claimable }) {
  return (
    <dl class="facts">
      <dt>{t("Contents")}</dt>
      <dd>
        {plural(drive.file_count, "{count} file, {size}", "{count} files, {size}", {
          size: formatBytes(drive.total_size),
        })}
      </dd>
      <dt>{t("Created")}</dt>
      <dd>{formatTime(drive.created_at)}</dd>
      {drive.expires_at !== null && (
        <>
          <dt>{t("Expires unless claimed")}</dt>
          <dd>
            {formatRelative(drive.expires_at)}
            <span class="soft"> ({formatTime(drive.expires_at)})</span>
          </dd>
        </>
      )}
    </dl>
  );
}

interface ClaimFormProps extends Props {
  readonly account: Account;
  readonly onClaimed: (drive: Drive) => void;
}

function ClaimForm({ token, account, onAccountChange, onLeave, onClaimed }: ClaimFormProps) {
  const place = useRef<HTMLDivElement>(null);
  // Whoever has just signed in finds the focus where they go on.
  useLayoutEffect(() => place.current?.querySelector("button")?.focus(), []);
  const claim = async () => {
    const body = { token: decodeURIComponent(token) };
    const { data } = await call<{ data: Drive }>("POST", "/v0/drives/claim", { body });
    onAccountChange();
    onClaimed(data);
  };
  return (
    <div class="card-part" ref={place}>
      <Form submit={t("Claim this drive")} onSubmit={claim}>
        <p>
          {rich("It will permanently belong to {name}. The agent keeps its access.", {
            name: <strong>{account.username}</strong>,
          })}
        </p>
      </Form>
      <OtherAccount onLeave={onLeave} />
    </div>
  );
}

/** What to do with a drive that was just claimed. */
function Claimed({ drive }: { readonly drive: Drive }) {
  const open = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => open.current?.focus(), []);
  // The token stays behind, in no entry of the history.
  const go = (query: string) =>
    navigate(folderAddress(drive.slug ?? drive.id, "") + query, { replace: true });
  return (
    <>
      <h1 id="claimed">{rich("{name} is now yours", { name: <Name text={drive.name} /> })}</h1>
      <p>{t("The agent that created it keeps its access. You can connect others as well.")}</p>
      <div class="row">
        <button
          ref={open}
          type="button"
          class="button primary"
          aria-describedby="claimed"
          onClick={() => go("")}
        >
          {t("Open the drive")}
        </button>
        <button type="button" class="button" onClick={() => go(CONNECT)}>
          {t("Connect another agent")}
        </button>
      </div>
    </>
  );
}

/** Why a link cannot be used and what to do, by HTTP status. */
const EXPLANATIONS: Readonly<Record<number, readonly [title: PlainMessage, text: PlainMessage]>> = {
  404: [
    mark("This link is not valid"),
    mark(
      "It may have been cut off when it was copied, or the drive was deleted. Ask your agent for the link again.",
    ),
  ],
  409: [
    mark("This drive was already claimed"),
    mark(
      "The link works once. If you claimed it, the drive is in your list; if not, ask your agent who else had the link.",
    ),
  ],
  410: [
    mark("This drive has expired"),
    mark(
      "Nobody claimed it in time, so it was deleted with everything in it. Your agent can create a new one and give you its link.",
    ),
  ],
};

function NotClaimable({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  const explanation = EXPLANATIONS[error.status];
  if (explanation === undefined) {
    return (
      <>
        <h1>{t("Couldn't load the drive")}</h1>
        <Failure error={error} retry={retry} />
      </>
    );
  }
  const [title, text] = explanation;
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
