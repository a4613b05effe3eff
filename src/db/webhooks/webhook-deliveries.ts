import type { ChangeNumber } from "../../domain/changes/change.ts";
import type { DeliveryId, DeliveryPk, WebhookPk } from "../../domain/id.ts";
import type { Delivery } from "../../domain/webhooks/webhook.ts";
import type { Database } from "../engine/database.ts";

export type NewDelivery = Pick<Delivery, "id" | "type" | "createdAt"> & {
  readonly webhook: WebhookPk;
  /** Null for one that somebody asked for. */
  readonly change: ChangeNumber | null;
  readonly payload: string;
};

export interface DueDelivery extends Pick<Delivery, "id" | "attempts"> {
  readonly payload: string;
}

/** What an attempt came to. */
export type Attempted = Pick<Delivery, "id" | "state" | "attempts" | "status" | "error" | "nextAt">;

const COLUMNS = "pk, id, type, state, attempts, status, error, next_at AS nextAt, created_at AS createdAt";

export function webhookDeliveries({ sql }: Database) {
  return {
    insert: sql.write<[NewDelivery]>(
      `INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
       VALUES (:id, :webhook, :change, :type, :payload, 'pending', :createdAt, :createdAt)`,
    ),
    byId: sql.get<Delivery, [webhook: WebhookPk, id: DeliveryId]>(
      `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook = ? AND id = ?`,
    ),
    /** The newest before one, newest first. */
    page: sql.all<Delivery, [webhook: WebhookPk, before: number, limit: number]>(
      `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook = ? AND pk < ? ORDER BY pk DESC LIMIT ?`,
    ),
    count: sql.number<[webhook: WebhookPk]>("SELECT count(*) FROM webhook_delivery WHERE webhook = ?"),
    /** How many wait to be sent. */
    pending: sql.number<[webhook: WebhookPk]>(
      "SELECT count(*) FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
    ),
    /** The first ones that are due. */
    due: sql.all<DueDelivery, [webhook: WebhookPk, now: number, limit: number]>(
      `SELECT id, attempts, payload FROM webhook_delivery
        WHERE webhook = ? AND state = 'pending' AND next_at <= ? ORDER BY next_at, pk LIMIT ?`,
    ),
    /** When the next one is due; null if none waits. */
    nextAt: sql.value<number, [webhook: WebhookPk]>(
      "SELECT min(next_at) FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
    ),
    /** The webhooks with deliveries that wait. */
    waiting: sql.values<WebhookPk, []>(
      "SELECT DISTINCT webhook FROM webhook_delivery WHERE state = 'pending'",
    ),
    /** Does nothing if it is removed by now. */
    attempted: sql.write<[Attempted]>(
      `UPDATE webhook_delivery SET state = :state, attempts = :attempts, status = :status, error = :error,
              next_at = :nextAt WHERE id = :id`,
    ),
    sendAgain: sql.write<[delivery: DeliveryPk, now: number]>(
      "UPDATE webhook_delivery SET state = 'pending', attempts = 0, next_at = ?2 WHERE pk = ?1",
    ),
    /** Removes some that have ended, but not the newest. */
    prune: sql.write<[webhook: WebhookPk, kept: number]>(
      `DELETE FROM webhook_delivery WHERE pk IN
         (SELECT pk FROM webhook_delivery WHERE webhook = ? AND state <> 'pending' ORDER BY pk DESC LIMIT 10 OFFSET ?)`,
    ),
    removeSomeOf: sql.write<[webhook: WebhookPk, limit: number]>(
      "DELETE FROM webhook_delivery WHERE pk IN (SELECT pk FROM webhook_delivery WHERE webhook = ? LIMIT ?)",
    ),
  };
}
