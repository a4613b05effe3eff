import { once } from "../../domain/once.ts";
import { sealingKey } from "../../domain/sealing.ts";
import type { Parts } from "../parts.ts";
import type { ServiceParts } from "../service-parts.ts";
import { WebhookDeliveries } from "./deliveries.ts";
import { WebhookOutbox, WebhookReach } from "./outbox.ts";
import { WebhookSender } from "./sender.ts";
import { Webhooks } from "./webhooks.ts";

type WebhookParts = Pick<Parts, "tables" | "access" | "audit" | "changes" | "clock" | "log" | "tracer"> &
  Pick<ServiceParts, "secret" | "webhookAddresses" | "publicNetwork">;

/** The use cases of webhooks. Nothing is sent until the outbox and the sender are started. */
export function openWebhooks(given: WebhookParts) {
  const parts = {
    ...given,
    reach: new WebhookReach(given),
    sealingKey: once(() => sealingKey(given.secret, "webhook")),
    subnets: given.webhookAddresses,
    network: given.publicNetwork,
  };
  const outbox: WebhookOutbox = new WebhookOutbox({ ...parts, filled: (webhook) => sender.add(webhook) });
  const sender = new WebhookSender({ ...parts, roomMade: (webhook) => outbox.wake(webhook) });
  const webhooks = new Webhooks({ ...parts, outbox, sender });
  return {
    webhooks,
    webhookDeliveries: new WebhookDeliveries({ ...parts, webhooks, sender }),
    webhookOutbox: outbox,
    webhookSender: sender,
  };
}
