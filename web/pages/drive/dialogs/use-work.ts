import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../lib/api.ts";
import type { Left, Progress, Work } from "../../../lib/files/steps.ts";
import { asApiError } from "../../../lib/load.ts";

/** A long piece of work, as a dialog shows it. */
export type WorkState =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly progress: Progress }
  | { readonly state: "ended"; readonly left: readonly Left[]; readonly stopped: boolean }
  | { readonly state: "failed"; readonly error: ApiError };

interface WorkEnds {
  readonly onSuccess: () => void;
  /** Called, also after the component went, where it was stopped, refused in part, or failed. */
  readonly onUncertain: () => void;
}

/** Runs work once it is started; it stops when the component goes. */
export function useWork(run: (work: Work) => Promise<Left[]>, { onSuccess, onUncertain }: WorkEnds) {
  const [work, setWork] = useState<WorkState>({ state: "idle" });
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const perform = async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      const onProgress = (progress: Progress) => setWork({ state: "running", progress });
      const left = await run({ onProgress, signal });
      if (left.length === 0 && !signal.aborted) return onSuccess();
      setWork({ state: "ended", left, stopped: signal.aborted });
    } catch (error) {
      if (signal.aborted) setWork({ state: "ended", left: [], stopped: true });
      else setWork({ state: "failed", error: asApiError(error) });
    }
    onUncertain();
  };
  return {
    work,
    start: () => void perform(),
    stop: () => abort.current.abort(),
    /** Leaves what became of it behind: it is to be started in another way. */
    reset: () => setWork({ state: "idle" }),
  };
}
