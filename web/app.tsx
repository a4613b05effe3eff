import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Failure } from "./components/failure.tsx";
import { Shell } from "./components/shell.tsx";
import { say, Toasts } from "./components/toast.tsx";
import { UploadsProvider } from "./components/upload/context.tsx";
import { ApiError, call, SIGNED_OUT } from "./lib/api.ts";
import { asApiError, useLoad } from "./lib/load.ts";
import { navigate, type Place, usePlace } from "./lib/router.tsx";
import { SessionContext } from "./lib/session.tsx";
import { titleOf } from "./lib/title.ts";
import type { Account } from "./lib/types.ts";
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

const ACCOUNT = "/v0/account";

/** Whoever is signed in; null where nobody is. */
async function currentAccount(signal: AbortSignal): Promise<Account | null> {
  try {
    return (await call<{ data: Account }>("GET", ACCOUNT, { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export function App() {
  const place = usePlace();
  const { loaded, reload } = useLoad("account", currentAccount);
  useEffect(() => {
    // The session may have been ended elsewhere. What `currentAccount` itself is told is no news.
    const look = (event: Event) => {
      if (event instanceof CustomEvent && event.detail !== ACCOUNT) reload();
    };
    addEventListener(SIGNED_OUT, look);
    return () => removeEventListener(SIGNED_OUT, look);
  }, [reload]);
  useEffect(() => {
    document.title = titleOf(place.path);
  }, [place.path]);
  useEffect(() => {
    if (place.path === "/") navigate("/drives", { replace: true });
  }, [place.path]);
  return (
    <>
      {pageFor(place, loaded, reload)}
      <Toasts />
    </>
  );
}

function pageFor(
  place: Place,
  loaded: ReturnType<typeof useLoad<Account | null>>["loaded"],
  reload: () => void,
): VNode {
  if (place.path === "/auth/setup") {
    const begin = () => {
      navigate("/drives", { replace: true });
      reload();
    };
    return <Setup token={place.query.get("token") ?? ""} onSignedIn={begin} />;
  }
  if (loaded.state === "loading") return <main class="page soft">Loading…</main>;
  if (loaded.state === "failed") {
    return (
      <main class="page">
        <Failure error={loaded.error} retry={reload} />
      </main>
    );
  }
  if (place.path.startsWith(CLAIM)) {
    const token = place.path.slice(CLAIM.length);
    return <Claim token={token} account={loaded.value} onAccountChange={reload} />;
  }
  if (loaded.value === null) return <SignIn onSignedIn={reload} />;
  const signOut = async () => {
    try {
      await call("POST", "/auth/logout", { body: {} });
      reload();
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    <SessionContext.Provider value={{ account: loaded.value, refresh: reload, signOut }}>
      <UploadsProvider>
        <Shell>{signedInPage(place)}</Shell>
      </UploadsProvider>
    </SessionContext.Provider>
  );
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
