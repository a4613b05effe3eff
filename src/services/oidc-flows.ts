import type { Clock } from "../clock.ts";
import { hashSecret, type SecretHash } from "../domain/api-key.ts";
import { newToken } from "../domain/session.ts";

/** How long a sign-in at the provider may take, in milliseconds. */
export const FLOW_LIFETIME_MS = 10 * 60 * 1000;

/** What must match when the provider redirects the browser back. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string;
  /** A path on this server. */
  readonly returnTo: string;
}

/** Sign-ins in progress. A ticket binds each to the browser that began it. In memory only. */
export class OidcFlows {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #flows = new Map<SecretHash, { readonly flow: Flow; readonly endsAt: number }>();

  /** Beyond `capacity` the oldest are dropped. */
  constructor(parts: { clock: Clock; capacity: number }) {
    this.#clock = parts.clock;
    this.#capacity = parts.capacity;
  }

  /** Stores a flow. Returns the ticket, which only the browser's cookie holds. */
  put(flow: Flow): string {
    const now = this.#clock.now();
    // All have the same lifetime, so the first are the oldest.
    for (const [hash, { endsAt }] of this.#flows) {
      if (this.#flows.size < this.#capacity && endsAt > now) break;
      this.#flows.delete(hash);
    }
    const { token, hash } = newToken();
    this.#flows.set(hash, { flow, endsAt: now + FLOW_LIFETIME_MS });
    return token;
  }

  /** Removes and returns a flow; null for a ticket that is unknown, used or expired. */
  take(ticket: string): Flow | null {
    const hash = hashSecret(ticket);
    const kept = this.#flows.get(hash);
    this.#flows.delete(hash);
    return kept !== undefined && kept.endsAt > this.#clock.now() ? kept.flow : null;
  }
}
