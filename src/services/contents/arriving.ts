import type { Releaser } from "../../db/contents/blobs.ts";
import { CofferError } from "../../domain/errors.ts";
import { UPLOAD_LIMITS } from "../../domain/limits.ts";
import type { FilePath } from "../../domain/files/path.ts";
import { type SlotHolder, Slots } from "../slots.ts";

export interface AnnouncedBytes {
  /** The client's address, as the rate limit counts it. */
  readonly client: string;
  /** How many bytes it has; null if the client has not said. */
  readonly bytes: number | null;
}

/** What a client is going to send. */
export interface Announced extends AnnouncedBytes {
  /** The path of its file; null if it is not known yet. */
  readonly path: FilePath | null;
}

interface Arrival extends AnnouncedBytes {
  readonly holder: SlotHolder;
  /** Whose storage limit it counts against. */
  readonly owner: Releaser;
  /** See `Quota.roomToArrive`. */
  readonly room: number | null;
}

/**
 * What is arriving counts before it is stored: it is on the disk, for as long as its client takes. Announced bytes
 * count from the start.
 */
export class ArrivingUploads {
  readonly #slots = new Slots({ limits: UPLOAD_LIMITS, noun: "uploads" });
  /** Bytes, by whose they are. */
  readonly #bytes = new Map<string, number>();

  /** Begins to count an upload. Throws RATE_LIMITED, QUOTA_EXCEEDED. */
  begin(arrival: Arrival): ArrivingUpload {
    const slot = this.#slots.take(arrival.holder, arrival.client);
    try {
      return new ArrivingUpload({ arrival, slot, all: this.#bytes });
    } catch (error) {
      slot[Symbol.dispose]();
      throw error;
    }
  }
}

/** An upload that is arriving. Dispose of it once it is stored or dropped; doing so again does nothing. */
export class ArrivingUpload implements Disposable {
  readonly #key: string;
  readonly #room: number | null;
  readonly #parts;
  #counted = 0;
  #received = 0;
  #isOver = false;

  constructor(parts: { arrival: Arrival; slot: Disposable; all: Map<string, number> }) {
    const { owner, room, bytes } = parts.arrival;
    this.#key = `${owner.kind} ${owner.pk}`;
    this.#room = room;
    this.#parts = parts;
    this.#count(bytes ?? 0);
  }

  /** Adds bytes that have arrived. Throws QUOTA_EXCEEDED. */
  add(bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#counted) this.#count(this.#received - this.#counted);
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.slot[Symbol.dispose]();
    const left = (this.#parts.all.get(this.#key) ?? 0) - this.#counted;
    if (left > 0) this.#parts.all.set(this.#key, left);
    else this.#parts.all.delete(this.#key);
  }

  #count(bytes: number): void {
    if (this.#isOver) return;
    const all = (this.#parts.all.get(this.#key) ?? 0) + bytes;
    if (this.#room !== null && all > this.#room) throw noRoom(all - bytes - this.#counted);
    this.#counted += bytes;
    this.#parts.all.set(this.#key, all);
  }
}

/** @param others bytes that arrive in other uploads */
function noRoom(others: number): CofferError {
  return new CofferError(
    "QUOTA_EXCEEDED",
    others > 0
      ? `There is no room for this content beside what is stored and the ${others} bytes of other uploads that are arriving. Try again when they are done, or delete files first.`
      : "There is no room for this content beside what is stored: delete files first.",
  );
}
