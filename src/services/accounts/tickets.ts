import type { Clock } from "../../process/clock.ts";
import { hashSecret, type SecretHash } from "../../domain/accounts/api-key.ts";
import { newToken } from "../../domain/accounts/sign-in.ts";
import { Service } from "../service.ts";

interface Kept<T> {
  readonly value: T;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/** Values that are kept for a short time, each for whoever has its ticket. In memory only. */
export class Tickets<T> extends Service<{
  clock: Clock;
  /** Beyond it the oldest are dropped. */
  capacity: number;
  lifetimeMs: number;
}> {
  readonly #kept = new Map<SecretHash, Kept<T>>();

  /** Keeps a value. Returns its ticket, a secret of 43 characters of base64url. */
  put(value: T): string {
    const now = this.parts.clock.now();
    // All have the same lifetime, so the first are the oldest.
    for (const [hash, { endsAt }] of this.#kept) {
      if (this.#kept.size < this.parts.capacity && endsAt > now) break;
      this.#kept.delete(hash);
    }
    const { token, hash } = newToken();
    this.#kept.set(hash, { value, endsAt: now + this.parts.lifetimeMs });
    return token;
  }

  /** The value of a ticket; null for one that is unknown, used or expired. */
  peek(ticket: string): T | null {
    return this.#valid(this.#kept.get(hashSecret(ticket)));
  }

  take(ticket: string): T | null {
    const hash = hashSecret(ticket);
    const kept = this.#kept.get(hash);
    this.#kept.delete(hash);
    return this.#valid(kept);
  }

  #valid(kept: Kept<T> | undefined): T | null {
    return kept !== undefined && kept.endsAt > this.parts.clock.now() ? kept.value : null;
  }
}
