import { useEffect, useRef, useState } from "preact/hooks";
import type { Summary } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { headlineOf, progressInWords } from "../../lib/uploads/words.ts";

/** How often screen readers hear the progress. */
const SAY_MS = 20_000;

/**
 * Tells people who hear the page how the uploads are getting on: when they begin, rest and end, and how far
 * they are now and then. In the page from the start, since what is new to it is not listened to.
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
      {view.rest === null ? headline : "Uploads paused (rate limit)"}
    </p>
  );
}
