import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../../../components/failure.tsx";
import { Name } from "../../../components/name.tsx";
import { type ApiError, asApiError } from "../../../lib/api/api.ts";
import { type Done, type Left, type Progress, progressWords, type Work } from "../../../lib/files/steps.ts";
import { plural, t } from "../../../lib/words/text.ts";

/** Problems named one by one; the rest are counted. */
const NAMED = 20;

/** A long piece of work, as a dialog shows it. */
type WorkState =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly progress: Progress }
  | { readonly state: "ended"; readonly left: readonly Left[]; readonly stopped: boolean }
  | { readonly state: "failed"; readonly error: ApiError };

/**
 * Runs work once it is started; it stops when the component goes.
 *
 * @param onSuccess called with what was done, if nothing was left
 */
export function useWork(run: (work: Work) => Promise<Left[]>, onSuccess: (done: readonly Done[]) => void) {
  const [work, setWork] = useState<WorkState>({ state: "idle" });
  const abort = useRef(new AbortController());
  const done = useRef<Done[]>([]);
  useEffect(() => () => abort.current.abort(), []);
  const perform = async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      const onProgress = (progress: Progress) => setWork({ state: "running", progress });
      const onDone = (one: Done) => void done.current.push(one);
      const left = await run({ onProgress, onDone, signal });
      if (left.length === 0 && !signal.aborted) return onSuccess(done.current);
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
    /** What is done by now. */
    done: done.current,
    /** Leaves what became of it behind: it is to be started in another way. */
    reset: () => {
      done.current = [];
      setWork({ state: "idle" });
    },
  };
}

interface WorkReportProps {
  readonly work: WorkState;
  readonly how: "delete" | "move" | "copy";
  readonly onStop: () => void;
  /** Another way to go on with what it left undone. */
  readonly again?: { readonly name: string; readonly onChoose: () => void } | undefined;
  readonly onClose: () => void;
}

/** How far the work is, and what it left undone. Nothing before it starts. */
export function WorkReport({ work, how, onStop, again, onClose }: WorkReportProps) {
  switch (work.state) {
    case "idle":
      return null;
    case "failed":
      return <Failure error={work.error} />;
    case "running":
      return (
        <div class="dialog-body" role="status">
          <progress aria-label={t("Progress")} value={work.progress.done} max={work.progress.of} />
          <p class="soft">{progressWords(work.progress)}</p>
          <div class="row">
            <button type="button" class="button" onClick={onStop}>
              {t("Stop")}
            </button>
          </div>
        </div>
      );
    case "ended":
      return <Ended work={work} how={how} again={again} onClose={onClose} />;
  }
}

interface EndedProps extends Pick<WorkReportProps, "how"> {
  readonly work: Extract<WorkState, { state: "ended" }>;
  readonly again: WorkReportProps["again"];
  readonly onClose: () => void;
}

function Ended({ work, how, again, onClose }: EndedProps) {
  const { left, stopped } = work;
  return (
    <div class="dialog-body" role="alert">
      {stopped && <p>{t("Stopped. What was already done is not undone.")}</p>}
      {left.length > 0 && (
        <div class="notice bad">
          <p>{leftInWords(how, left.length)}</p>
          <ul class="left">
            {left.slice(0, NAMED).map(({ path, error }) => (
              <li key={path}>
                <Name text={path} />: {error.message}
                {error.requestId !== undefined && (
                  <small class="soft"> {t("Request {id}", { id: error.requestId })}</small>
                )}
              </li>
            ))}
          </ul>
          {left.length > NAMED && <p>{t("and {count} more.", { count: left.length - NAMED })}</p>}
        </div>
      )}
      <div class="row">
        {again !== undefined && (
          <button type="button" class="button primary" onClick={again.onChoose}>
            {again.name}
          </button>
        )}
        <button type="button" class={`button ${again === undefined ? "primary" : ""}`} onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </div>
  );
}

function leftInWords(how: WorkReportProps["how"], count: number): string {
  switch (how) {
    case "delete":
      return plural(count, "{count} item couldn't be deleted:", "{count} items couldn't be deleted:");
    case "move":
      return plural(count, "{count} item couldn't be moved:", "{count} items couldn't be moved:");
    case "copy":
      return plural(count, "{count} item couldn't be copied:", "{count} items couldn't be copied:");
  }
}
