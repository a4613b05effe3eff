import type { PasswordSender } from "../../domain/accounts/sign-in.ts";
import { hashPasswordSender, KNOWN_CLIENT_TOUCH_MS, KNOWN_CLIENTS } from "../../domain/accounts/sign-in.ts";
import type { Parts } from "../parts.ts";

/** Clients that have sent an account's correct password before. Guesses by other clients do not block them. */
export class KnownClients {
  readonly #parts;

  constructor(
    parts: Pick<Parts, "tables" | "clock"> & {
      /** Of this data directory. */
      secret: Uint8Array;
      /** How many are remembered, unless `KNOWN_CLIENTS`. */
      most?: number;
    },
  ) {
    this.#parts = parts;
  }

  has(sender: PasswordSender): boolean {
    const { tables, secret } = this.#parts;
    return tables.knownClients.usedAt(hashPasswordSender(secret, sender)) !== null;
  }

  /** Remembers a client that has sent the correct password. Mostly there is nothing to write. */
  async remember(sender: PasswordSender): Promise<void> {
    const { tables, clock, secret, most = KNOWN_CLIENTS } = this.#parts;
    const hash = hashPasswordSender(secret, sender);
    const now = clock.now();
    const usedAt = tables.knownClients.usedAt(hash);
    if (usedAt !== null && now - usedAt < KNOWN_CLIENT_TOUCH_MS) return;
    await tables.writeFromReserve(() => {
      tables.knownClients.put(hash, now);
      if (usedAt === null) tables.knownClients.trim(most);
    });
  }
}
