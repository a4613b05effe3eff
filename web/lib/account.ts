import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ApiError, call, SIGNED_OUT } from "./api.ts";
import { type Loaded, useLoad } from "./load.ts";
import type { Account } from "./types.ts";

const ACCOUNT = "/v0/account";

/** Where the tabs of a browser, which share its cookies, tell each other the id of who is signed in. */
const CHANNEL = "coffer:account";

/** Who is signed in, and how to ask again. */
export interface CurrentAccount {
  /** Null where nobody is signed in. */
  readonly loaded: Loaded<Account | null>;
  /** Whoever is signed in or was until the session ended by itself, and may come back to what is under way. */
  readonly last: Account | null;
  /** Asks again; what was known stays where there is no answer. */
  readonly reload: () => void;
  /** To be called after signing out: nobody is known until there is an answer. */
  readonly forget: () => void;
}

/** Who is signed in, kept up to date through sign-ins and sign-outs in any tab. */
export function useAccount(): CurrentAccount {
  const known = useRef<Account | null>(null);
  const last = useRef<Account | null>(null);
  const channel = useRef<BroadcastChannel | null>(null);
  const { loaded, reload } = useLoad("account", async (signal) => {
    try {
      known.current = await currentAccount(signal);
      last.current = known.current ?? last.current;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; a channel has our origin alone
      channel.current?.postMessage(idOf(known.current));
    } catch (error) {
      // Uploads and what is half typed outlive a moment without answers; what is done next says more.
      if (known.current === null || signal.aborted) throw error;
    }
    return known.current;
  });
  useLayoutEffect(() => {
    // The session may have been ended elsewhere. What `currentAccount` itself is told is no news.
    const look = (event: Event) => {
      if (event instanceof CustomEvent && event.detail !== ACCOUNT) reload();
    };
    addEventListener(SIGNED_OUT, look);
    return () => removeEventListener(SIGNED_OUT, look);
  }, [reload]);
  useOtherTabs(channel, loaded, reload);
  const forget = () => {
    known.current = null;
    last.current = null;
    reload();
  };
  return { loaded, last: last.current, reload, forget };
}

/** Whoever is signed in; null where nobody is. */
async function currentAccount(signal: AbortSignal): Promise<Account | null> {
  try {
    return (await call<{ data: Account }>("GET", ACCOUNT, { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/**
 * Each tab tells what it is answered, every time, and asks again when another was answered something else: one of
 * the two answers is old. A tab that shows one user's page while the cookie is another's would write into the
 * other's account.
 */
function useOtherTabs(
  channel: RefObject<BroadcastChannel | null>,
  loaded: Loaded<Account | null>,
  reload: () => void,
): void {
  const shown = useRef(loaded);
  shown.current = loaded;
  useLayoutEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    channel.current = opened;
    opened.addEventListener("message", ({ data }) => {
      const { current } = shown;
      if (current.state === "ready" && data !== idOf(current.value)) reload();
    });
    return () => opened.close();
  }, [channel, reload]);
}

function idOf(account: Account | null): string | null {
  return account?.id ?? null;
}
