import type { Webhook } from "./api/types.ts";

/** How it goes with a webhook, by its last delivery. */
export type WebhookState = "unused" | "working" | "failing" | "disabled";

export function stateOf({ disabled_at: disabledAt, last_delivery: last }: Webhook): WebhookState {
  if (disabledAt !== null) return "disabled";
  if (last === null) return "unused";
  return last.state === "delivered" ? "working" : "failing";
}
