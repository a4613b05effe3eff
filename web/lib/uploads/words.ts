import { formatBytes, formatCount } from "../words/format.ts";
import type { Summary } from "./summary.ts";
import type { QueueView } from "./upload.ts";

/** How the queue is getting on, without any figure that changes all the time. */
export function headlineOf({ isBusy, count, noun, done, cancelled, failed }: Summary): string {
  if (isBusy) return `Uploading ${formatCount(count, noun)}`;
  if (failed > 0) return `${failed.toLocaleString()} of ${formatCount(count, noun)} couldn't be uploaded`;
  if (done === 0) return "Nothing was uploaded";
  const said = `${formatCount(done, noun)} uploaded`;
  return cancelled === 0 ? said : `${said}, ${cancelled.toLocaleString()} cancelled`;
}

/** The figures that do change: `3 of 12 · 1.0 MiB of 4.0 MiB · 512 KiB/s · 6 s left`. */
export function figuresOf(summary: Summary, { speed, rest, isAway }: QueueView): string {
  const { count, done, size, sent, secondsLeft } = summary;
  const parts = [`${done.toLocaleString()} of ${count.toLocaleString()}`];
  if (size > 0) parts.push(`${formatBytes(sent)} of ${formatBytes(size)}`);
  if (rest !== null || isAway) return parts.join(" · ");
  if (speed > 0) parts.push(`${formatBytes(Math.round(speed))}/s`);
  if (secondsLeft !== null && secondsLeft >= 1) parts.push(`${formatSeconds(secondsLeft)} left`);
  return parts.join(" · ");
}

/** Why nothing is sent for a while; null where something is. */
export function restInWords({ rest: seconds, isAway }: QueueView): string | null {
  if (isAway) return "Uploads wait for the server, and go on once it is back.";
  if (seconds === null) return null;
  return `Uploads paused (rate limit). Resuming in ${Math.max(1, Math.ceil(seconds))} s.`;
}

/** What is said aloud now and then: `40 percent uploaded, 2 min left`. */
export function progressInWords({ share, secondsLeft }: Summary): string {
  const said = `${Math.floor(share * 100)} percent uploaded`;
  return secondsLeft === null || secondsLeft < 1 ? said : `${said}, ${formatSeconds(secondsLeft)} left`;
}

/** A duration, the rougher the longer it is, so that it does not jump about: `8 s`, `25 s`, `3 min`, `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds <= 10) return `${Math.ceil(seconds)} s`;
  if (seconds <= 55) return `${Math.ceil(seconds / 5) * 5} s`;
  if (seconds <= 3540) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.max(1, seconds / 3600).toFixed(1)} h`;
}
