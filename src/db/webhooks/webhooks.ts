import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { ChangeNumber } from "../../domain/changes/change.ts";
import type { DrivePk, UserPk, WebhookId, WebhookPk } from "../../domain/id.ts";
import type { NewWebhook, Webhook } from "../../domain/webhooks/webhook.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** What the server needs to serve a webhook. */
export interface ServedWebhook extends Webhook {
  /** Of its key; null if that is gone, or there was none. */
  readonly keyHash: SecretHash | null;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly position: ChangeNumber;
}

type Row<T extends Webhook> = Omit<T, "events"> & { readonly events: string };
type NewRow = Omit<NewWebhook, "events"> & { readonly events: string };
type Changed = Pick<Webhook, "pk" | "keyId" | "url" | "events">;
type ChangedRow = Omit<Changed, "events"> & { readonly events: string };

const COLUMNS = `
  w.pk, w.id, w.user, w.drive AS drivePk, d.id AS driveId, w.key_id AS keyId, w.url, w.events,
  w.created_at AS createdAt, w.disabled_at AS disabledAt, w.disabled_reason AS disabledReason`;
const FROM = "FROM webhook w LEFT JOIN drive d ON d.pk = w.drive";

export class WebhooksTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byId: sql.prepare<Row<Webhook>, [WebhookId]>(`SELECT ${COLUMNS} ${FROM} WHERE w.id = ?`),
      served: sql.prepare<Row<ServedWebhook>, [WebhookPk]>(
        `SELECT ${COLUMNS}, k.hash AS keyHash, w.secret, w.position
         ${FROM} LEFT JOIN api_key k ON k.id = w.key_id WHERE w.pk = ?`,
      ),
      enabled: sql.prepare<Pick<Webhook, "pk" | "user" | "drivePk">, []>(
        "SELECT pk, user, drive AS drivePk FROM webhook WHERE disabled_at IS NULL",
      ),
      ofUser: sql.prepare<Row<Webhook>, [UserPk]>(`SELECT ${COLUMNS} ${FROM} WHERE w.user = ? ORDER BY w.pk`),
      ofDrive: sql.prepare<Row<Webhook>, [DrivePk]>(
        `SELECT ${COLUMNS} ${FROM} WHERE w.drive = ? ORDER BY w.pk`,
      ),
      insert: sql.prepare<{ pk: WebhookPk }, [Parameters<NewRow>]>(
        `INSERT INTO webhook (id, user, drive, key_id, url, events, secret, position, created_at)
       VALUES (:id, :user, :drive, :keyId, :url, :events, :secret, :position, :createdAt) RETURNING pk`,
      ),
      update: sql.prepare<never, [Parameters<ChangedRow>]>(
        "UPDATE webhook SET url = :url, events = :events, key_id = :keyId WHERE pk = :pk",
      ),
      enable: sql.prepare<never, [ChangeNumber, WebhookPk]>(
        "UPDATE webhook SET disabled_at = NULL, disabled_reason = NULL, position = ? WHERE pk = ?",
      ),
      disable: sql.prepare<never, [number, string, WebhookId]>(
        "UPDATE webhook SET disabled_at = ?, disabled_reason = ? WHERE id = ? AND disabled_at IS NULL",
      ),
      setPosition: sql.prepare<never, [ChangeNumber, WebhookPk]>(
        "UPDATE webhook SET position = ? WHERE pk = ?",
      ),
      giveTo: sql.prepare<never, [UserPk, DrivePk]>("UPDATE webhook SET user = ? WHERE drive = ?"),
      remove: sql.prepare<never, [WebhookPk]>("DELETE FROM webhook WHERE pk = ?"),
      anyOf: sql.prepare<{ pk: WebhookPk }, [DrivePk]>("SELECT pk FROM webhook WHERE drive = ? LIMIT 1"),
    };
  }

  byId(id: WebhookId): Webhook | null {
    const row = this.#sql.byId.get(id);
    return row === null ? null : withEvents(row);
  }

  served(pk: WebhookPk): ServedWebhook | null {
    const row = this.#sql.served.get(pk);
    return row === null ? null : withEvents(row);
  }

  enabled(): Pick<Webhook, "pk" | "user" | "drivePk">[] {
    return this.#sql.enabled.all();
  }

  /** Those of a user and of the user's drives, oldest first. */
  ofUser(user: UserPk): Webhook[] {
    return this.#sql.ofUser.all(user).map(withEvents);
  }

  /** Those of one drive alone, oldest first. */
  ofDrive(drive: DrivePk): Webhook[] {
    return this.#sql.ofDrive.all(drive).map(withEvents);
  }

  /** Inside a write. */
  insert(webhook: NewWebhook): WebhookPk {
    const row = this.#sql.insert.get({ ...webhook, events: JSON.stringify(webhook.events) });
    if (row === null) throw new Error("a new webhook is missing");
    return row.pk;
  }

  /** Inside a write. */
  update({ pk, keyId, url, events }: Changed): void {
    this.#sql.update.run({ pk, keyId, url, events: JSON.stringify(events) });
  }

  /** Enables a webhook, which is told of what comes after a change. Inside a write. */
  enable(pk: WebhookPk, position: ChangeNumber): void {
    this.#sql.enable.run(position, pk);
  }

  /** Does nothing if it is removed by now. Inside a write. */
  disable(id: WebhookId, now: number, reason: string): void {
    this.#sql.disable.run(now, reason, id);
  }

  /** Remembers the last change that was looked at. Inside a write. */
  setPosition(pk: WebhookPk, position: ChangeNumber): void {
    this.#sql.setPosition.run(position, pk);
  }

  /** Gives the webhooks of a drive that is claimed to its owner. Inside a write. */
  giveTo(user: UserPk, drive: DrivePk): void {
    this.#sql.giveTo.run(user, drive);
  }

  /** Removes a webhook, and its deliveries: see `removeSomeOfWebhook` for many of them. Inside a write. */
  remove(pk: WebhookPk): void {
    this.#sql.remove.run(pk);
  }

  /** One of those of a drive alone; null if there is none. */
  anyOf(drive: DrivePk): WebhookPk | null {
    return this.#sql.anyOf.get(drive)?.pk ?? null;
  }
}

function withEvents<T extends { readonly events: string }>(
  row: T,
): Omit<T, "events"> & { readonly events: readonly string[] } {
  const events: readonly string[] = JSON.parse(row.events);
  return { ...row, events };
}
