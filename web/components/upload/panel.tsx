import chevronDown from "lucide-static/icons/chevron-down.svg" with { type: "text" };
import chevronUp from "lucide-static/icons/chevron-up.svg" with { type: "text" };
import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import { mostUrgent, type Summary, summarise } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { Icon } from "../icon.tsx";
import { UploadRow } from "./row.tsx";

const MOST_ROWS = 100;

/** How the uploads are getting on: all together, and each. */
export function UploadPanel({ queue, view }: { readonly queue: UploadQueue; readonly view: QueueView }) {
  const [isOpen, setOpen] = useState(true);
  const summary = summarise(view);
  const rows = mostUrgent(view.uploads, MOST_ROWS);
  const hidden = view.uploads.length - rows.length;
  return (
    <section class="uploads" aria-label="Uploads">
      <header class="uploads-head">
        <h2>
          <span role="status">{headline(summary)}</span>
        </h2>
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Fold the uploads" : "Unfold the uploads"}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon svg={isOpen ? chevronDown : chevronUp} />
        </button>
        {!summary.isBusy && (
          <button
            type="button"
            class="button quiet"
            aria-label="Close the uploads"
            onClick={() => queue.clear()}
          >
            <Icon svg={closeIcon} />
          </button>
        )}
      </header>
      {summary.isBusy && (
        <>
          <progress aria-label="All uploads" max={Math.max(summary.size, 1)} value={summary.sent} />
          <p class="soft uploads-figures">{figures(summary, view)}</p>
        </>
      )}
      {isOpen && (
        <>
          <Actions summary={summary} queue={queue} />
          <ul class="upload-rows" tabIndex={0} aria-label="Files">
            {rows.map((upload) => (
              <UploadRow key={upload.id} upload={upload} queue={queue} />
            ))}
            {hidden > 0 && <li class="upload-row soft">and {formatCount(hidden, "more file")}</li>}
          </ul>
        </>
      )}
    </section>
  );
}

function Actions({ summary, queue }: { readonly summary: Summary; readonly queue: UploadQueue }) {
  if (!summary.isBusy && summary.failed === 0) return null;
  return (
    <div class="row">
      {summary.isBusy && (
        <button type="button" class="button" onClick={() => queue.cancelAll()}>
          Cancel all
        </button>
      )}
      {summary.failed > 0 && (
        <button type="button" class="button" onClick={() => queue.retryFailed()}>
          Retry {formatCount(summary.failed, "failed file")}
        </button>
      )}
    </div>
  );
}

// Spoken when it changes, so it holds no figure that changes all the time.
function headline({ isBusy, count, done, failed }: Summary): string {
  if (isBusy) return `Uploading ${formatCount(count, "file")}`;
  if (failed > 0) return `${formatCount(failed, "file")} of ${count} could not be uploaded`;
  return done === 0 ? "Nothing was uploaded" : `${formatCount(done, "file")} uploaded`;
}

function figures({ count, done, size, sent, secondsLeft }: Summary, { speed, isPaused }: QueueView): string {
  if (isPaused) return `${done} of ${count}. The server takes only so many requests a minute: going on soon.`;
  const parts = [`${done} of ${count}`, `${formatBytes(sent)} of ${formatBytes(size)}`];
  if (speed > 0) parts.push(`${formatBytes(Math.round(speed))}/s`);
  if (secondsLeft !== null && secondsLeft >= 1) parts.push(`${inWords(secondsLeft)} left`);
  return parts.join(" · ");
}

function inWords(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
