import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, orNotFound, present } from "../../domain/errors.ts";
import { type DeliveryId, parseId, type WebhookPk } from "../../domain/id.ts";
import { type Delivery, TEST_EVENT, type Webhook } from "../../domain/webhooks/webhook.ts";
import { partOf } from "../files/listings.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { mostPending, newDelivery } from "./outbox.ts";
import type { WebhookSender } from "./sender.ts";
import type { Webhooks } from "./webhooks.ts";

/** What became of the messages to a webhook; who manages it can have one sent again, or one to try it. */
export class WebhookDeliveries extends Service<
  Pick<Parts, "tables" | "access" | "clock"> & { webhooks: Webhooks; sender: WebhookSender }
> {
  /** Sends a message that says nothing. Throws NOT_FOUND, FORBIDDEN, CONFLICT. */
  test(caller: Caller, reference: string, within?: Within<Delivery>): Promise<Delivery> {
    const { webhookDeliveries } = this.parts.tables;
    return this.#send(caller, reference, within, (to) => {
      const now = this.parts.clock.now();
      const event = { number: null, type: TEST_EVENT, at: now };
      const delivery = newDelivery(to.pk, event, { webhook_id: to.id }, now);
      webhookDeliveries.insert(delivery);
      return delivery.id;
    });
  }

  /** Newest first, and where the next page starts; null on the last one. Throws NOT_FOUND, FORBIDDEN. */
  deliveries(caller: Caller, reference: string, { before, limit }: { before: number | null; limit: number }) {
    const { pk } = this.parts.webhooks.get(caller, reference);
    const { webhookDeliveries } = this.parts.tables;
    const some = webhookDeliveries.page(pk, before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const { found: deliveries, next: nextBefore } = partOf(some, limit, (delivery) => delivery.pk);
    return { deliveries, total: webhookDeliveries.count(pk), nextBefore };
  }

  /** The newest delivery that was sent, also in vain; null if none was. */
  last({ pk }: Webhook): Delivery | null {
    const { webhookDeliveries } = this.parts.tables;
    const ended = webhookDeliveries.lastEnded(pk);
    // What failed is due later than what was never sent, of which there may be many.
    const waiting = webhookDeliveries.dueLast(pk);
    return waiting !== null && waiting.attempts > 0 && waiting.pk > (ended?.pk ?? 0) ? waiting : ended;
  }

  /** Sends a delivery once more, with the same id. Throws NOT_FOUND, FORBIDDEN, CONFLICT. */
  resend(caller: Caller, reference: string, deliveryId: string, within?: Within<Delivery>) {
    const { webhookDeliveries } = this.parts.tables;
    return this.#send(caller, reference, within, (to) => {
      const id = parseId<DeliveryId>(deliveryId);
      const found = orNotFound(id && webhookDeliveries.byId(to.pk, id), "delivery");
      webhookDeliveries.sendAgain(found.pk, this.parts.clock.now());
      return found.id;
    });
  }

  /** Sends what `prepare` lets wait. */
  async #send(
    caller: Caller,
    reference: string,
    within: Within<Delivery> | undefined,
    prepare: (webhook: Webhook) => DeliveryId,
  ): Promise<Delivery> {
    const sent = await this.parts.access.write<{ delivery: Delivery; webhook: WebhookPk }>(
      caller,
      ({ delivery }) => within?.(delivery),
      () => {
        const webhook = this.parts.webhooks.get(caller, reference);
        if (webhook.disabledAt !== null) {
          throw new CofferError(
            "CONFLICT",
            "The webhook is disabled. Enable it first: PATCH it with enabled true.",
          );
        }
        if (this.parts.tables.webhookDeliveries.pending(webhook.pk) >= mostPending(webhook)) {
          throw new CofferError(
            "CONFLICT",
            "Too many deliveries of the webhook wait to be sent already. Try again once some are.",
          );
        }
        const delivery = this.parts.tables.webhookDeliveries.byId(webhook.pk, prepare(webhook));
        return { delivery: present(delivery, "a delivery"), webhook: webhook.pk };
      },
    );
    this.parts.sender.add(sent.webhook, true);
    return sent.delivery;
  }
}
