import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { type ApiError, asApiError } from "./api.ts";

/** Something that is being loaded, is there, or could not be had. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: ApiError };

/**
 * Loads what `load` gives, again whenever `key` changes or `reload` is called; the last value stays meanwhile.
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
  return { loaded, reload };
}
