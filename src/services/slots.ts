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
  /** Absent for whoever has a link. */
  readonly caller?: Caller;
}

export function holderOf(caller: Caller): SlotHolder {
  return { owner: ownerOf(caller), isUnclaimed: isUnclaimed(caller), caller };
}

/** Limits how much of something costly is under way at once, so that a few callers cannot take all. */
export class Slots extends Service<{
  limits: SlotLimits;
  /** What is limited, in the plural: "archives". */
  noun: string;
}> {
  /** How many each owner, client and so on has; who has none is not in it. */
  readonly #taken = new Map<string, number>();

  /** Takes a slot; disposing the result frees it. `client` is as the rate limit counts it. Throws RATE_LIMITED. */
  take({ owner, isUnclaimed: isOpen }: SlotHolder, client: string): Disposable {
    const { each, client: perClient, all, unclaimed } = this.parts.limits;
    const ofOpen = "of unclaimed drives and links are under way";
    const rooms: (readonly [of: string, most: number, what: string])[] = [
      [`owner ${owner}`, each, "of yours are under way"],
      ...(isOpen ? [[`open ${client}`, unclaimed.client, `${ofOpen} to your address`] as const] : []),
      ...(isOpen ? [["open", unclaimed.all, ofOpen] as const] : []),
      [`client ${client}`, perClient, "are under way to your address"],
      ["all", all, "are under way"],
    ];
    for (const room of rooms) this.#requireRoom(...room);
    for (const [of] of rooms) this.#count(of, 1);
    const ends = new DisposableStack();
    for (const [of] of rooms) ends.defer(() => this.#count(of, -1));
    return ends;
  }

  #requireRoom(of: string, most: number, what: string): void {
    const count = this.#taken.get(of) ?? 0;
    if (count < most) return;
    throw new CofferError(
      "RATE_LIMITED",
      `${count} ${this.parts.noun} ${what} already; wait until one is done.`,
    );
  }

  #count(of: string, more: number): void {
    const count = (this.#taken.get(of) ?? 0) + more;
    if (count === 0) this.#taken.delete(of);
    else this.#taken.set(of, count);
  }
}
