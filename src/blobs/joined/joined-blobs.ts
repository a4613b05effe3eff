import type { NamedFile } from "../blob-directory.ts";
import { type BlobFacts, damageIn } from "../blob-file.ts";
import { type AwayDisk, unlessUnavailable } from "../blob-place.ts";
import type { StoredBlobs } from "../stored-blobs.ts";
import { findPlaced, piecesFrom } from "./find-placed.ts";

interface JoinedBlobsParts {
  /** In the order in which a blob is looked for. */
  readonly places: readonly StoredBlobs[];
  /** The one of them where new blobs go. */
  readonly current: StoredBlobs;
}

/** The blobs at several places that this process, or thread, does not serve. */
export class JoinedBlobs implements StoredBlobs {
  readonly #places: readonly StoredBlobs[];
  readonly #current: StoredBlobs;

  constructor({ places, current }: JoinedBlobsParts) {
    this.#places = places;
    this.#current = current;
  }

  find<T>(content: BlobFacts, read: (path: string) => Promise<T>): Promise<T> {
    return findPlaced(this.#places, (place) => place.find(content, read));
  }

  beginning(content: BlobFacts, length: number): Promise<Uint8Array> {
    return findPlaced(this.#places, (place) => place.beginning(content, length));
  }

  requireSize(content: BlobFacts): Promise<void> {
    return findPlaced(this.#places, (place) => place.requireSize(content));
  }

  sizesInOrder(): (content: BlobFacts) => Promise<void> {
    const checks = this.#places.map((place) => place.sizesInOrder());
    return (content) => findPlaced(checks, (check) => check(content));
  }

  pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    return piecesFrom(this.#places, (place) => place.pieces(content));
  }

  /** One that is missing goes where new ones go. */
  async rewrite(content: BlobFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const holder = (await this.#holderOf(content)) ?? this.#current;
    await holder.rewrite(content, pieces);
  }

  async *names(): AsyncGenerator<NamedFile> {
    for (const place of this.#places) yield* place.names();
  }

  async away(): Promise<AwayDisk[]> {
    const away = await Promise.all(this.#places.map((place) => place.away()));
    return away.flat();
  }

  /** The place that has a blob, whole or not; null if none has it that can be reached. */
  async #holderOf(content: BlobFacts): Promise<StoredBlobs | null> {
    for (const place of this.#places) {
      const isThere = damageIn(() => place.requireSize(content)).then((damage) => damage?.isMissing !== true);
      if ((await unlessUnavailable(isThere)) === true) return place;
    }
    return null;
  }
}
