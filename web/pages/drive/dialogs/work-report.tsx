import { Failure } from "../../../components/failure.tsx";
import { Name } from "../../../components/name.tsx";
import { formatCount } from "../../../lib/format.ts";
import type { WorkState } from "./use-work.ts";

/** Problems named one by one; the rest are counted. */
const NAMED = 20;

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
