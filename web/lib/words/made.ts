import { MADE_COUNTED } from "../../../src/domain/limits.ts";
import type { KeyDetail } from "../api/types.ts";
import { formatCount } from "./format.ts";

/** What goes with a key, in words: "the 3 keys and 1 link it made"; empty if it made nothing. */
export function madeBy(made: KeyDetail["made"]): string {
  const kinds = [
    counted(made.keys, "key"),
    counted(made.links, "link"),
    counted(made.webhooks, "webhook"),
    counted(made.members, "membership"),
  ].filter((text) => text !== "");
  if (kinds.length === 0) return "";
  const last = kinds.pop() ?? "";
  return `the ${kinds.length === 0 ? last : `${kinds.join(", ")} and ${last}`} it made`;
}

function counted(count: number, noun: string): string {
  if (count === 0) return "";
  return count < MADE_COUNTED ? formatCount(count, noun) : `${formatCount(count, noun)} or more`;
}
