import type { ByteRange } from "../../domain/contents/content.ts";
import { type BlobFacts, WRONG_BYTES } from "../blob-file.ts";
import {
  damagedRemote,
  endedEarly,
  type Incoming,
  incoming,
  interrupted,
  type OnDamage,
  type PieceReader,
  type RemoteBlobs,
} from "./remote-blobs.ts";

interface PassedOnParts {
  readonly content: BlobFacts;
  readonly range: ByteRange;
  readonly remote: RemoteBlobs;
  /** Has hashed the content up to the range, which goes to its end. Null where only the length can be checked. */
  readonly hash: Bun.CryptoHasher | null;
  readonly onDamage: OnDamage;
}

/**
 * A range of a content that is passed on without being kept. Its last piece is held back until it is known that the
 * length is right, and the hash where there is one. It takes from the connection what its reader takes, a piece at a time.
 */
export class PassedOn implements PieceReader {
  readonly #parts: PassedOnParts;
  #body: Incoming | null = null;
  /** How many bytes are still to come. */
  #left: number;
  #isOver: boolean;

  constructor(parts: PassedOnParts) {
    this.#parts = parts;
    this.#left = parts.range.end - parts.range.start;
    this.#isOver = this.#left === 0;
  }

  async ready(): Promise<void> {
    if (this.#body !== null || this.#isOver) return;
    const { remote, content, range } = this.#parts;
    this.#body = incoming(await remote.open(content, range));
    if (this.#isOver) this.#body.cut();
  }

  async next(): Promise<Uint8Array | null> {
    await this.ready();
    const piece = await this.#take();
    if (piece === null || this.#left > 0) return piece;
    // What follows is empty: more is an error.
    while ((await this.#take()) !== null);
    if (this.#isOver) return null;
    const { content, hash } = this.#parts;
    if (hash !== null && hash.digest("hex") !== content.digest) throw this.#wrong(WRONG_BYTES);
    this.#isOver = true;
    return piece;
  }

  release(): void {
    this.#isOver = true;
    this.#body?.cut();
  }

  /** The next piece that comes; null at the end, and once this is over. Throws where the length is wrong. */
  async #take(): Promise<Uint8Array | null> {
    if (this.#isOver || this.#body === null) return null;
    const piece = await this.#body.next();
    if (this.#isOver) return null;
    const { content, hash } = this.#parts;
    this.#left -= piece?.length ?? 0;
    if (this.#left < 0) throw this.#wrong(`has more than ${content.size} bytes`);
    if (piece !== null) hash?.update(piece);
    else if (this.#left > 0) throw endedEarly(content, this.#left);
    return piece;
  }

  #wrong(problem: string): Error {
    const { content, range, hash, onDamage } = this.#parts;
    if (hash === null)
      return interrupted(new Error(`the content ${content.digest} has come beyond byte ${range.end}`));
    const damage = damagedRemote(content, problem);
    onDamage(damage);
    return damage;
  }
}
