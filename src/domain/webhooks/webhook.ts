import type { ChangeNumber } from "../changes/change.ts";
import { CHANGE_TYPES, type ChangeType } from "../changes/change-types.ts";
import { invalid } from "../errors.ts";
import type { DeliveryId, DeliveryPk, DriveId, DrivePk, KeyId, UserPk, WebhookId, WebhookPk } from "../id.ts";
import { WEBHOOKS } from "../limits.ts";
import { HOUR_MS } from "../time.ts";

/** Somewhere to be told of changes. Times are milliseconds since the epoch. */
export interface Webhook {
  readonly pk: WebhookPk;
  readonly id: WebhookId;
  /** The owner; null for one of an unclaimed drive. */
  readonly user: UserPk | null;
  /** The only drive it is told of; null for all drives of the owner. */
  readonly drivePk: DrivePk | null;
  readonly driveId: DriveId | null;
  /** The key that it was made with, or that set its address since; null if with a session. */
  readonly keyId: KeyId | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly createdAt: number;
  /** Null while it is enabled. */
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
}

/** What is to be stored of a new webhook. */
export interface NewWebhook extends Pick<Webhook, "id" | "user" | "keyId" | "url" | "events" | "createdAt"> {
  readonly drive: DrivePk | null;
  /** Sealed. */
  readonly secret: Uint8Array;
  /** The last change that it is not told of. */
  readonly position: ChangeNumber;
}

/** One message to a webhook. Times are milliseconds since the epoch. */
export interface Delivery {
  readonly pk: DeliveryPk;
  /** The same each time it is sent. */
  readonly id: DeliveryId;
  readonly type: string;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: number;
  /** Of the last answer; null if there was none. */
  readonly status: number | null;
  /** What went wrong last; null if nothing. */
  readonly error: string | null;
  /** When it is sent next; null if it is not. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

/** The event of a delivery that somebody asked for to try a webhook. */
export const TEST_EVENT = "webhook.test";

const ALL = "*";
const GROUPS = [...new Set(CHANGE_TYPES.map((type) => `${groupOf(type)}.*`))];
const EVENTS: ReadonlySet<string> = new Set([ALL, ...GROUPS, ...CHANGE_TYPES]);

function groupOf(event: string): string {
  return event.slice(0, event.indexOf("."));
}

/** Checks events: types of changes, such as `file.created`, all of a group, `file.*`, or all, `*`. */
export function parseEvents(events: readonly string[]): readonly string[] {
  if (events.length === 0) throw invalid("events", "must name at least one event; * is all");
  for (const event of events) {
    if (!EVENTS.has(event)) throw invalid("events", `has no event "${cut(event)}"; there are ${near(event)}`);
  }
  return [...new Set(events)];
}

function cut(text: string): string {
  return text.slice(0, 64);
}

/** The events that are like one that does not exist; all if none is. */
function near(event: string): string {
  const [group = "", what = ""] = cut(event).toLowerCase().split(".");
  const like = [...EVENTS].filter((each) => {
    const [itsGroup = "", its = ""] = each.split(".");
    return itsGroup.startsWith(group.slice(0, 4) || "-") || (what !== "" && its === what);
  });
  return (like.length > 0 ? like : [...EVENTS]).join(", ");
}

/** Whether a change is one of these events. */
export function wants(events: readonly string[], type: ChangeType): boolean {
  return events.some((each) => each === ALL || each === type || each === `${groupOf(type)}.*`);
}

/** Checks the address of a webhook. @param allowsPlain whether there may be servers without TLS */
export function parseWebhookUrl(text: string, allowsPlain: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid("url", "must be a URL such as https://agent.example/hook");
  if (text.length > WEBHOOKS.urlCharacters) {
    throw invalid("url", `must have at most ${WEBHOOKS.urlCharacters} characters`);
  }
  if (url.protocol !== "https:" && !(allowsPlain && url.protocol === "http:")) {
    throw invalid("url", "must begin with https://");
  }
  if (url.username !== "" || url.password !== "")
    throw invalid("url", "must not have a username or password");
  return url;
}

const SECRET_START = "whsec_";
const SECRET_BYTES = { least: 24, most: 64, made: 32 };

/** Makes a secret to sign with (Standard Webhooks, "Signature scheme"). */
export function newWebhookSecret(): string {
  return SECRET_START + crypto.getRandomValues(new Uint8Array(SECRET_BYTES.made)).toBase64();
}

/** The bytes of a secret. Throws VALIDATION_ERROR. */
export function parseWebhookSecret(text: string): Uint8Array {
  const encoded = text.startsWith(SECRET_START) ? text.slice(SECRET_START.length) : "";
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0;
  const bytes = Buffer.from(isBase64 ? encoded : "", "base64");
  if (bytes.length < SECRET_BYTES.least || bytes.length > SECRET_BYTES.most) {
    const { least, most } = SECRET_BYTES;
    throw invalid("secret", `must be ${SECRET_START} and the base64 of ${least} to ${most} random bytes`);
  }
  return bytes;
}

/** Where a message is from (Standard Webhooks, "Webhook headers"). @param now milliseconds since the epoch */
export function signedHeaders(
  secret: Uint8Array,
  { id, payload }: { readonly id: string; readonly payload: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = new Bun.CryptoHasher("sha256", secret)
    .update(`${id}.${timestamp}.${payload}`)
    .digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** When a message is sent again, each in milliseconds since it was first sent: for a day. */
const AGAIN = [5000, 5 * 60_000, 30 * 60_000, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 24 * HOUR_MS];

/** How long to wait after so many attempts in vain, in milliseconds; null for not to try again. */
export function waitAfter(attempts: number, random = Math.random()): number | null {
  const at = AGAIN[attempts - 1];
  if (at === undefined) return null;
  // So that many that failed together do not all come back together.
  return Math.round((at - (AGAIN[attempts - 2] ?? 0)) * (0.8 + 0.4 * random));
}
