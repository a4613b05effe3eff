import { formatBytes } from "../words/format.ts";
import { plural, shownLocale, t } from "../words/text.ts";
import type { Summary } from "./summary.ts";
import type { QueueView } from "./upload.ts";

/** How the queue is getting on, without any figure that changes all the time. */
export function headlineOf({ isBusy, count, noun, done, cancelled, failed }: Summary): string {
  const { uploading, failing, uploaded } = OF[noun];
  if (isBusy) return uploading(count);
  if (failed > 0) return failing(count, failed);
  if (done === 0) return t("Nothing was uploaded");
  const said = uploaded(done);
  if (cancelled === 0) return said;
  return t("{uploaded}, {cancelled}", {
    uploaded: said,
    cancelled: plural(cancelled, "{count} cancelled", "{count} cancelled"),
  });
}

/** What the button says that sends once more what failed. */
export function retryInWords({ retryable, noun }: Summary): string {
  return OF[noun].retry(retryable);
}

/** What is said of so many, as whole sentences: languages do not change one noun for another so easily. */
interface Words {
  readonly uploading: (count: number) => string;
  readonly failing: (count: number, failed: number) => string;
  readonly uploaded: (count: number) => string;
  readonly retry: (count: number) => string;
}

const OF: Readonly<Record<Summary["noun"], Words>> = {
  file: {
    uploading: (count) => plural(count, "Uploading {count} file", "Uploading {count} files"),
    failing: (count, failed) =>
      plural(
        count,
        "{failed} of {count} file couldn't be uploaded",
        "{failed} of {count} files couldn't be uploaded",
        { failed },
      ),
    uploaded: (count) => plural(count, "{count} file uploaded", "{count} files uploaded"),
    retry: (count) => plural(count, "Retry {count} failed file", "Retry {count} failed files"),
  },
  folder: {
    uploading: (count) => plural(count, "Uploading {count} folder", "Uploading {count} folders"),
    failing: (count, failed) =>
      plural(
        count,
        "{failed} of {count} folder couldn't be uploaded",
        "{failed} of {count} folders couldn't be uploaded",
        { failed },
      ),
    uploaded: (count) => plural(count, "{count} folder uploaded", "{count} folders uploaded"),
    retry: (count) => plural(count, "Retry {count} failed folder", "Retry {count} failed folders"),
  },
  item: {
    uploading: (count) => plural(count, "Uploading {count} item", "Uploading {count} items"),
    failing: (count, failed) =>
      plural(
        count,
        "{failed} of {count} item couldn't be uploaded",
        "{failed} of {count} items couldn't be uploaded",
        { failed },
      ),
    uploaded: (count) => plural(count, "{count} item uploaded", "{count} items uploaded"),
    retry: (count) => plural(count, "Retry {count} failed item", "Retry {count} failed items"),
  },
};

/** The figures that do change: `3 of 12 · 1.0 MiB of 4.0 MiB · 512 KiB/s · 6 s left`. */
export function figuresOf(summary: Summary, { speed, rest, isAway }: QueueView): string {
  const { count, done, size, sent, secondsLeft } = summary;
  const parts = [t("{done} of {total}", { done, total: count })];
  if (size > 0) parts.push(t("{done} of {total}", { done: formatBytes(sent), total: formatBytes(size) }));
  if (rest !== null || isAway) return parts.join(" · ");
  if (speed > 0) parts.push(t("{size}/s", { size: formatBytes(Math.round(speed)) }));
  if (secondsLeft !== null && secondsLeft >= 1) {
    parts.push(t("{duration} left", { duration: formatSeconds(secondsLeft) }));
  }
  return parts.join(" · ");
}

/** Why nothing is sent for a while; null where something is. */
export function restInWords({ rest: seconds, isAway }: QueueView): string | null {
  if (isAway) return t("Uploads wait for the server, and go on once it is back.");
  if (seconds === null) return null;
  return t("Uploads paused (rate limit). Resuming in {seconds} s.", {
    seconds: Math.max(1, Math.ceil(seconds)),
  });
}

/** What is said aloud now and then: `40 percent uploaded, 2 min left`. */
export function progressInWords({ share, secondsLeft }: Summary): string {
  const percent = Math.floor(share * 100);
  if (secondsLeft === null || secondsLeft < 1) return t("{percent} percent uploaded", { percent });
  return t("{percent} percent uploaded, {duration} left", { percent, duration: formatSeconds(secondsLeft) });
}

const TENTHS = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/** A duration, the rougher the longer it is, so that it does not jump about: `8 s`, `25 s`, `3 min`, `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds <= 10) return t("{count} s", { count: Math.ceil(seconds) });
  if (seconds <= 55) return t("{count} s", { count: Math.ceil(seconds / 5) * 5 });
  if (seconds <= 3540) return t("{count} min", { count: Math.ceil(seconds / 60) });
  return t("{count} h", { count: Math.max(1, seconds / 3600).toLocaleString(shownLocale(), TENTHS) });
}
