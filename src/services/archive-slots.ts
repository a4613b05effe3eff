import { type Caller, isUnclaimed, ownerOf } from "../domain/caller.ts";
import { CofferError } from "../domain/errors.ts";
import { ARCHIVE_LIMITS } from "../domain/limits.ts";

/** An archive that is being sent. */
interface Slot {
  readonly owner: string;
  readonly client: string;
  readonly isUnclaimed: boolean;
}

/** Limits how many archives are sent at once, so that a few callers cannot take all: see `ARCHIVE_LIMITS`. */
export class ArchiveSlots {
  /** At most a few dozen, so it is counted by a scan. */
  readonly #taken = new Set<Slot>();

  /**
   * Takes a slot; disposing the result frees it. Throws RATE_LIMITED.
   *
   * @param client the caller's address, as the rate limit counts it
   */
  take(caller: Caller, client: string): Disposable {
    const slot = { owner: ownerOf(caller), client, isUnclaimed: isUnclaimed(caller) };
    const { each, client: perClient, all, unclaimed } = ARCHIVE_LIMITS;
    this.#requireRoom(each, "archives of yours are under way", ({ owner }) => owner === slot.owner);
    if (slot.isUnclaimed) {
      const ofUnclaimed = "archives of unclaimed drives are under way";
      const isLike = (other: Slot) => other.isUnclaimed && other.client === client;
      this.#requireRoom(unclaimed.client, `${ofUnclaimed} to your address`, isLike);
      this.#requireRoom(unclaimed.all, ofUnclaimed, (other) => other.isUnclaimed);
    }
    const toClient = "archives are under way to your address";
    this.#requireRoom(perClient, toClient, (other) => other.client === client);
    this.#requireRoom(all, "archives are under way", () => true);
    this.#taken.add(slot);
    return { [Symbol.dispose]: () => void this.#taken.delete(slot) };
  }

  #requireRoom(most: number, what: string, counts: (slot: Slot) => boolean): void {
    const count = [...this.#taken].filter(counts).length;
    if (count < most) return;
    throw new CofferError("RATE_LIMITED", `${count} ${what} already; wait until one is done.`);
  }
}
