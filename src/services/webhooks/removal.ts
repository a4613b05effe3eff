import type { Tables } from "../../db/tables.ts";
import type { WebhookPk } from "../../domain/id.ts";

/** How many deliveries one transaction removes, so that no request waits long. */
export const DELIVERIES_AT_ONCE = 100;

/**
 * Removes some deliveries of a webhook, and with the last of them the webhook. Returns whether it is gone. Inside a
 * write.
 */
export function removeSomeOfWebhook({ webhooks, webhookDeliveries }: Tables, webhook: WebhookPk): boolean {
  if (webhookDeliveries.removeSomeOf(webhook, DELIVERIES_AT_ONCE) === DELIVERIES_AT_ONCE) return false;
  webhooks.remove(webhook);
  return true;
}
