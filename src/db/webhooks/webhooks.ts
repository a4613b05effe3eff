import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { ChangeNumber } from "../../domain/changes/change.ts";
import type { DeliveryId, DeliveryPk, DrivePk, UserPk, WebhookId, WebhookPk } from "../../domain/id.ts";
import type { Delivery, NewWebhook, Webhook } from "../../domain/webhooks/webhook.ts";
import type { Database } from "../engine/database.ts";

export interface ServedWebhook extends Webhook {
  /** Of its key; null if that is gone, or there was none. */
  readonly keyHash: SecretHash | null;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly position: ChangeNumber;
}

type Row<T extends Pick<Webhook, "events">> = Omit<T, "events"> & { readonly events: string };
type Changed = Pick<Webhook, "pk" | "keyId" | "url" | "events">;

const COLUMNS = `
  w.pk, w.id, w.user, w.drive AS drivePk, d.id AS driveId, w.key_id AS keyId, w.url, w.events,
  w.created_at AS createdAt, w.disabled_at AS disabledAt, w.disabled_reason AS disabledReason`;
const FROM = "FROM webhook w LEFT JOIN drive d ON d.pk = w.drive";

export function webhooks({ sql }: Database) {
  const insert = sql.writeOne<WebhookPk, [Row<NewWebhook>]>(
    `INSERT INTO webhook (id, user, drive, key_id, url, events, secret, position, created_at)
     VALUES (:id, :user, :drive, :keyId, :url, :events, :secret, :position, :createdAt) RETURNING pk`,
  );
  const update = sql.write<[Row<Changed>]>(
    "UPDATE webhook SET url = :url, events = :events, key_id = :keyId WHERE pk = :pk",
  );
  return {
    byId: sql.get<Row<Webhook>, [id: WebhookId], Webhook>(
      `SELECT ${COLUMNS} ${FROM} WHERE w.id = ?`,
      withEvents,
    ),
    served: sql.get<Row<ServedWebhook>, [pk: WebhookPk], ServedWebhook>(
      `SELECT ${COLUMNS}, k.hash AS keyHash, w.secret, w.position
         ${FROM} LEFT JOIN api_key k ON k.id = w.key_id WHERE w.pk = ?`,
      withEvents,
    ),
    enabled: sql.all<Pick<Webhook, "pk" | "user" | "drivePk">, []>(
      "SELECT pk, user, drive AS drivePk FROM webhook WHERE disabled_at IS NULL",
    ),
    /** Those of a user and of the user's drives, oldest first. */
    ofUser: sql.all<Row<Webhook>, [user: UserPk], Webhook>(
      `SELECT ${COLUMNS} ${FROM} WHERE w.user = ? ORDER BY w.pk`,
      withEvents,
    ),
    ofDrive: sql.all<Row<Webhook>, [drive: DrivePk], Webhook>(
      `SELECT ${COLUMNS} ${FROM} WHERE w.drive = ? ORDER BY w.pk`,
      withEvents,
    ),
    /** Inside a write. */
    insert: (webhook: NewWebhook) => insert({ ...webhook, events: JSON.stringify(webhook.events) }),
    /** Inside a write. */
    update: (changed: Changed) => update({ ...changed, events: JSON.stringify(changed.events) }),
    /** Enables a webhook, which is told of what comes after a change. */
    enable: sql.write<[pk: WebhookPk, position: ChangeNumber]>(
      "UPDATE webhook SET disabled_at = NULL, disabled_reason = NULL, position = ?2 WHERE pk = ?1",
    ),
    /** Does nothing if it is removed by now. */
    disable: sql.write<[id: WebhookId, now: number, reason: string]>(
      "UPDATE webhook SET disabled_at = ?2, disabled_reason = ?3 WHERE id = ?1 AND disabled_at IS NULL",
    ),
    /** How many were disabled after a time, and when the last was; milliseconds. */
    disabledSince: sql.one<{ count: number; last: number | null }, [after: number]>(
      "SELECT count(*) AS count, max(disabled_at) AS last FROM webhook WHERE disabled_at > ?",
    ),
    setPosition: sql.write<[pk: WebhookPk, position: ChangeNumber]>(
      "UPDATE webhook SET position = ?2 WHERE pk = ?1",
    ),
    /** Gives the webhooks of a drive that is claimed to its owner. */
    giveTo: sql.write<[user: UserPk, drive: DrivePk]>("UPDATE webhook SET user = ? WHERE drive = ?"),
    /** Removes a webhook, and its deliveries: see `webhookDeliveries.removeSomeOf` for many of them. */
    remove: sql.write<[pk: WebhookPk]>("DELETE FROM webhook WHERE pk = ?"),
    anyOf: sql.value<WebhookPk, [drive: DrivePk]>("SELECT pk FROM webhook WHERE drive = ? LIMIT 1"),
  };
}

function withEvents<T extends { readonly events: string }>(
  row: T,
): Omit<T, "events"> & { readonly events: readonly string[] } {
  const events: readonly string[] = JSON.parse(row.events);
  return { ...row, events };
}

export type NewDelivery = Pick<Delivery, "id" | "type" | "createdAt"> & {
  readonly webhook: WebhookPk;
  /** Null for one that somebody asked for. */
  readonly change: ChangeNumber | null;
  readonly payload: string;
};

export interface DueDelivery extends Pick<Delivery, "id" | "attempts"> {
  readonly payload: string;
}

export type Attempted = Pick<Delivery, "id" | "state" | "attempts" | "status" | "error" | "nextAt">;

const DELIVERY = "pk, id, type, state, attempts, status, error, next_at AS nextAt, created_at AS createdAt";

export function webhookDeliveries({ sql }: Database) {
  return {
    insert: sql.write<[NewDelivery]>(
      `INSERT INTO webhook_delivery (id, webhook, change, type, payload, state, next_at, created_at)
       VALUES (:id, :webhook, :change, :type, :payload, 'pending', :createdAt, :createdAt)`,
    ),
    byId: sql.get<Delivery, [webhook: WebhookPk, id: DeliveryId]>(
      `SELECT ${DELIVERY} FROM webhook_delivery WHERE webhook = ? AND id = ?`,
    ),
    page: sql.all<Delivery, [webhook: WebhookPk, before: number, limit: number]>(
      `SELECT ${DELIVERY} FROM webhook_delivery WHERE webhook = ? AND pk < ? ORDER BY pk DESC LIMIT ?`,
    ),
    /** Of those that wait, the one that is due last. */
    dueLast: sql.get<Delivery, [webhook: WebhookPk]>(
      `SELECT ${DELIVERY} FROM webhook_delivery WHERE webhook = ? AND state = 'pending' ORDER BY next_at DESC LIMIT 1`,
    ),
    lastEnded: sql.get<Delivery, [webhook: WebhookPk]>(
      `SELECT ${DELIVERY} FROM webhook_delivery WHERE webhook = ? AND state <> 'pending' ORDER BY pk DESC LIMIT 1`,
    ),
    count: sql.number<[webhook: WebhookPk]>("SELECT count(*) FROM webhook_delivery WHERE webhook = ?"),
    pending: sql.number<[webhook: WebhookPk]>(
      "SELECT count(*) FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
    ),
    /** How many are to be sent to all webhooks, at most `most`. */
    pendingInAll: sql.number<[most: number]>(
      "SELECT count(*) FROM (SELECT 1 FROM webhook_delivery WHERE webhook > 0 AND state = 'pending' LIMIT ?) page",
    ),
    due: sql.all<DueDelivery, [webhook: WebhookPk, now: number, limit: number]>(
      `SELECT id, attempts, payload FROM webhook_delivery
        WHERE webhook = ? AND state = 'pending' AND next_at <= ? ORDER BY next_at, pk LIMIT ?`,
    ),
    /** When the next one is due; null if none waits. */
    nextAt: sql.value<number, [webhook: WebhookPk]>(
      "SELECT min(next_at) FROM webhook_delivery WHERE webhook = ? AND state = 'pending'",
    ),
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
    removeSomeOf: sql.removeSome<[webhook: WebhookPk]>("webhook_delivery", "webhook = ?"),
  };
}
