import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { rich } from "../../lib/words/text.ts";

/** When the link stops working. */
export function Ends({ at }: { readonly at: string }) {
  return (
    <>
      {rich("The link ends {when}", {
        when: (
          <time dateTime={at} title={formatTime(at)}>
            {formatRelative(at)}
          </time>
        ),
      })}
    </>
  );
}
