import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../process/clock.ts";
import { AcmeError, quoted } from "./acme-error.ts";
import type { Authority } from "./authority.ts";
import type { Challenges } from "./challenges.ts";
import { type Authorization, type Order, readAuthorization, readOrder, retryAtOf } from "./replies.ts";

/** The first pause before it is looked again what became of something; each other one is twice as long. Milliseconds. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** How long the pauses for one thing may be together, in milliseconds. */
const PATIENCE_MS = 5 * 60_000;

interface OrderParts {
  readonly authority: Authority;
  readonly challenges: Challenges;
  readonly clock: Clock;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

interface Wanted {
  readonly names: readonly string[];
  /** The request for the certificate, in DER. */
  readonly request: Buffer;
  /** Which certificate it is for instead of (RFC 9773, 4.1); null if of none that the authority has issued. */
  readonly replaces: string | null;
}

/** Has a certificate issued (RFC 8555, 7.4); what the authority sent, not checked. Rejects with AcmeError. */
export async function orderCertificate(parts: OrderParts, wanted: Wanted): Promise<string> {
  const { authority } = parts;
  const placed = await place(authority, wanted);
  const url = authority.own(placed.headers.get("location"));
  let order = readOrder(placed.text);
  for (const authorization of order.authorizations) await prove(parts, authorization);
  order = await settled(parts, url, readOrder, ({ status }) => status !== "pending");
  if (order.status === "ready") {
    await authority.post(order.finalize, { csr: wanted.request.toString("base64url") });
    order = await settled(parts, url, readOrder, isOver);
  } else if (order.status === "processing") {
    order = await settled(parts, url, readOrder, isOver);
  }
  if (order.status !== "valid") throw failed(`the order became ${quoted(order.status)}`, order.failure);
  return (await authority.post(order.certificate, null)).text;
}

function isOver({ status }: Order): boolean {
  return status !== "processing" && status !== "ready";
}

async function place(authority: Authority, { names, replaces }: Wanted) {
  const { newOrder, renewalInfo } = authority.directory;
  const identifiers = names.map((value) => ({ type: "dns", value }));
  if (replaces !== null && renewalInfo !== undefined) {
    try {
      return await authority.post(newOrder, { identifiers, replaces });
    } catch (error) {
      // It may not know that certificate any more, or have replaced it already: that must keep nobody from another.
      const types = ["alreadyReplaced", "malformed", "conflict"];
      if (!(error instanceof AcmeError) || !types.includes(error.type ?? "")) throw error;
    }
  }
  return authority.post(newOrder, { identifiers });
}

/** Shows that a name leads to this server (RFC 8555, 7.5). */
async function prove(parts: OrderParts, named: unknown): Promise<void> {
  const { authority, challenges } = parts;
  const before = readAuthorization((await authority.post(named, null)).text);
  if (before.status === "valid") return;
  const { name, challenge } = before;
  if (before.status !== "pending") throw notFound(before);
  if (challenge === null) throw new AcmeError(`the authority does not look by HTTP where ${name} leads`);
  using answered = challenges.add(challenge.token, authority.thumbprint);
  if (answered === null) throw new AcmeError("the authority's challenge has no valid token");
  await authority.post(challenge.url, {});
  const url = authority.own(named);
  const after = await settled(parts, url, readAuthorization, ({ status }) => status !== "pending");
  if (after.status !== "valid") throw notFound(after);
}

function notFound({ name, failure }: Authorization): AcmeError {
  return failed(`the authority did not find this server at ${name}`, failure);
}

/** Looks at what is at a URL until it is settled. */
async function settled<T>(
  { authority, clock, signal }: OrderParts,
  url: string,
  read: (text: string) => T,
  isSettled: (value: T) => boolean,
): Promise<T> {
  let waited = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const { text, headers } = await authority.post(url, null);
    const value = read(text);
    if (isSettled(value)) return value;
    const asked = (retryAtOf(headers, clock.now()) ?? 0) - clock.now();
    const next = Math.min(Math.max(pause, asked), 4 * LONGEST_PAUSE_MS);
    waited += next;
    if (waited > PATIENCE_MS) throw new AcmeError("the authority takes too long");
    await sleep(next, undefined, { signal });
  }
}

function failed(what: string, why: string | null): AcmeError {
  return new AcmeError(why === null ? what : `${what}: ${why}`);
}
