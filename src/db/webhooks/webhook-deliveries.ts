import type { ChangeNumber } from "../../domain/changes/change.ts";
import type { DeliveryId, DeliveryPk, WebhookPk } from "../../domain/id.ts";
import type { Delivery } from "../../domain/webhooks/webhook.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

export interface NewDelivery {
  readonly id: DeliveryId;
  readonly webhook: WebhookPk;
  /** Null for one that somebody asked for. */
  readonly change: ChangeNumber | null;
  readonly type: string;
  readonly payload: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface DueDelivery extends Pick<Delivery, "id" | "attempts"> {
  readonly payload: string;
}

/** What an attempt came to. */
export interface Attempted extends Pick<
  Delivery,
  "id" | "state" | "attempts" | "status" | "error" | "nextAt"
> {}

const COLUMNS = "pk, id, type, state, attempts, status, error, next_at AS nextAt, created_at AS createdAt";

export class WebhookDeliveriesTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      insert: sql.prepare<never, [Parameters<NewDelivery>]>(
        `INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
       VALUES (:id, :webhook, :change, :type, :payload, 'pending', :createdAt, :createdAt)`,
      ),
      byId: sql.prepare<Delivery, [DeliveryId, WebhookPk]>(
        `SELECT ${COLUMNS} FROM webhook_delivery WHERE id = ? AND webhook = ?`,
      ),
      page: sql.prepare<Delivery, [WebhookPk, number, number]>(
        `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook = ? AND pk < ? ORDER BY pk DESC LIMIT ?`,
      ),
      count: sql.prepare<{ count: number }, [WebhookPk]>(
        "SELECT count(*) AS count FROM webhook_delivery WHERE webhook = ?",
      ),
      pending: sql.prepare<{ count: number }, [WebhookPk]>(
        "SELECT count(*) AS count FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
      ),
      due: sql.prepare<DueDelivery, [WebhookPk, number, number]>(
        `SELECT id, attempts, payload FROM webhook_delivery
        WHERE webhook = ? AND state = 'pending' AND next_at <= ? ORDER BY next_at, pk LIMIT ?`,
      ),
      nextAt: sql.prepare<{ at: number | null }, [WebhookPk]>(
        "SELECT min(next_at) AS at FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
      ),
      waiting: sql.prepare<{ webhook: WebhookPk }, []>(
        "SELECT DISTINCT webhook FROM webhook_delivery WHERE state = 'pending'",
      ),
      attempted: sql.prepare<never, [Parameters<Attempted>]>(
        `UPDATE webhook_delivery SET state = :state, attempts = :attempts, status = :status, error = :error,
              next_at = :nextAt WHERE id = :id`,
      ),
      sendAgain: sql.prepare<never, [number, DeliveryPk]>(
        "UPDATE webhook_delivery SET state = 'pending', attempts = 0, next_at = ? WHERE pk = ?",
      ),
      prune: sql.prepare<never, [WebhookPk, number]>(
        `DELETE FROM webhook_delivery WHERE pk IN
         (SELECT pk FROM webhook_delivery WHERE webhook = ? AND state <> 'pending' ORDER BY pk DESC LIMIT 10 OFFSET ?)`,
      ),
      removeSomeOf: sql.prepare<never, [WebhookPk, number]>(
        "DELETE FROM webhook_delivery WHERE pk IN (SELECT pk FROM webhook_delivery WHERE webhook = ? LIMIT ?)",
      ),
    };
  }

  /** Inside a write. */
  insert(delivery: NewDelivery): void {
    this.#sql.insert.run({ ...delivery });
  }

  byId(webhook: WebhookPk, id: DeliveryId): Delivery | null {
    return this.#sql.byId.get(id, webhook);
  }

  /** The newest deliveries of a webhook before one, newest first. */
  page(webhook: WebhookPk, before: number, limit: number): Delivery[] {
    return this.#sql.page.all(webhook, before, limit);
  }

  count(webhook: WebhookPk): number {
    return this.#sql.count.get(webhook)?.count ?? 0;
  }

  /** How many deliveries of a webhook wait to be sent. */
  pending(webhook: WebhookPk): number {
    return this.#sql.pending.get(webhook)?.count ?? 0;
  }

  /** The deliveries of a webhook that are due, the first ones. */
  due(webhook: WebhookPk, now: number, limit: number): DueDelivery[] {
    return this.#sql.due.all(webhook, now, limit);
  }

  /** When the next delivery of a webhook is due; null if none waits. */
  nextAt(webhook: WebhookPk): number | null {
    return this.#sql.nextAt.get(webhook)?.at ?? null;
  }

  /** The webhooks with deliveries that wait. */
  waiting(): WebhookPk[] {
    return this.#sql.waiting.all().map(({ webhook }) => webhook);
  }

  /** Does nothing if it is removed by now. Inside a write. */
  attempted(attempted: Attempted): void {
    this.#sql.attempted.run({ ...attempted });
  }

  /** Removes up to `limit` deliveries of a webhook. Returns how many. Inside a write. */
  removeSomeOf(webhook: WebhookPk, limit: number): number {
    return this.#sql.removeSomeOf.run(webhook, limit).changes;
  }

  /** Lets a delivery be sent once more. Inside a write. */
  sendAgain(delivery: DeliveryPk, now: number): void {
    this.#sql.sendAgain.run(now, delivery);
  }

  /** Removes some of the ended deliveries of a webhook but the newest. Inside a write. */
  prune(webhook: WebhookPk, kept: number): void {
    this.#sql.prune.run(webhook, kept);
  }
}
