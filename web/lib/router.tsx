import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Where the browser is: the path, decoded nowhere, and the query. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const CHANGED = "coffer:navigated";

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Goes to a path of ours; `replace` leaves no entry in the history. */
export function navigate(to: string, { replace = false } = {}): void {
  // The place one is at already is no new one to come back from.
  if (replace || to === location.pathname + location.search) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  dispatchEvent(new Event(CHANGED));
}

/** The place, kept up to date through links, back and forward. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  // In the same turn as the first rendering: what happens in between would go unnoticed.
  useLayoutEffect(() => {
    const update = () => setPlace(here());
    addEventListener("popstate", update);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(CHANGED, update);
    };
  }, []);
  return place;
}

interface LinkProps {
  /** A path of ours, with its query. */
  readonly to: string;
  readonly class?: string;
  readonly "aria-current"?: "page" | undefined;
  readonly "aria-label"?: string;
  readonly children: ComponentChildren;
}

/** A link within the dashboard: opens in place, in a new tab where the person asks for one. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
