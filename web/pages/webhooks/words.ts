import type { Delivery, Webhook } from "../../lib/api/types.ts";
import type { WebhookState } from "../../lib/webhook-state.ts";
import { formatRelative } from "../../lib/words/format.ts";
import { mark, type PlainMessage, plural, t } from "../../lib/words/text.ts";

/** How it goes with a webhook, and how that looks. */
export const STATES: Readonly<Record<WebhookState, { readonly name: PlainMessage; readonly look: string }>> =
  {
    unused: { name: mark("Nothing sent yet"), look: "standing" },
    working: { name: mark("Working"), look: "standing good" },
    failing: { name: mark("Failing"), look: "standing bad" },
    disabled: { name: mark("Disabled"), look: "standing careful" },
  };

/** What the server says of a webhook and its messages, so that catalogues have it. */
const OF_SERVER: readonly PlainMessage[] = [
  mark("It was disabled by request."),
  mark("Its user was disabled."),
  mark("The key that it was made with was revoked or has expired."),
  mark("Its secret cannot be read. Make a new webhook."),
  mark("Its server answered 410 Gone."),
  mark("It is being removed."),
  mark("There was no answer within 15 seconds."),
  mark("The server has no address that is allowed."),
  mark("There was no connection to the server, or it ended without an answer."),
];

/** A sentence of the server's, in the language that is shown if that has it. */
export function saidByServer(text: string): string {
  const known = OF_SERVER.find((message) => message === text);
  return known === undefined ? text : t(known);
}

/** What went wrong with a delivery last, in a sentence; none if nothing. */
function problemOf({ status, error }: Delivery): readonly string[] {
  if (error === null) return [];
  if (status === null) return [saidByServer(error)];
  const number = String(status);
  return status >= 300 && status < 400
    ? [t("The server answered {status}. Redirects are not followed.", { status: number })]
    : [t("The server answered {status}.", { status: number })];
}

/** What became of a delivery, in whole sentences. @param isEnabled whether its webhook is */
export function outcomeOf(delivery: Delivery, isEnabled: boolean): readonly string[] {
  const { state, attempts, status, next_at: nextAt } = delivery;
  switch (state) {
    case "delivered":
      return [t("The server answered {status}.", { status: String(status) })];
    case "failed":
      return [...problemOf(delivery), t("It is not sent again by itself.")];
    case "pending":
      if (!isEnabled) return attempts === 0 ? [t("Not sent yet")] : problemOf(delivery);
      if (attempts === 0 || nextAt === null) return [t("It is about to be sent.")];
      if (Date.parse(nextAt) <= Date.now()) return [...problemOf(delivery), t("It is about to be sent.")];
      return [...problemOf(delivery), t("It is sent again {when}.", { when: formatRelative(nextAt) })];
  }
}

/** How often a delivery was sent. */
export function attemptsOf({ attempts }: Delivery): string {
  return attempts === 0 ? t("Not sent yet") : plural(attempts, "Sent once", "Sent {count} times");
}

/** Of what a webhook tells, where its drive has no name to be shown. */
export function reachOf({ drive_id: drive }: Webhook): string {
  return drive === null ? t("All drives") : t("Deleted drive");
}
