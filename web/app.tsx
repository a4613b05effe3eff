import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Failure } from "./components/failure.tsx";
import { later } from "./components/later.tsx";
import { Outside } from "./components/shell/outside.tsx";
import { Shell } from "./components/shell/shell.tsx";
import { ServerTrouble } from "./components/shell/trouble.tsx";
import { useOfflinePage } from "./components/shell/use-offline-page.ts";
import { SignInAgain } from "./components/shell/sign-in-again.tsx";
import { say, Toasts } from "./components/toast.tsx";
import { UploadsProvider } from "./components/upload/context.tsx";
import { type CurrentAccount, keepsVersions, useAccount } from "./lib/api/account.ts";
import { asApiError, call } from "./lib/api/api.ts";
import { navigate, type Place, usePlace } from "./lib/browser/router.tsx";
import { Visits } from "./lib/news.ts";
import { SessionContext } from "./lib/api/session.tsx";
import { type SignInReturn, takeSignInReturn } from "./lib/api/sign-in-return.ts";
import { isSharedPath } from "./lib/shared.ts";
import { placeName, titled, titleOf } from "./lib/browser/title.ts";
import { chooseLanguage, keptLanguage } from "./lib/words/language.ts";
import { shownLanguage, t } from "./lib/words/text.ts";
import { Account as AccountPage } from "./pages/account.tsx";
import { DrivePage } from "./pages/drive/drive-page.tsx";
import { Drives } from "./pages/drives.tsx";
import { Keys } from "./pages/keys.tsx";
import { Links } from "./pages/links.tsx";
import { NotFound } from "./components/shell/not-found.tsx";
import { Search } from "./pages/search.tsx";
import { Trash } from "./pages/trash.tsx";
import { SignIn } from "./pages/sign-in.tsx";

// What links show, to people who see nothing else of the dashboard.
const SharedThing = later(async () => (await import("./pages/shared.tsx")).SharedThing);

// Where people come once, or seldom.
const Claim = later(async () => (await import("./pages/claim.tsx")).Claim);
const Consent = later(async () => (await import("./pages/consent.tsx")).Consent);
const Setup = later(async () => (await import("./pages/setup.tsx")).Setup);
const Users = later(async () => (await import("./pages/users.tsx")).Users);
const Audit = later(async () => (await import("./pages/audit.tsx")).Audit);
const Server = later(async () => (await import("./pages/server.tsx")).Server);
const Activity = later(async () => (await import("./pages/activity.tsx")).Activity);
const Snapshots = later(async () => (await import("./pages/snapshots.tsx")).Snapshots);
const Members = later(async () => (await import("./pages/members.tsx")).Members);
const Webhooks = later(async () => (await import("./pages/webhooks.tsx")).Webhooks);

/** What the address of a claim page begins with, before the token. */
const CLAIM = "/claim/";

/** Where apps send people who are to let them in. */
const CONSENT = "/oauth/consent";

/** Where the link leads that the first start prints. */
const SETUP = "/auth/setup";

/** What an address shows: what a link leads to, or else the dashboard. */
export function App() {
  const place = usePlace();
  return (
    <>
      {isSharedPath(place.path) ? <SharedThing place={place} /> : <Dashboard />}
      <ServerTrouble />
    </>
  );
}

/** The whole dashboard: the page for the address and for whoever is signed in. */
function Dashboard() {
  // Before `usePlace` reads the address, from which this takes something away.
  const [returned, setReturned] = useState(takeFromAddress);
  const place = usePlace();
  const account = useAccount();
  const { loaded } = account;
  const userId = account.last?.id ?? "";
  const visits = useMemo(() => new Visits(userId), [userId]);
  const isSignedIn = loaded.state === "ready" && loaded.value !== null;
  useEffect(() => {
    if (isSignedIn) setReturned(null);
  }, [isSignedIn]);
  useOfflinePage(isSignedIn);
  const isOpen = [SETUP, CONSENT].includes(place.path) || place.path.startsWith(CLAIM);
  const asksToSignIn = loaded.state === "ready" && loaded.value === null && account.last === null && !isOpen;
  const language = shownLanguage();
  // Before a page's own effects, which may know a better name.
  useLayoutEffect(() => {
    document.title = asksToSignIn ? titled(t("Sign in")) : titleOf(place.path);
  }, [place.path, asksToSignIn, language, placeName.value]);
  const chosen = loaded.state === "ready" ? loaded.value?.language : undefined;
  useEffect(() => {
    if (chosen !== undefined && chosen !== keptLanguage()) void chooseLanguage(chosen);
  }, [chosen]);
  useEffect(() => {
    if (place.path === "/") navigate("/drives", { replace: true });
  }, [place.path]);
  return (
    <>
      {pageFor(place, account, visits, returned)}
      <Toasts />
    </>
  );
}

function pageFor(
  place: Place,
  { loaded, last, reload, forget }: CurrentAccount,
  visits: Visits,
  returned: SignInReturn | null,
): VNode {
  if (place.path === SETUP) {
    const begin = () => {
      navigate("/drives", { replace: true });
      reload();
    };
    return <Setup token={place.query.get("token") ?? ""} onSignedIn={begin} />;
  }
  if (loaded.state === "loading") return <main class="page soft">{t("Loading…")}</main>;
  if (loaded.state === "failed") {
    return (
      <Outside>
        <h1>{t("Coffer can't be opened right now")}</h1>
        <Failure error={loaded.error} retry={reload} />
      </Outside>
    );
  }
  const visitor = { account: loaded.value, returned, onAccountChange: reload, onLeave: forget };
  if (place.path.startsWith(CLAIM)) {
    const token = place.path.slice(CLAIM.length);
    return <Claim {...visitor} token={token} />;
  }
  if (place.path === CONSENT) {
    return <Consent {...visitor} query={place.query} />;
  }
  if (last === null) return <SignIn returned={returned} onSignedIn={reload} />;
  const signOut = async () => {
    try {
      await call("POST", "/auth/logout", { body: {} });
      forget();
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    // Nothing of one user's pages is left for another.
    <UploadsProvider
      key={last.id}
      asked={loaded}
      maxFileSize={last.limits.max_file_size}
      canUndo={keepsVersions(last)}
    >
      <SessionContext.Provider value={{ account: loaded.value ?? last, visits, refresh: reload, signOut }}>
        <Shell>{signedInPage(place)}</Shell>
      </SessionContext.Provider>
      {loaded.value === null && <SignInAgain username={last.username} onSignedIn={reload} onLeave={forget} />}
    </UploadsProvider>
  );
}

/** What became of a sign-in at the provider, taken out of the address that one came back to. */
function takeFromAddress(): SignInReturn | null {
  const url = new URL(location.href);
  const returned = takeSignInReturn(url);
  if (returned !== null) history.replaceState(history.state, "", url);
  return returned;
}

/** The page at a path, for somebody signed in. */
function signedInPage(place: Place): VNode {
  const { path } = place;
  const drive = place.query.get("drive") || null;
  if (path === "/" || path === "/drives") return <Drives />;
  if (path.startsWith("/drives/")) return <DrivePage place={place} />;
  if (path === "/links") return <Links key={drive ?? ""} driveId={drive} />;
  if (path === "/activity" && drive !== null)
    return <Activity key={drive} driveId={drive} query={place.query} />;
  if (path === "/members" && drive !== null) return <Members key={drive} driveId={drive} />;
  if (path === "/snapshots" && drive !== null) {
    return <Snapshots key={drive} driveId={drive} query={place.query} />;
  }
  if (path === "/search") return <Search />;
  if (path === "/keys") return <Keys />;
  if (path === "/webhooks") return <Webhooks driveId={drive} query={place.query} />;
  if (path === "/trash") return <Trash key={drive ?? ""} driveId={drive} />;
  if (path === "/account") return <AccountPage />;
  if (path === "/users") return <Users find={place.query.get("find") ?? ""} />;
  if (path === "/server") return <Server />;
  if (path === "/audit") return <Audit query={place.query} />;
  return <NotFound />;
}
