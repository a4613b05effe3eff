import { useEffect, useRef } from "preact/hooks";
import { onceInSight } from "../browser/in-sight.ts";
import type { Loaded } from "./load.ts";

const LOOK_MS = { first: 1000, most: 20_000 };
/** So much longer it is waited each time that there was no news. */
const LONGER = 1.5;

/** Loads again, while the page is in sight, what no feed tells of: soon after there was news, then less and less often. */
export function useLooks<T>(loaded: Loaded<T>, reload: () => void): void {
  const last = useRef({ shown: "", waitMs: 0 });
  useEffect(() => {
    if (loaded.state !== "ready") return;
    const shown = JSON.stringify(loaded.value);
    const isNews = shown !== last.current.shown;
    const waitMs = isNews ? LOOK_MS.first : Math.min(last.current.waitMs * LONGER, LOOK_MS.most);
    last.current = { shown, waitMs };
    return onceInSight(waitMs, reload);
  }, [loaded, reload]);
}
