import type { Attempted, DueDelivery, ServedWebhook } from "../../db/webhooks/webhooks.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DeliveryId, UserPk, WebhookPk } from "../../domain/id.ts";
import { WEBHOOKS } from "../../domain/limits.ts";
import { unseal } from "../../domain/sealing.ts";
import type { Subnet } from "../../domain/network/address.ts";
import { signedHeaders, waitAfter } from "../../domain/webhooks/webhook.ts";
import { ForbiddenAddress, postPublic, type PublicNetwork } from "../../network/public-network.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { WebhookReach } from "./outbox.ts";

/** How long to wait at most before looking again, in milliseconds: the clock may have been set. */
const LOOK_MS = 60_000;
/** After a failure, how long a webhook is left alone, in milliseconds: twice as long each time, up to the most. */
const PAUSE_MS = { first: 1000, most: 60_000 };
const { atOnce } = WEBHOOKS;

/** What came of an attempt: the status of the answer, or why there was none. */
type Outcome = { readonly status: number } | { readonly error: string };

interface Running {
  readonly webhook: WebhookPk;
  readonly user: UserPk | null;
  readonly done: Promise<void>;
}

/**
 * Sends due deliveries, each at least once: what a crash cuts off is sent again, with the same id. After a failure a
 * webhook pauses, and is sent one at a time until it answers: a dead server takes no turns from others.
 */
export class WebhookSender extends Service<
  Pick<Parts, "tables" | "clock" | "log" | "tracer"> & {
    reach: WebhookReach;
    sealingKey: () => Uint8Array;
    /** Where webhooks may be beside the public internet. */
    subnets: readonly Subnet[];
    network: PublicNetwork | undefined;
    /** Called when a webhook has room for more deliveries. */
    roomMade: (webhook: WebhookPk) => void;
  }
> {
  /** When webhooks have something to send; in the order of their turns. */
  readonly #due = new Map<WebhookPk, number>();
  readonly #running = new Map<DeliveryId, Running>();
  readonly #pauses = new Map<WebhookPk, { readonly failures: number; readonly until: number }>();
  readonly #stopping = new AbortController();
  readonly #attempts: Record<Attempted["state"], number> = { delivered: 0, failed: 0, pending: 0 };
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;

  /** How many attempts came to what, since the start; after one that leaves it pending another one follows. */
  get attempts(): Readonly<Record<Attempted["state"], number>> {
    return this.#attempts;
  }

  /** Sends what waits, and from now on what comes. */
  start(): void {
    this.#isStarted = true;
    for (const webhook of this.parts.tables.webhookDeliveries.waiting()) this.#due.set(webhook, 0);
    this.pump();
  }

  /** Says that a webhook has something to send. @param isAsked whether somebody waits for it: then it does not pause */
  add(webhook: WebhookPk, isAsked = false): void {
    if (isAsked) this.#pauses.delete(webhook);
    this.#due.set(webhook, 0);
    this.pump();
  }

  /** Forgets a webhook that is disabled or removed. */
  forget(webhook: WebhookPk): void {
    this.#due.delete(webhook);
    this.#pauses.delete(webhook);
  }

  /** Ends what is being sent; it is sent again at the next start. Resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Begins to send what is due now. */
  pump(): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#timer);
    const now = this.parts.clock.now();
    let wait = LOOK_MS;
    const turns = Array.from(this.#due);
    for (const [webhook, dueAt] of turns) {
      // The end of each of them calls this again.
      if (this.#running.size >= atOnce.all) break;
      const at = Math.max(dueAt, this.#pauses.get(webhook)?.until ?? 0);
      if (at > now) wait = Math.min(wait, at - now);
      else this.#sendSome(webhook, now);
    }
    this.#timer = setTimeout(() => this.pump(), wait).unref();
  }

  #sendSome(pk: WebhookPk, now: number): void {
    const { tables } = this.parts;
    const webhook = tables.webhooks.served(pk);
    if (webhook === null || webhook.disabledAt !== null) return this.forget(pk);
    const free = this.#freeFor(webhook);
    if (free <= 0) return;
    // More than are free: some of them are being sent.
    const due = tables.webhookDeliveries
      .due(pk, now, atOnce.webhook + free)
      .filter((each) => !this.#running.has(each.id))
      .slice(0, free);
    for (const delivery of due) this.#begin(webhook, delivery);
    this.#due.delete(pk);
    const isBusy = [...this.#running.values()].some((each) => each.webhook === pk);
    const nextAt = tables.webhookDeliveries.nextAt(pk);
    // While something of it is sent it is looked at again at the end of that.
    if (nextAt !== null && !isBusy) this.#due.set(pk, nextAt);
  }

  /** How many more deliveries of a webhook may be sent now. */
  #freeFor({ pk, user }: ServedWebhook): number {
    const running = [...this.#running.values()];
    const count = (is: (each: Running) => boolean) => running.filter(is).length;
    const most = this.#pauses.has(pk) ? 1 : atOnce.webhook;
    return Math.min(
      most - count((each) => each.webhook === pk),
      (user === null ? atOnce.unclaimed : atOnce.owner) - count((each) => each.user === user),
      atOnce.all - running.length,
    );
  }

  #begin(webhook: ServedWebhook, delivery: DueDelivery): void {
    const done = this.#send(webhook, delivery)
      .catch((error: unknown) => {
        if (!(error instanceof WriteRefused))
          this.parts.log.error("a delivery to a webhook failed", { error });
        // What is not known to be sent is sent again, but not at once.
        this.#pause(webhook.pk);
      })
      .finally(() => {
        this.#running.delete(delivery.id);
        this.#due.set(webhook.pk, 0);
        this.pump();
      });
    this.#running.set(delivery.id, { webhook: webhook.pk, user: webhook.user, done });
  }

  async #send(webhook: ServedWebhook, delivery: DueDelivery): Promise<void> {
    const { tables, reach, roomMade } = this.parts;
    const problem = reach.problem(webhook);
    if (problem !== null) return this.#disable(webhook, problem);
    const secret = this.#secretOf(webhook);
    if (secret === null) return this.#disable(webhook, "Its secret cannot be read. Make a new webhook.");
    const outcome = await this.#postTraced(webhook, secret, delivery);
    const now = tables.webhooks.served(webhook.pk);
    // It may be removed by now, and another one have its row.
    if (this.#stopping.signal.aborted || now?.id !== webhook.id) return;
    const isGone = "status" in outcome && outcome.status === 410 && now.url === webhook.url;
    const attempted = this.#attempted(delivery, outcome, isGone);
    this.#attempts[attempted.state] += 1;
    if (attempted.state === "delivered") this.#pauses.delete(webhook.pk);
    else this.#pause(webhook.pk);
    await tables.writeFromReserve(() => {
      tables.webhookDeliveries.attempted(attempted);
      if (attempted.state !== "pending") tables.webhookDeliveries.prune(webhook.pk, WEBHOOKS.kept);
    });
    if (isGone) await this.#disable(webhook, "Its server answered 410 Gone.");
    else if (attempted.state !== "pending") roomMade(webhook.pk);
  }

  /** Null if the server's own secret is another one by now. */
  #secretOf({ secret }: ServedWebhook): Uint8Array | null {
    try {
      return unseal(this.parts.sealingKey(), secret);
    } catch {
      return null;
    }
  }

  /** In a trace of its own, which the webhook's server is told of: nobody waits for it. */
  #postTraced(webhook: ServedWebhook, secret: Uint8Array, delivery: DueDelivery): Promise<Outcome> {
    const { tracer } = this.parts;
    if (tracer === null) return this.#post(webhook.url, secret, delivery);
    return tracer.apart("webhook delivery", async (span) => {
      span?.set({ "coffer.webhook_id": webhook.id, "coffer.delivery_id": delivery.id }, "client");
      const outcome = await this.#post(webhook.url, secret, delivery, span?.header);
      if ("error" in outcome) span?.fail("no_answer");
      else {
        span?.set({ "http.request.method": "POST", "http.response.status_code": outcome.status });
        if (outcome.status >= 400) span?.fail(String(outcome.status));
      }
      return outcome;
    });
  }

  async #post(
    url: string,
    secret: Uint8Array,
    { id, payload }: DueDelivery,
    traceparent?: string,
  ): Promise<Outcome> {
    const { subnets, network, clock } = this.parts;
    const signed = signedHeaders(secret, { id, payload }, clock.now());
    const headers = {
      "content-type": "application/json",
      "user-agent": "Coffer",
      ...signed,
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    const late = AbortSignal.timeout(WEBHOOKS.answerMs);
    const signal = AbortSignal.any([late, this.#stopping.signal]);
    const bounds = { ...network, subnets, bytes: WEBHOOKS.answerBytes };
    try {
      return { status: await postPublic(new URL(url), { headers, body: payload, signal }, bounds) };
    } catch (error) {
      if (late.aborted) return { error: `There was no answer within ${WEBHOOKS.answerMs / 1000} seconds.` };
      if (error instanceof ForbiddenAddress) return { error: "The server has no address that is allowed." };
      return { error: "There was no connection to the server, or it ended without an answer." };
    }
  }

  /** @param isGone whether its server wants no more messages */
  #attempted({ id, attempts: before }: DueDelivery, outcome: Outcome, isGone: boolean): Attempted {
    const attempts = before + 1;
    const status = "status" in outcome ? outcome.status : null;
    if (status !== null && status >= 200 && status < 300) {
      return { id, state: "delivered", attempts, status, error: null, nextAt: null };
    }
    const isRedirect = status !== null && status >= 300 && status < 400;
    const answered = `The server answered ${status}${isRedirect ? ": redirects are not followed" : ""}.`;
    const error = "error" in outcome ? outcome.error : answered;
    const wait = isGone ? null : waitAfter(attempts);
    const nextAt = wait && this.parts.clock.now() + wait;
    return { id, state: nextAt === null ? "failed" : "pending", attempts, status, error, nextAt };
  }

  #pause(webhook: WebhookPk): void {
    const failures = (this.#pauses.get(webhook)?.failures ?? 0) + 1;
    const ms = Math.min(PAUSE_MS.first * 2 ** Math.min(failures - 1, 10), PAUSE_MS.most);
    this.#pauses.set(webhook, { failures, until: this.parts.clock.now() + ms });
  }

  async #disable({ id }: ServedWebhook, reason: string): Promise<void> {
    const { tables, clock } = this.parts;
    await tables.writeFromReserve(() => tables.webhooks.disable(id, clock.now(), reason));
  }
}
