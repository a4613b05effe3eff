import { type Caller, isUnclaimed, ownerOf } from "../domain/accounts/caller.ts";
import { CofferError } from "../domain/errors.ts";
import { Service } from "./service.ts";

/** How many things may be under way at once; see `ARCHIVE_LIMITS`. */
interface SlotLimits {
  readonly each: number;
  readonly client: number;
  readonly all: number;
  readonly unclaimed: { readonly client: number; readonly all: number };
}

export interface SlotHolder {
  readonly owner: string;
  /** Whether anybody can have one, as an unclaimed drive or a link. */
  readonly isUnclaimed: boolean;
}

interface Slot extends SlotHolder {
  readonly client: string;
}

export function holderOf(caller: Caller): SlotHolder {
  return { owner: ownerOf(caller), isUnclaimed: isUnclaimed(caller) };
}

/** Limits how much of something costly is under way at once, so that a few callers cannot take all. */
export class Slots extends Service<{
  limits: SlotLimits;
  /** What is limited, in the plural: "archives". */
  noun: string;
}> {
  /** Mostly a few, at most some thousands: it is counted by a scan. */
  readonly #taken = new Set<Slot>();

  /** Takes a slot; disposing the result frees it. `client` is as the rate limit counts it. Throws RATE_LIMITED. */
  take(holder: SlotHolder, client: string): Disposable {
    const slot = { ...holder, client };
    const { each, client: perClient, all, unclaimed } = this.parts.limits;
    this.#requireRoom(each, "of yours are under way", ({ owner }) => owner === slot.owner);
    if (slot.isUnclaimed) {
      const ofUnclaimed = "of unclaimed drives and links are under way";
      const isLike = (other: Slot) => other.isUnclaimed && other.client === client;
      this.#requireRoom(unclaimed.client, `${ofUnclaimed} to your address`, isLike);
      this.#requireRoom(unclaimed.all, ofUnclaimed, (other) => other.isUnclaimed);
    }
    const toClient = "are under way to your address";
    this.#requireRoom(perClient, toClient, (other) => other.client === client);
    this.#requireRoom(all, "are under way", () => true);
    this.#taken.add(slot);
    return { [Symbol.dispose]: () => void this.#taken.delete(slot) };
  }

  #requireRoom(most: number, what: string, counts: (slot: Slot) => boolean): void {
    const count = [...this.#taken].filter(counts).length;
    if (count < most) return;
    throw new CofferError(
      "RATE_LIMITED",
      `${count} ${this.parts.noun} ${what} already; wait until one is done.`,
    );
  }
}
