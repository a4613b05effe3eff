import { formatRelative, formatTime } from "../../lib/words/format.ts";

/** When the link stops working. */
export function Ends({ at }: { readonly at: string }) {
  return (
    <>
      The link ends{" "}
      <time dateTime={at} title={formatTime(at)}>
        {formatRelative(at)}
      </time>
    </>
  );
}
