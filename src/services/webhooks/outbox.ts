import { setImmediate as nextTurn } from "node:timers/promises";
import type { NewDelivery, ServedWebhook } from "../../db/webhooks/webhooks.ts";
import { type Change, type ChangeNumber, changeNumber } from "../../domain/changes/change.ts";
import { WriteRefused } from "../../domain/errors.ts";
import { type DeliveryId, newId, type WebhookPk } from "../../domain/id.ts";
import { WEBHOOKS } from "../../domain/limits.ts";
import { formatInstant } from "../../domain/time.ts";
import { wants, type Webhook } from "../../domain/webhooks/webhook.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Reach } from "../access.ts";
import type { FeedDrive } from "../changes/changes.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Tables } from "../../db/tables.ts";

const STEP = 100;
/** After so many changes that a webhook is not told of, its position is written all the same. */
const SKIPPED = 1000;

/** A change as a message shows it. */
type DescribeChange = (change: Change) => object;

/**
 * Makes deliveries of changes. The feed is the queue: each webhook's position in it moves in the transaction that
 * stores the deliveries, so none is left out or made twice. While too many wait, the position waits.
 */
export class WebhookOutbox extends Service<
  Pick<Parts, "tables" | "changes" | "clock" | "log"> & {
    reach: WebhookReach;
    /** Called when a webhook has new deliveries. */
    filled: (webhook: WebhookPk) => void;
  }
> {
  readonly #watching = new Map<WebhookPk, Disposable>();
  /** Webhooks for which there may be something. */
  readonly #woken = new Set<WebhookPk>();
  /** How far webhooks were looked through beyond their positions: there was nothing for them. */
  readonly #seen = new Map<WebhookPk, ChangeNumber>();
  #describe: DescribeChange | null = null;
  #running: Promise<void> | null = null;

  /** Looks for changes for all webhooks, and again whenever there are new ones. */
  start(describe: DescribeChange): void {
    this.#describe = describe;
    for (const webhook of this.parts.tables.webhooks.enabled()) this.open(webhook);
  }

  /** Waits for changes that a webhook is told of. */
  open({ pk, user, drivePk }: Pick<Webhook, "pk" | "user" | "drivePk">): void {
    this.close(pk);
    const watched = drivePk !== null ? new Set([drivePk]) : user === null ? null : { owner: user };
    if (watched === null) return;
    const watching = this.parts.changes.hub.subscribe(watched, () => this.wake(pk));
    this.#watching.set(pk, watching);
    this.wake(pk);
  }

  /** Waits no more for a webhook that is disabled or removed. */
  close(webhook: WebhookPk): void {
    this.#watching.get(webhook)?.[Symbol.dispose]();
    this.#watching.delete(webhook);
    this.#seen.delete(webhook);
    this.#woken.delete(webhook);
  }

  /** Says that there may be something for a webhook, or room for it. */
  wake(webhook: WebhookPk): void {
    if (this.#describe === null || !this.#watching.has(webhook)) return;
    this.#woken.add(webhook);
    this.#running ??= this.#run(this.#describe);
  }

  /** Resolves when nothing runs; nothing is begun after that. */
  async stop(): Promise<void> {
    this.#describe = null;
    for (const webhook of this.#watching.keys()) this.close(webhook);
    await this.#running;
  }

  async #run(describe: DescribeChange): Promise<void> {
    for (let [webhook] = this.#woken; webhook !== undefined; [webhook] = this.#woken) {
      this.#woken.delete(webhook);
      try {
        // To the end of the line: others have their turn.
        if (await this.#step(webhook, describe)) this.#woken.add(webhook);
      } catch (error) {
        // A full disk: tried again with the next change.
        if (!(error instanceof WriteRefused))
          this.parts.log.error("the deliveries of a webhook could not be made", { error });
      }
      // Other requests have theirs: most steps await nothing.
      await nextTurn();
    }
    this.#running = null;
  }

  /** Looks at some changes. Resolves with whether there are more. */
  async #step(pk: WebhookPk, describe: DescribeChange): Promise<boolean> {
    const { tables, changes, reach, clock, filled } = this.parts;
    const webhook = tables.webhooks.served(pk);
    if (webhook === null || webhook.disabledAt !== null) {
      this.close(pk);
      return false;
    }
    const problem = reach.problem(webhook);
    if (problem !== null) {
      await tables.writeFromReserve(() => tables.webhooks.disable(webhook.id, clock.now(), problem));
      this.close(pk);
      return false;
    }
    const room = mostPending(webhook) - tables.webhookDeliveries.pending(pk);
    if (room <= 0) return false;
    const from = changeNumber(Math.max(this.#seen.get(pk) ?? 0, webhook.position));
    const drives = reach.drives({ ...webhook, position: from });
    const page = changes.page({ drives, position: null, limit: Math.min(room, STEP), newestFirst: false });
    const upTo = changeNumber(Math.max(page.next.number, from));
    const told = page.changes.filter(({ type }) => wants(webhook.events, type));
    if (told.length > 0 || upTo - webhook.position > SKIPPED) {
      const made = told.map((change) => newDelivery(pk, change, describe(change), clock.now()));
      await tables.write(() => this.#store(webhook, made, upTo));
      this.#seen.delete(pk);
      if (made.length > 0) filled(pk);
    } else if (this.#watching.has(pk)) this.#seen.set(pk, upTo);
    return page.hasMore;
  }

  #store({ pk, position }: ServedWebhook, made: readonly NewDelivery[], upTo: ChangeNumber): void {
    const { webhooks, webhookDeliveries } = this.parts.tables;
    const now = webhooks.served(pk);
    // Meanwhile it was removed or disabled, or enabled again and begins later.
    if (now === null || now.disabledAt !== null || now.position !== position) return;
    for (const delivery of made) webhookDeliveries.insert(delivery);
    webhooks.setPosition(pk, upTo);
  }
}

/** What webhooks may tell: what their makers may see now. */
export class WebhookReach extends Service<Pick<Parts, "tables" | "access" | "clock">> {
  /** Why a webhook may tell nothing any more; null if it may. */
  problem(webhook: ServedWebhook): string | null {
    if (this.#of(webhook) !== null) return null;
    return webhook.keyId === null
      ? "Its user was disabled."
      : "The key that it was made with was revoked or has expired.";
  }

  /** The drives of which a webhook tells what came after its position. */
  drives(webhook: ServedWebhook): FeedDrive[] {
    const { driveId, position } = webhook;
    const reach = this.#of(webhook);
    if (reach === null) return [];
    const { tables, access, clock } = this.parts;
    const feedOf = ({ pk }: Pick<Drive, "pk">) => ({ drive: pk, prefix: ROOT, from: position });
    if (webhook.drivePk === null) {
      return reach.kind === "account" ? tables.drives.byUser(reach.userPk, clock.now()).map(feedOf) : [];
    }
    const drive = driveId === null ? null : access.findDrive(reach, driveId);
    return drive?.role === "owner" ? [feedOf(drive)] : [];
  }

  #of({ keyId, keyHash, user }: ServedWebhook): Reach | null {
    if (keyId === null) return this.parts.access.reachOf({ keyHash: null, user });
    return keyHash === null ? null : this.parts.access.reachOf({ keyHash, user: null });
  }
}

export function mostPending({ user }: Pick<Webhook, "user">): number {
  return user === null ? WEBHOOKS.pending.unclaimed : WEBHOOKS.pending.claimed;
}

/** A message to a webhook about what happened `at` some time, in milliseconds since the epoch. */
export function newDelivery(
  webhook: WebhookPk,
  { number: change, type, at }: Pick<Change, "at"> & { number: ChangeNumber | null; type: string },
  data: object,
  now: number,
): NewDelivery {
  // Standard Webhooks, "Payload structure".
  const payload = JSON.stringify({ type, timestamp: formatInstant(at), data });
  return { id: newId<DeliveryId>(now), webhook, change, type, payload, createdAt: now };
}

/** How many deliveries one transaction removes, so that no request waits long. */
export const DELIVERIES_AT_ONCE = 100;

/** Removes some deliveries of a webhook, after the last the webhook. Returns whether it is gone. Inside a write. */
export function removeSomeOfWebhook({ webhooks, webhookDeliveries }: Tables, webhook: WebhookPk): boolean {
  if (webhookDeliveries.removeSomeOf(webhook, DELIVERIES_AT_ONCE) === DELIVERIES_AT_ONCE) return false;
  webhooks.remove(webhook);
  return true;
}
