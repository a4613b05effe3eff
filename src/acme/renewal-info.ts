import { messageOf } from "../domain/errors.ts";
import { DAY_MS, HOUR_MS } from "../domain/time.ts";
import type { Clock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import { AcmeError } from "./acme-error.ts";
import { readDirectory, readSuggestedWindow, retryAtOf, type SuggestedWindow } from "./replies.ts";
import type { Requests } from "./requests.ts";

/** When it is asked again if the authority does not say, in milliseconds (RFC 9773, 4.3.3). */
const USUAL_PAUSE_MS = 6 * HOUR_MS;
/** What an authority may say. */
const SHORTEST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = DAY_MS;

interface RenewalInfoParts {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks an authority now and then when it would have a certificate renewed (RFC 9773): sooner if it has to revoke it. */
export class RenewalInfo {
  readonly #parts: RenewalInfoParts;
  /** The certificate that is asked about. */
  #id: string | null = null;
  #window: SuggestedWindow | null = null;
  /** A moment in the window, which stays while the window does. */
  #moment: number | null = null;
  #nextAt = 0;
  #failure: string | null = null;

  constructor(parts: RenewalInfoParts) {
    this.#parts = parts;
  }

  /** When to renew a certificate, in milliseconds since the epoch; null if the authority does not say. */
  async momentFor(id: string): Promise<number | null> {
    if (id !== this.#id) [this.#id, this.#window, this.#moment, this.#nextAt] = [id, null, null, 0];
    const now = this.#parts.clock.now();
    if (now < this.#nextAt) return this.#moment;
    this.#nextAt = now + USUAL_PAUSE_MS;
    try {
      await this.#ask(id, now);
      this.#failure = null;
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      this.#fail(messageOf(error));
    }
    return this.#moment;
  }

  async #ask(id: string, now: number): Promise<void> {
    const { requests } = this.#parts;
    const { renewalInfo } = readDirectory((await requests.send(requests.directory)).text);
    if (renewalInfo === undefined) return;
    const { text, headers } = await requests.send(`${requests.own(renewalInfo)}/${id}`);
    const { start, end } = readSuggestedWindow(text);
    if (start !== this.#window?.start || end !== this.#window.end) {
      this.#window = { start, end };
      this.#moment = start + (end - start) * Math.random();
    }
    const asked = (retryAtOf(headers, now) ?? this.#nextAt) - now;
    this.#nextAt = now + Math.min(Math.max(asked, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  }

  /** Nothing is lost: the certificate is renewed in time without. */
  #fail(reason: string): void {
    if (reason === this.#failure) return;
    this.#failure = reason;
    this.#parts.log.info("the authority does not say when to renew the TLS certificate", { reason });
  }
}
