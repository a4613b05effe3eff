/** A file takes whole blocks of so many bytes. */
export const BLOCK_BYTES = 4096;

/** How many blocks a file takes. */
export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES);
}

interface RoomParts {
  /** The limit, in blocks. */
  readonly most: number;
  /** Removes the file that was used longest ago, and frees what it takes; false if none may go. */
  readonly evict: () => Promise<boolean>;
}

/** How much of the disk is taken, and for what it is promised. Never more than the limit. All in blocks. */
export class Room {
  readonly #parts: RoomParts;
  #taken = 0;
  /** What the contents that are being written will take, and what they have taken of it. */
  #promised = 0;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts what is there already, and is not to be evicted for. */
  count(blocks: number): void {
    this.#taken += blocks;
  }

  free(blocks: number): void {
    this.#taken -= blocks;
  }

  /** A place for a content; null if it would take more than half of all, or others need too much at this time. */
  place(bytes: number): Place | null {
    const blocks = blocksOf(bytes);
    if (blocks * 2 > this.#parts.most || this.#promised + blocks > this.#parts.most) return null;
    this.#promised += blocks;
    return new Place(this, blocks);
  }

  /** Takes blocks, and evicts for them; false if that is not enough. */
  async take(blocks: number): Promise<boolean> {
    while (this.#taken + blocks > this.#parts.most) if (!(await this.#parts.evict())) return false;
    this.#taken += blocks;
    return true;
  }

  /** Ends a promise. What was taken by it is free again. */
  end(promised: number, taken: number): void {
    this.#promised -= promised;
    this.#taken -= taken;
  }
}

/** The place of one content that is being written: room is made for it as it grows, so that none of it waits long. */
export class Place {
  readonly #room: Room;
  #promised: number;
  #bytes = 0;
  #taken = 0;

  constructor(room: Room, promised: number) {
    this.#room = room;
    this.#promised = promised;
  }

  /** Takes room for so many bytes more; false if there is none. One call at a time. */
  async take(bytes: number): Promise<boolean> {
    const more = blocksOf(this.#bytes + bytes) - this.#taken;
    if (!(await this.#room.take(more))) return false;
    this.#bytes += bytes;
    this.#taken += more;
    return true;
  }

  /** Gives all of it back: the content is not kept, or is counted as a file from now on. Later calls do nothing. */
  end(): void {
    this.#room.end(this.#promised, this.#taken);
    this.#promised = this.#taken = 0;
  }
}
