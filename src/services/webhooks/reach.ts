import type { ServedWebhook } from "../../db/webhooks/webhooks.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Reach } from "../access.ts";
import type { FeedDrive } from "../changes/changes.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

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
    const feedOf = ({ pk }: { readonly pk: FeedDrive["drive"] }) => ({
      drive: pk,
      prefix: ROOT,
      from: position,
    });
    if (webhook.drivePk === null) {
      const isAccount = reach.kind === "account";
      return isAccount
        ? this.parts.tables.drives.byUser(reach.userPk, this.parts.clock.now()).map(feedOf)
        : [];
    }
    const drive = driveId === null ? null : this.parts.access.findDrive(reach, driveId);
    return drive?.role === "owner" ? [feedOf(drive)] : [];
  }

  #of({ keyId, keyHash, user }: ServedWebhook): Reach | null {
    if (keyId !== null) return keyHash === null ? null : this.parts.access.reachOf({ keyHash, user: null });
    return this.parts.access.reachOf({ keyHash: null, user });
  }
}
