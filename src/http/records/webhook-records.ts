import { formatInstant } from "../../domain/time.ts";
import type { Delivery, Webhook } from "../../domain/webhooks/webhook.ts";
import type { DeliveryRecord, WebhookRecord } from "./webhook-schemas.ts";

export function webhookRecord(webhook: Webhook): WebhookRecord {
  return {
    id: webhook.id,
    url: webhook.url,
    events: [...webhook.events],
    drive_id: webhook.driveId,
    created_at: formatInstant(webhook.createdAt),
    made_by: webhook.keyId,
    disabled_at: webhook.disabledAt === null ? null : formatInstant(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
  };
}

export function deliveryRecord(delivery: Delivery): DeliveryRecord {
  return {
    id: delivery.id,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    status: delivery.status,
    error: delivery.error,
    next_at: delivery.nextAt === null ? null : formatInstant(delivery.nextAt),
    created_at: formatInstant(delivery.createdAt),
  };
}
