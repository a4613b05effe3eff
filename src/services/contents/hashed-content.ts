import { requireFits } from "../../domain/files/file-size.ts";

/** Reads a content without storing it, in place of an `Upload`. */
export class HashedContent {
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #maxFileSize: number;
  #received = 0;

  constructor(parts: { maxFileSize: number }) {
    this.#maxFileSize = parts.maxFileSize;
  }

  /** Adds the next piece. Throws PAYLOAD_TOO_LARGE, as an upload does. */
  async write(piece: Uint8Array): Promise<void> {
    this.#received += piece.length;
    requireFits(this.#received, { maxFileSize: this.#maxFileSize, room: null });
    this.#hash.update(piece);
  }

  /** The SHA-256 of the content, once it is complete. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}
