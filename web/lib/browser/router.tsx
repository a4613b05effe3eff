import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { inBrowser } from "./base-path.ts";
import { enterEntry, keptScroll, leaveEntry, newEntry, storeKept } from "./kept.ts";
import { scrollBack, stayHere } from "./scroll-back.ts";
import { ignoreSecondClick } from "./second-click.ts";
import { shownPath } from "./shown-address.ts";

/** Where the browser is: the path as `shownPath` has it, decoded nowhere, and the query. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether one came here within the dashboard, rather than by loading it. */
  readonly isReached: boolean;
}

const CHANGED = "coffer:navigated";

let isReached = false;

/** Who is asked before one leaves, and where they are; null for nobody. */
let guard: { readonly ask: (go: () => void) => void; readonly entry: unknown; readonly at: string } | null =
  null;

// Every page is loaded after it is shown, so the browser would scroll back too early.
history.scrollRestoration = "manual";
scrollBack(keptScroll());
addEventListener("popstate", () => {
  if (guard !== null) {
    // One is there once more, until it is decided.
    history.pushState(guard.entry, "", guard.at);
    guard.ask(() => history.back());
    return;
  }
  leaveEntry(scrollY);
  enterEntry();
  arrive();
  scrollBack(keptScroll());
});
addEventListener("pagehide", () => {
  leaveEntry(scrollY);
  storeKept();
});

function here(): Place {
  return { path: shownPath(), query: new URLSearchParams(location.search), isReached };
}

function arrive(): void {
  isReached = true;
  stayHere();
  ignoreSecondClick();
  dispatchEvent(new Event(CHANGED));
}

/**
 * From now on, whoever leaves the place is asked first: `ask` gets what leads on, to be called once the returned
 * function has ended this.
 */
export function askBeforeLeaving(ask: (go: () => void) => void): () => void {
  const mine = { ask, entry: history.state, at: location.href };
  guard = mine;
  return () => {
    if (guard === mine) guard = null;
  };
}

/** Leaves what is shown by `go`, once that is agreed to. */
export function leave(go: () => void): void {
  if (guard === null) go();
  else guard.ask(go);
}

interface Leaving {
  /** Leaves no entry in the history. */
  readonly replace?: boolean;
  /** How far down whoever comes back finds this page, where that is not as far as it is now. */
  readonly scroll?: number;
}

/** Goes to a path of ours. Another page begins at its top. */
export function navigate(to: string, leaving: Leaving = {}): void {
  leave(() => goTo(to, leaving));
}

function goTo(to: string, { replace = false, scroll = scrollY }: Leaving): void {
  leaveEntry(scroll);
  const from = location.pathname;
  const address = inBrowser(to);
  // The place one is at already is no new one to come back from.
  if (address === from + location.search) history.replaceState(history.state, "", address);
  else if (replace) history.replaceState(newEntry(), "", address);
  else history.pushState(newEntry(), "", address);
  enterEntry();
  if (location.pathname !== from) scrollTo(0, 0);
  arrive();
}

/**
 * Gives the place that one is at another address of ours, by which it goes now: what is kept of it stays, and
 * so does the page. The heading that one came to stays in it, unless it names another.
 */
export function readdress(to: string): void {
  history.replaceState(history.state, "", inBrowser(to) + (to.includes("#") ? "" : location.hash));
  dispatchEvent(new Event(CHANGED));
}

/** The place, kept up to date through links, back and forward. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  // In the same turn as the first rendering: what happens in between would go unnoticed.
  useLayoutEffect(() => {
    const update = () => setPlace(here());
    addEventListener(CHANGED, update);
    return () => removeEventListener(CHANGED, update);
  }, []);
  return place;
}

interface LinkProps {
  /** A path of ours, with its query. */
  readonly to: string;
  readonly class?: string;
  readonly "aria-current"?: "page" | undefined;
  readonly "aria-label"?: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** Whether a click on a link is to open it in place, rather than in a new tab or window. */
export function opensInPlace(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

/** A link within the dashboard: opens in place, in a new tab where the person asks for one. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (!opensInPlace(event)) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
