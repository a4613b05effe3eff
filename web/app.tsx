import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure } from "./components/failure.tsx";
import { Shell } from "./components/shell.tsx";
import { say, Toasts } from "./components/toast.tsx";
import { UploadsProvider } from "./components/upload/context.tsx";
import { type CurrentAccount, useAccount } from "./lib/account.ts";
import { call } from "./lib/api.ts";
import { asApiError } from "./lib/load.ts";
import { navigate, type Place, usePlace } from "./lib/router.tsx";
import { SessionContext } from "./lib/session.tsx";
import { type SignInReturn, takeSignInReturn } from "./lib/sign-in-return.ts";
import { SIGN_IN_TITLE, titleOf } from "./lib/title.ts";
import { Account as AccountPage } from "./pages/account.tsx";
import { Claim } from "./pages/claim.tsx";
import { DrivePage } from "./pages/drive/drive-page.tsx";
import { Drives } from "./pages/drives.tsx";
import { Keys } from "./pages/keys.tsx";
import { NotFound } from "./pages/not-found.tsx";
import { People } from "./pages/people.tsx";
import { Search } from "./pages/search.tsx";
import { Setup } from "./pages/setup.tsx";
import { SignIn } from "./pages/sign-in.tsx";

/** What the address of a claim page begins with, before the token. */
const CLAIM = "/claim/";

/** Where the link leads that the first start prints. */
const SETUP = "/auth/setup";

export function App() {
  // Before the place is read, which is to be without it.
  const [returned, setReturned] = useState(takeFromAddress);
  const place = usePlace();
  const account = useAccount();
  const { loaded } = account;
  const isSignedIn = loaded.state === "ready" && loaded.value !== null;
  useEffect(() => {
    if (isSignedIn) setReturned(null);
  }, [isSignedIn]);
  const isOpen = place.path === SETUP || place.path.startsWith(CLAIM);
  const asksToSignIn = loaded.state === "ready" && loaded.value === null && !isOpen;
  useEffect(() => {
    document.title = asksToSignIn ? SIGN_IN_TITLE : titleOf(place.path);
  }, [place.path, asksToSignIn]);
  useEffect(() => {
    if (place.path === "/") navigate("/drives", { replace: true });
  }, [place.path]);
  return (
    <>
      {pageFor(place, account, returned)}
      <Toasts />
    </>
  );
}

function pageFor(
  place: Place,
  { loaded, reload, forget }: CurrentAccount,
  returned: SignInReturn | null,
): VNode {
  if (place.path === SETUP) {
    const begin = () => {
      navigate("/drives", { replace: true });
      reload();
    };
    return <Setup token={place.query.get("token") ?? ""} onSignedIn={begin} />;
  }
  if (loaded.state === "loading") return <main class="page soft">Loading…</main>;
  if (loaded.state === "failed") {
    return (
      <main class="page" tabIndex={-1}>
        <h1>Coffer cannot be reached</h1>
        <Failure error={loaded.error} retry={reload} />
      </main>
    );
  }
  if (place.path.startsWith(CLAIM)) {
    const token = place.path.slice(CLAIM.length);
    return <Claim token={token} account={loaded.value} returned={returned} onAccountChange={reload} />;
  }
  if (loaded.value === null) return <SignIn returned={returned} onSignedIn={reload} />;
  const signOut = async () => {
    try {
      await call("POST", "/auth/logout", { body: {} });
      forget();
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    // Nothing of one person's pages is left for another.
    <SessionContext.Provider
      key={loaded.value.id}
      value={{ account: loaded.value, refresh: reload, signOut }}
    >
      <UploadsProvider>
        <Shell>{signedInPage(place)}</Shell>
      </UploadsProvider>
    </SessionContext.Provider>
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
  if (path === "/" || path === "/drives") return <Drives />;
  if (path.startsWith("/drives/")) return <DrivePage place={place} />;
  if (path === "/search") return <Search />;
  if (path === "/keys") return <Keys />;
  if (path === "/account") return <AccountPage />;
  if (path === "/people") return <People />;
  return <NotFound />;
}
