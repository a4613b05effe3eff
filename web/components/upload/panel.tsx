import chevronDown from "lucide-static/icons/chevron-down.svg" with { type: "text" };
import chevronUp from "lucide-static/icons/chevron-up.svg" with { type: "text" };
import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useRef, useState } from "preact/hooks";
import { useKeptFocus } from "../../lib/browser/focus.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import { mostUrgent, type Summary } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { figuresOf, headlineOf, restInWords, retryInWords } from "../../lib/uploads/words.ts";
import { t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";
import { UploadRow } from "./row.tsx";

const MOST_ROWS = 100;

interface UploadPanelProps {
  readonly queue: UploadQueue;
  readonly view: QueueView;
  readonly summary: Summary;
}

/** The progress of all uploads together and of each. */
export function UploadPanel({ queue, view, summary }: UploadPanelProps) {
  const [isOpen, setOpen] = useState(true);
  const section = useRef<HTMLElement>(null);
  const cameFrom = useRef<HTMLElement | null>(null);
  useKeptFocus(section);
  const rest = restInWords(view);
  const close = () => {
    const before = cameFrom.current?.isConnected === true ? cameFrom.current : null;
    (before ?? document.querySelector<HTMLElement>("main button, main a"))?.focus();
    queue.clear();
  };
  return (
    <section
      ref={section}
      class={isOpen ? "uploads" : "uploads folded"}
      aria-label={t("Uploads")}
      tabIndex={-1}
      onFocusIn={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof HTMLElement) || currentTarget.contains(relatedTarget)) return;
        cameFrom.current = relatedTarget;
      }}
    >
      <header class="uploads-head">
        <h2>{headlineOf(summary)}</h2>
        {summary.isBusy && (
          <button type="button" class="button" onClick={() => queue.cancelAll()}>
            {t("Cancel all")}
          </button>
        )}
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={t("List of uploads")}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon svg={isOpen ? chevronDown : chevronUp} />
        </button>
        {!summary.isBusy && (
          <button type="button" class="button quiet" aria-label={t("Close uploads")} onClick={close}>
            <Icon svg={closeIcon} />
          </button>
        )}
      </header>
      {summary.isBusy && (
        <>
          <progress aria-label={t("All uploads")} value={summary.share} />
          <p class="soft uploads-figures">{figuresOf(summary, view)}</p>
        </>
      )}
      {rest !== null && <p class="notice careful uploads-rest">{rest}</p>}
      {summary.retryable > 0 && (
        <div class="row">
          <button type="button" class="button" onClick={() => queue.retryFailed()}>
            {retryInWords(summary)}
          </button>
        </div>
      )}
      {isOpen && <Rows view={view} queue={queue} />}
    </section>
  );
}

/** The most urgent uploads only: rendering thousands repeatedly would be slow. */
function Rows({ view, queue }: Pick<UploadPanelProps, "view" | "queue">) {
  const list = useRef<HTMLUListElement>(null);
  useKeptFocus(list);
  const rows = mostUrgent(view.uploads, MOST_ROWS);
  const hidden = view.uploads.length - rows.length;
  return (
    <ul ref={list} class="upload-rows" tabIndex={0} aria-label={t("Files")}>
      {rows.map((upload) => (
        <UploadRow key={upload.id} upload={upload} queue={queue} />
      ))}
      {hidden > 0 && <li class="upload-row soft">{t("and {count} more", { count: hidden })}</li>}
    </ul>
  );
}
