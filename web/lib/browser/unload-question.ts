import { useLayoutEffect } from "preact/hooks";

/** Has the browser ask before the tab is closed or loaded again, as long as something would be lost. */
export function useUnloadQuestion(wouldLose: boolean): void {
  useLayoutEffect(() => {
    if (!wouldLose) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [wouldLose]);
}
