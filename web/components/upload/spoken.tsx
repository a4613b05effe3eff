import { useEffect, useRef, useState } from "preact/hooks";
import type { Summary } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { headlineOf, progressInWords, restInWords } from "../../lib/uploads/words.ts";
import { t } from "../../lib/words/text.ts";

/** How often screen readers hear the progress. */
const SAY_MS = 20_000;

/**
 * Announces the uploads to screen readers: when they start, pause and end, and the progress from time to time. Always
 * in the page, because screen readers miss the first text of a live region that was just added.
 */
export function Spoken({ view, summary }: { readonly view: QueueView; readonly summary: Summary }) {
  const [progress, setProgress] = useState<string | null>(null);
  const latest = useRef("");
  latest.current = progressInWords(summary);
  useEffect(() => {
    if (!summary.isBusy) return;
    const timer = setInterval(() => setProgress(latest.current), SAY_MS);
    return () => {
      clearInterval(timer);
      setProgress(null);
    };
  }, [summary.isBusy]);
  const headline = view.uploads.length === 0 ? "" : (progress ?? headlineOf(summary));
  return (
    <p class="hidden-visually" role="status">
      {view.isAway ? restInWords(view) : view.rest === null ? headline : t("Uploads paused (rate limit)")}
    </p>
  );
}
