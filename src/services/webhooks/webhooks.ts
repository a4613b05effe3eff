import type { Within } from "../../db/engine/database.ts";
import { type Caller, requireManaging } from "../../domain/accounts/caller.ts";
import { CofferError, invalid, notFound, orNotFound, present } from "../../domain/errors.ts";
import { type DrivePk, newId, parseId, type UserPk, type WebhookId } from "../../domain/id.ts";
import { WEBHOOKS } from "../../domain/limits.ts";
import { seal } from "../../domain/sealing.ts";
import type { Subnet } from "../../domain/network/address.ts";
import {
  newWebhookSecret,
  parseEvents,
  parseWebhookSecret,
  parseWebhookUrl,
  type Webhook,
} from "../../domain/webhooks/webhook.ts";
import { leadsNowhere } from "../../network/public-network.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { inPieces } from "../pieces.ts";
import { DELIVERIES_AT_ONCE, type WebhookOutbox } from "./outbox.ts";
import type { WebhookSender } from "./sender.ts";

interface WebhookRequest {
  /** An id or slug; undefined for what the caller reaches: all drives of an account, or its one drive. */
  readonly drive: string | undefined;
  readonly url: string;
  readonly events: readonly string[];
  /** Undefined for a new one. */
  readonly secret: string | undefined;
}

/** What is to be changed; undefined stays. */
interface WebhookUpdate {
  readonly url: string | undefined;
  readonly events: readonly string[] | undefined;
  readonly enabled: boolean | undefined;
}

/** Of whom a webhook is, and of which drive it tells. */
interface Scope {
  readonly user: UserPk | null;
  readonly drive: DrivePk | null;
}

/** Who is told of changes, and where. Only who manages a drive sees and changes its webhooks: `requireManaging`. */
export class Webhooks extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "changes" | "clock"> & {
    sealingKey: () => Uint8Array;
    subnets: readonly Subnet[];
    outbox: WebhookOutbox;
    sender: WebhookSender;
  }
> {
  /** The secret is shown only now. Throws NOT_FOUND for the drive, FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED. */
  async create(
    caller: Caller,
    wanted: WebhookRequest,
    within?: Within<{ readonly webhook: Webhook; readonly secret: string }>,
  ) {
    const url = this.#url(wanted.url);
    const events = parseEvents(wanted.events);
    const secret = wanted.secret ?? newWebhookSecret();
    const sealed = seal(this.parts.sealingKey(), parseWebhookSecret(secret));
    const created = await this.parts.access.write(caller, within, () => {
      const now = this.parts.clock.now();
      requireManaging(caller);
      const scope = this.#scope(caller, wanted.drive);
      this.#requireRoom(scope);
      const id = newId<WebhookId>(now);
      const { head: position } = this.parts.changes;
      const made = { id, keyId: caller.keyId, url, events, secret: sealed, position, createdAt: now };
      this.parts.tables.webhooks.insert({ ...scope, ...made });
      const webhook = this.#existing(id);
      this.#record("webhook.created", caller, webhook);
      return { webhook, secret };
    });
    this.parts.outbox.open(created.webhook);
    return created;
  }

  /** The caller's webhooks, oldest first; of a drive (id or slug) or all. Throws NOT_FOUND, FORBIDDEN for the drive. */
  list(caller: Caller, drive: string | undefined): readonly Webhook[] {
    requireManaging(caller);
    const scope = this.#scope(caller, drive);
    if (scope.drive !== null) return this.parts.tables.webhooks.ofDrive(scope.drive);
    return scope.user === null ? [] : this.#ofUser(scope.user);
  }

  /** Throws NOT_FOUND, also for who does not manage its drive, and FORBIDDEN for who manages none. */
  get(caller: Caller, reference: string): Webhook {
    requireManaging(caller);
    const id = parseId<WebhookId>(reference);
    const webhook = orNotFound(id && this.parts.tables.webhooks.byId(id), "webhook");
    const { user, drivePk, driveId } = webhook;
    const drive = driveId === null ? null : this.parts.access.findDrive(caller, driveId);
    const isOwn = drivePk === null && caller.kind === "account" && caller.userPk === user;
    if (!isOwn && (drivePk === null || drive?.role !== "owner")) throw notFound("webhook");
    return webhook;
  }

  /**
   * A webhook goes with the key that set its address: no key may have a person's webhook tell somebody else for longer
   * than it lasts. Throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.
   */
  async update(caller: Caller, reference: string, wanted: WebhookUpdate, within?: Within<Webhook>) {
    const url = wanted.url === undefined ? undefined : this.#url(wanted.url);
    const events = wanted.events === undefined ? undefined : parseEvents(wanted.events);
    const { webhooks } = this.parts.tables;
    const updated = await this.parts.access.write(caller, within, () => {
      const webhook = this.get(caller, reference);
      const { pk, disabledAt } = webhook;
      const keyId = (url ?? webhook.url) === webhook.url ? webhook.keyId : caller.keyId;
      webhooks.update({ pk, keyId, url: url ?? webhook.url, events: events ?? webhook.events });
      if (wanted.enabled === true && disabledAt !== null) webhooks.enable(pk, this.parts.changes.head);
      if (wanted.enabled === false)
        webhooks.disable(webhook.id, this.parts.clock.now(), "It was disabled by request.");
      const changed = this.#existing(webhook.id);
      this.#record("webhook.changed", caller, changed);
      return changed;
    });
    if (updated.disabledAt === null) {
      this.parts.outbox.open(updated);
      this.parts.sender.add(updated.pk, true);
    } else this.#forget(updated);
    return updated;
  }

  /** Removes a webhook and its deliveries. Throws NOT_FOUND, FORBIDDEN. */
  async remove(caller: Caller, reference: string, within?: Within<Webhook>): Promise<Webhook> {
    await inPieces(() => this.#removeSomeDeliveries(caller, reference));
    const removed = await this.parts.access.writeFromReserve(caller, within, () => {
      const webhook = this.get(caller, reference);
      this.parts.tables.webhooks.remove(webhook.pk);
      this.#record("webhook.deleted", caller, webhook);
      return webhook;
    });
    this.#forget(removed);
    return removed;
  }

  /** Of a webhook with many deliveries. It gets no more: where this is cut short, it is disabled. */
  async #removeSomeDeliveries(caller: Caller, reference: string): Promise<number> {
    const { pk } = this.get(caller, reference);
    const { webhooks, webhookDeliveries } = this.parts.tables;
    if (webhookDeliveries.count(pk) <= DELIVERIES_AT_ONCE) return 0;
    return this.parts.access.writeFromReserve(caller, undefined, () => {
      const webhook = this.get(caller, reference);
      webhooks.disable(webhook.id, this.parts.clock.now(), "It is being removed.");
      this.#forget(webhook);
      return webhookDeliveries.removeSomeOf(webhook.pk, DELIVERIES_AT_ONCE);
    });
  }

  /** The host alone: the path of an address may have a secret. Inside a write. */
  #record(action: `webhook.${"created" | "changed" | "deleted"}`, caller: Caller, webhook: Webhook): void {
    const { id, url, driveId } = webhook;
    const subject = { kind: "webhook", id, name: new URL(url).host } as const;
    this.parts.audit.add(caller, { action, subject, ...(driveId === null ? {} : { driveId }) });
  }

  #forget({ pk }: Webhook): void {
    this.parts.outbox.close(pk);
    this.parts.sender.forget(pk);
  }

  #existing(id: WebhookId): Webhook {
    return present(this.parts.tables.webhooks.byId(id), "a webhook");
  }

  /** All drives of an account, or the one that is named or that the key is limited to. */
  #scope(caller: Caller, reference: string | undefined): Scope {
    if (reference === undefined && caller.kind === "account") return { user: caller.userPk, drive: null };
    const named = reference ?? (caller.kind === "drive" ? caller.driveId : "");
    const { pk, owner } = this.parts.access.driveToManage(caller, named);
    return { user: owner?.pk ?? null, drive: pk };
  }

  /** Without those of deleted drives. */
  #ofUser(user: UserPk): readonly Webhook[] {
    const now = this.parts.clock.now();
    const isThere = (drive: DrivePk) => this.parts.tables.drives.byPk(drive, now) !== null;
    return this.parts.tables.webhooks
      .ofUser(user)
      .filter(({ drivePk }) => drivePk === null || isThere(drivePk));
  }

  #requireRoom({ user, drive }: Scope): void {
    const found =
      user !== null ? this.#ofUser(user) : drive !== null ? this.parts.tables.webhooks.ofDrive(drive) : [];
    const most = user === null ? WEBHOOKS.each.unclaimed : WEBHOOKS.each.claimed;
    if (found.length >= most) {
      throw new CofferError(
        "QUOTA_EXCEEDED",
        `There are ${most} webhooks already, the most there may be. Delete one first.`,
      );
    }
  }

  /** An address in the URL, or `localhost`, is checked here and again when it is connected to; another name only then. */
  #url(text: string): string {
    const url = parseWebhookUrl(text, this.parts.subnets.length > 0);
    if (leadsNowhere(url, this.parts.subnets)) {
      throw invalid("url", "must be https://, at a public address: this server does not connect to others");
    }
    return url.href;
  }
}
