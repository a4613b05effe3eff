import { useLayoutEffect } from "preact/hooks";

/**
 * Calls `onReturn`, always the same, when the person comes back to the page: meanwhile others may have been at work.
 */
export function useReturns(onReturn: () => void): void {
  useLayoutEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") onReturn();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [onReturn]);
}
