import type { ByteRange } from "../../domain/contents/content.ts";
import type { Fill } from "./fill.ts";
import type { PieceReader } from "./remote-blobs.ts";

/** How many bytes are read at once. A slow client has one piece in memory. */
const PIECE_BYTES = 64 * 1024;

/** Makes a reader of what follows in the content, whose hash goes on from the one of all before. */
type Follow = (range: ByteRange, hash: Bun.CryptoHasher) => PieceReader;

interface FillReaderParts {
  readonly fill: Fill;
  /** What its `join` has returned. */
  readonly leave: () => void;
  /** Begins at what the fill has written, or before. */
  readonly range: ByteRange;
  readonly follow: Follow;
}

/** Reads a range of a content while that is fetched for all. */
export class FillReader implements PieceReader {
  readonly #fill: Fill;
  readonly #end: number;
  readonly #follow: Follow;
  readonly #leave: () => void;
  #at: number;
  /** Reads what follows once the fill was handed over. */
  #rest: PieceReader | null = null;
  #isReading = false;
  #isReleased = false;

  constructor({ fill, leave, range, follow }: FillReaderParts) {
    this.#fill = fill;
    this.#at = range.start;
    this.#end = range.end;
    this.#follow = follow;
    this.#leave = leave;
  }

  async ready(): Promise<void> {
    await this.#fill.opened;
    if (this.#at >= this.#fill.readable) await this.#handedOver()?.ready();
  }

  async next(): Promise<Uint8Array | null> {
    while (!this.#isReleased && this.#at < this.#end) {
      if (this.#at < this.#fill.readable) return this.#read();
      const rest = this.#handedOver();
      if (rest !== null) return rest.next();
      await this.#fill.progress;
    }
    return null;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#rest?.release();
    if (!this.#isReading) this.#leave();
  }

  async #read(): Promise<Uint8Array | null> {
    this.#isReading = true;
    try {
      const piece = await this.#fill.read(this.#at, Math.min(PIECE_BYTES, this.#end - this.#at));
      this.#at += piece.length;
      return piece;
    } finally {
      this.#isReading = false;
      if (this.#at === this.#end) this.#isReleased = true;
      if (this.#isReleased) this.#leave();
    }
  }

  /** The reader of the rest; null while the fill goes on. Throws why it failed. */
  #handedOver(): PieceReader | null {
    const { outcome } = this.#fill;
    if (outcome === null || outcome.kind === "whole") return null;
    if (outcome.kind === "failed") throw outcome.error;
    return (this.#rest ??= this.#follow({ start: this.#at, end: this.#end }, outcome.hash.copy()));
  }
}
