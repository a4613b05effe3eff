import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { type ApiError, asApiError } from "./api.ts";

/** Something that is being loaded, is there, or could not be had. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: ApiError };

/**
 * Loads what `load` gives, again whenever `key` changes or `reload` is called; the last value stays meanwhile.
 * Where the server asks to wait, it is loaded again once that is over.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
): { loaded: Loaded<T>; reload: () => void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  // Asked for at once, not after what is shown meanwhile has been painted.
  useLayoutEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setLoaded({ state: "ready", value });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setLoaded({ state: "failed", error: asApiError(error) });
      },
    );
    return () => abort.abort();
    // `load` is made anew at every rendering; what it loads is what `key` says.
  }, [key, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  useRetryInTime(loaded.state === "failed" ? loaded.error : null, reload);
  return { loaded, reload };
}

/** Calls `retry` once the time is over that the server asked to wait. */
export function useRetryInTime(error: ApiError | null, retry: () => void): void {
  useLayoutEffect(() => {
    if (error?.waitSeconds === undefined) return;
    const timer = setTimeout(retry, error.waitSeconds * 1000);
    return () => clearTimeout(timer);
  }, [error]);
}
