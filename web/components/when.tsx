import { formatHour, formatTime } from "../lib/words/format.ts";

/** The time of day, in the reader's zone. */
export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatHour(at)}
    </time>
  );
}
