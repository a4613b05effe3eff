import { call } from "./api/api.ts";
import type { Part } from "./api/pages.ts";
import type { CursorPage, Delivery, Webhook } from "./api/types.ts";
import type { WebhookChoice } from "./webhook-choice.ts";

/** A webhook that was just made, with what the server never shows again. */
export interface MadeWebhook extends Webhook {
  readonly secret: string;
}

/** The webhooks of one drive alone, by its id, or all that one manages; the oldest first. */
export async function listWebhooks(driveId: string | null, signal: AbortSignal): Promise<readonly Webhook[]> {
  const query = new URLSearchParams(driveId === null ? {} : { drive_id: driveId });
  return (await call<{ data: Webhook[] }>("GET", `${WEBHOOKS}?${query}`, { signal })).data;
}

export function getWebhook(id: string, signal: AbortSignal): Promise<Webhook> {
  return call("GET", pathOf(id), { signal });
}

/** @param driveId null for all drives */
export function createWebhook(
  driveId: string | null,
  { url, events }: WebhookChoice,
  headers: Readonly<Record<string, string>>,
): Promise<MadeWebhook> {
  return call("POST", WEBHOOKS, { body: { url, events, drive_id: driveId }, headers });
}

export function changeWebhook(
  { id }: Webhook,
  body: WebhookChoice | { readonly enabled: boolean },
): Promise<Webhook> {
  return call("PATCH", pathOf(id), { body });
}

export function deleteWebhook({ id }: Webhook): Promise<unknown> {
  return call("DELETE", pathOf(id));
}

/** Sends a message that says nothing, to see whether it comes. */
export function testWebhook({ id }: Webhook): Promise<Delivery> {
  return call("POST", `${pathOf(id)}/test`);
}

/** The messages that wait, and the last ones that have ended, the newest first. */
export function listDeliveries(id: string, part: Part, signal: AbortSignal): Promise<CursorPage<Delivery>> {
  return call("GET", `${pathOf(id)}/deliveries?${new URLSearchParams(part)}`, { signal });
}

export function resendDelivery(webhook: Webhook, { id }: Delivery): Promise<Delivery> {
  return call("POST", `${pathOf(webhook.id)}/deliveries/${id}/resend`);
}

const WEBHOOKS = "/v0/webhooks";

function pathOf(id: string): string {
  return `${WEBHOOKS}/${encodeURIComponent(id)}`;
}

/** The address of a webhook's page. @param test the id of a delivery that was sent to try it */
export function webhookAddress({ id: webhook }: Webhook, test?: string): string {
  return `/webhooks?${new URLSearchParams({ webhook, ...(test === undefined ? {} : { test }) })}`;
}
