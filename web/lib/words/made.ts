import { MADE_COUNTED } from "../../../src/domain/limits.ts";
import type { KeyDetail } from "../api/types.ts";
import { formatList } from "./format.ts";
import { plural, t } from "./text.ts";

/** What goes with a key, in words: "the 3 keys and 1 link it made"; empty if it made nothing. */
export function madeBy({ keys, links, webhooks, members }: KeyDetail["made"]): string {
  const kinds = [
    { count: keys, text: plural(keys, "{count} key", "{count} keys") },
    { count: links, text: plural(links, "{count} link", "{count} links") },
    { count: webhooks, text: plural(webhooks, "{count} webhook", "{count} webhooks") },
    { count: members, text: plural(members, "{count} membership", "{count} memberships") },
  ].filter(({ count }) => count > 0);
  if (kinds.length === 0) return "";
  const things = kinds.map(({ count, text }) =>
    count < MADE_COUNTED ? text : t("{things} or more", { things: text }),
  );
  return t("the {things} it made", { things: formatList(things) });
}
