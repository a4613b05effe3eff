import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { forgetDrafts } from "../browser/drafts-database.ts";
import { ACCOUNT, ApiError, call, SIGNED_OUT } from "./api.ts";
import { endedSession } from "./ended-session.ts";
import { type Loaded, useLoad } from "./load.ts";
import type { Account } from "./types.ts";

/** The channel on which the tabs of a browser, which share a session, tell each other who is signed in. */
const CHANNEL = "coffer:account";
/** Told there by the tab in which somebody signs out. */
const LEFT = { left: true } as const;

/** Who is signed in, and how to ask again. */
export interface CurrentAccount {
  /** Null where nobody is signed in. */
  readonly loaded: Loaded<Account | null>;
  /** The last user known, even after the session ended by itself: the page waits for them to sign in again. */
  readonly last: Account | null;
  /** Asks again. If there is no answer, what was known stays. */
  readonly reload: () => void;
  /** To be called after signing out; forgets the user, with what is kept of their texts, and asks again. */
  readonly forget: () => void;
}

/** Whether the server keeps what files held before they were replaced. */
export function keepsVersions({ limits }: Account): boolean {
  return limits.keep_days > 0 && limits.keep_versions > 0;
}

/** Who is signed in; follows sign-ins and sign-outs in every tab. */
export function useAccount(): CurrentAccount {
  const known = useRef<Account | null>(null);
  const last = useRef<Account | null>(null);
  const channel = useRef<BroadcastChannel | null>(null);
  const { loaded, reload } = useLoad("account", async (signal) => {
    try {
      known.current = await currentAccount(signal);
      if (known.current !== null) noteSignedIn(known.current, last.current);
      last.current = known.current ?? last.current;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; a channel has our origin alone
      channel.current?.postMessage(idOf(known.current));
    } catch (error) {
      // A failure must not unmount the page, with its uploads and half-filled forms. The next request tells.
      if (known.current === null || signal.aborted) throw error;
      endedSession.resume();
    }
    return known.current;
  });
  useLayoutEffect(() => {
    // The session may have been ended elsewhere. A 401 for `currentAccount` itself is no news.
    const look = (event: Event) => {
      if (event instanceof CustomEvent && event.detail !== ACCOUNT) reload();
    };
    addEventListener(SIGNED_OUT, look);
    return () => removeEventListener(SIGNED_OUT, look);
  }, [reload]);
  const leave = () => {
    known.current = null;
    last.current = null;
    endedSession.leave();
    reload();
  };
  useOtherTabs(channel, loaded, { reload, leave });
  const forget = () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as above
    channel.current?.postMessage(LEFT);
    forgetDrafts();
    leave();
  };
  return { loaded, last: last.current, reload, forget };
}

/** What waits for the last user goes on if this is the same one. */
function noteSignedIn({ id }: Account, last: Account | null): void {
  if (last !== null && last.id !== id) endedSession.leave();
  endedSession.resume();
  endedSession.begin();
}

/** The signed-in user; null where there is none. */
async function currentAccount(signal: AbortSignal): Promise<Account | null> {
  try {
    return (await call<{ data: Account }>("GET", ACCOUNT, { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/**
 * Each tab announces every answer it gets, and asks again when another tab announces a different one, as one of them
 * is out of date. Otherwise a tab could show one user's page while the cookie is another's, and write into that
 * user's account.
 */
function useOtherTabs(
  channel: RefObject<BroadcastChannel | null>,
  loaded: Loaded<Account | null>,
  then: { readonly reload: () => void; readonly leave: () => void },
): void {
  const shown = useRef(loaded);
  shown.current = loaded;
  const told = useRef(then);
  told.current = then;
  useLayoutEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    channel.current = opened;
    opened.addEventListener("message", ({ data }) => {
      const { current } = shown;
      if (isLeft(data)) told.current.leave();
      else if (current.state === "ready" && data !== idOf(current.value)) told.current.reload();
    });
    return () => opened.close();
  }, [channel]);
}

function idOf(account: Account | null): string | null {
  return account?.id ?? null;
}

function isLeft(data: unknown): boolean {
  return typeof data === "object" && data !== null && "left" in data;
}
