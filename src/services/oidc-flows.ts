import type { Clock } from "../clock.ts";
import { hashSecret, type SecretHash } from "../domain/api-key.ts";
import { newToken } from "../domain/session.ts";

/** How long a sign-in at the provider may take, in milliseconds. */
export const FLOW_LIFETIME_MS = 10 * 60 * 1000;

/** What has to match when the provider sends the browser back. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's secret (RFC 7636). */
  readonly verifier: string;
  /** A path of ours. */
  readonly returnTo: string;
}

/** Sign-ins that are on their way, each bound by a ticket to the browser that began it. Kept in memory alone. */
export class OidcFlows {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #flows = new Map<SecretHash, { readonly flow: Flow; readonly endsAt: number }>();

  /** Past `capacity` the oldest is forgotten. */
  constructor(parts: { clock: Clock; capacity: number }) {
    this.#clock = parts.clock;
    this.#capacity = parts.capacity;
  }

  /** Keeps a flow; the ticket, which only the browser's cookie holds. */
  put(flow: Flow): string {
    const now = this.#clock.now();
    // All live equally long, so those at the front are the oldest.
    for (const [hash, { endsAt }] of this.#flows) {
      if (this.#flows.size < this.#capacity && endsAt > now) break;
      this.#flows.delete(hash);
    }
    const { token, hash } = newToken();
    this.#flows.set(hash, { flow, endsAt: now + FLOW_LIFETIME_MS });
    return token;
  }

  /** Hands a flow over, this once; null for a ticket that is unknown, used or too old. */
  take(ticket: string): Flow | null {
    const hash = hashSecret(ticket);
    const kept = this.#flows.get(hash);
    this.#flows.delete(hash);
    return kept !== undefined && kept.endsAt > this.#clock.now() ? kept.flow : null;
  }
}
