import { CofferError } from "../domain/errors.ts";
import { type BlobSpace, noPlaceNow } from "./blob-place.ts";
import type { Disk } from "./disk.ts";
import { isSystemError } from "./system-error.ts";

/** The room on a disk does not count as more if it is by less: others write while one disk is asked after another. */
const SAME_ROOM = 0.99;

/** The room on all disks that can be used now. */
export class DisksSpace implements BlobSpace {
  readonly isFreedByRemoval = true;
  readonly #present: () => readonly Disk[];
  readonly #reserve: number;

  /** @param reserve bytes that are to stay free on each */
  constructor(present: () => readonly Disk[], reserve: number) {
    this.#present = present;
    this.#reserve = reserve;
  }

  /** The disk with most room, the first where they have the same; null if all are away. */
  roomiest(): Disk | null {
    const [first = null, ...others] = this.#present();
    if (others.length === 0) return first;
    const rooms = this.#present().map((disk) => ({ disk, left: disk.space.left() }));
    return rooms.reduce((most, room) => (room.left * SAME_ROOM > most.left ? room : most)).disk;
  }

  async freeBytes(): Promise<number> {
    return (await this.figures()).free;
  }

  async figures() {
    const sum = { total: 0, free: 0 };
    for (const { total, free } of await this.#ofEach((disk) => disk.space.figures())) {
      sum.total += total;
      sum.free += free;
    }
    return { ...sum, reserve: this.#reserve };
  }

  async hasSpace(): Promise<boolean> {
    return (await this.#ofEach((disk) => disk.space.hasSpace())).includes(true);
  }

  /** That of the disk which lacks least: new contents go there. */
  async shortage(): Promise<number> {
    const shortages = await this.#ofEach((disk) => disk.space.shortage());
    return shortages.length === 0 ? 0 : Math.min(...shortages);
  }

  requireFree(): void {
    let refusal = noPlaceNow();
    for (const disk of this.#present()) {
      try {
        disk.space.requireFree();
        return;
      } catch (error) {
        if (error instanceof CofferError) refusal = error;
        // It has just gone, which the next look finds.
        else if (!isSystemError(error)) throw error;
      }
    }
    throw refusal;
  }

  takeNoSpace(): boolean {
    return this.#present()
      .map((disk) => disk.space.takeNoSpace())
      .includes(true);
  }

  #ofEach<T>(ask: (disk: Disk) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#present().map(ask));
  }
}
