import { type BlobFacts, damageIn, DamagedBlob } from "../blob-file.ts";
import { type BlobPlace, type BlobRoom, unlessUnavailable } from "../blob-place.ts";
import type { TempFile } from "../temp-file.ts";

/** A blob below this size is read and checked at a former place, as where it goes. Bytes. */
const COMPARED_BYTES = 1024 * 1024;

interface JoinedRoomParts {
  /** Room at the place that new blobs go to. */
  readonly room: BlobRoom;
  /** The former places where a blob is looked for before that. */
  readonly hiding: readonly BlobPlace[];
}

/**
 * Room for one blob, at the place that new ones go to, whatever a former one has. A damaged blob at a former place that
 * would be found first goes last.
 */
export class JoinedRoom implements BlobRoom {
  readonly #room: BlobRoom;
  readonly #hiding: readonly BlobPlace[];

  constructor({ room, hiding }: JoinedRoomParts) {
    this.#room = room;
    this.#hiding = hiding;
  }

  requireFree(): void {
    this.#room.requireFree();
  }

  newDraft(): Promise<TempFile> {
    return this.#room.newDraft();
  }

  wrote(bytes: number): void {
    this.#room.wrote(bytes);
  }

  async keep(content: BlobFacts, refused: string | null, draft: () => Promise<TempFile>) {
    let damage = await this.#room.keep(content, refused, draft);
    for (const place of this.#hiding) {
      const hidden = await damageAt(place, content, refused);
      if (hidden === null || hidden.isMissing) continue;
      const free = await place.takeAway(content.digest);
      await free?.();
      if (damage === null || damage.isMissing) damage = hidden;
    }
    return damage;
  }

  refusalOf(error: unknown): Promise<unknown> {
    return this.#room.refusalOf(error);
  }

  end(): void {
    this.#room.end();
  }
}

/** What is wrong with a blob at a place; null if it is whole, or cannot be reached. */
async function damageAt(
  place: BlobPlace,
  content: BlobFacts,
  refused: string | null,
): Promise<DamagedBlob | null> {
  if (refused !== null) return new DamagedBlob(place.nameOf(content.digest), content.digest, refused);
  const look: () => Promise<unknown> =
    content.size < COMPARED_BYTES ? () => place.readAll(content) : () => place.require(content);
  return unlessUnavailable(damageIn(look));
}
