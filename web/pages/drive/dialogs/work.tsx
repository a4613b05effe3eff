import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../../../components/failure.tsx";
import { Name } from "../../../components/name.tsx";
import { type ApiError, asApiError } from "../../../lib/api.ts";
import type { Left, Progress, Work } from "../../../lib/files/steps.ts";
import { formatCount } from "../../../lib/format.ts";

/** Problems named one by one; the rest are counted. */
const NAMED = 20;

/** A long piece of work, as a dialog shows it. */
type WorkState =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly progress: Progress }
  | { readonly state: "ended"; readonly left: readonly Left[]; readonly stopped: boolean }
  | { readonly state: "failed"; readonly error: ApiError };

/** Runs work once it is started; it stops when the component goes. */
export function useWork(run: (work: Work) => Promise<Left[]>, onSuccess: () => void) {
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
  };
  return {
    work,
    start: () => void perform(),
    stop: () => abort.current.abort(),
    /** Leaves what became of it behind: it is to be started in another way. */
    reset: () => setWork({ state: "idle" }),
  };
}

interface WorkReportProps {
  readonly work: WorkState;
  /** What the work does, as in "2 items couldn't be moved". */
  readonly done: "deleted" | "moved" | "copied";
  readonly onStop: () => void;
  /** Another way to go on with what it left undone. */
  readonly again?: { readonly name: string; readonly onChoose: () => void } | undefined;
  readonly onClose: () => void;
}

/** How far the work is, and what it left undone. Nothing before it starts. */
export function WorkReport({ work, done, onStop, again, onClose }: WorkReportProps) {
  switch (work.state) {
    case "idle":
      return null;
    case "failed":
      return <Failure error={work.error} />;
    case "running":
      return (
        <div class="dialog-body" role="status">
          <progress aria-label="Progress" value={work.progress.done} max={work.progress.of} />
          <p class="soft">
            {work.progress.pause !== null && `Paused for ${work.progress.pause} s (rate limit). `}
            {work.progress.done.toLocaleString()} of {work.progress.of.toLocaleString()}
          </p>
          <div class="row">
            <button type="button" class="button" onClick={onStop}>
              Stop
            </button>
          </div>
        </div>
      );
    case "ended":
      return <Ended work={work} done={done} again={again} onClose={onClose} />;
  }
}

interface EndedProps extends Pick<WorkReportProps, "done"> {
  readonly work: Extract<WorkState, { state: "ended" }>;
  readonly again: WorkReportProps["again"];
  readonly onClose: () => void;
}

function Ended({ work, done, again, onClose }: EndedProps) {
  const { left, stopped } = work;
  return (
    <div class="dialog-body" role="alert">
      {stopped && <p>Stopped. What was already done is not undone.</p>}
      {left.length > 0 && (
        <div class="notice bad">
          <p>
            {formatCount(left.length, "item")} couldn't be {done}:
          </p>
          <ul class="left">
            {left.slice(0, NAMED).map(({ path, error }) => (
              <li key={path}>
                <Name text={path} />: {error.message}
                {error.requestId !== undefined && <small class="soft"> Request {error.requestId}</small>}
              </li>
            ))}
          </ul>
          {left.length > NAMED && <p>and {(left.length - NAMED).toLocaleString()} more.</p>}
        </div>
      )}
      <div class="row">
        {again !== undefined && (
          <button type="button" class="button primary" onClick={again.onChoose}>
            {again.name}
          </button>
        )}
        <button type="button" class={`button ${again === undefined ? "primary" : ""}`} onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}
