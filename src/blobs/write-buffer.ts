/** The size of the first buffer. A blob that comes in one shorter piece, as most do, gets one of its own length. */
const FIRST_BYTES = 64 * 1024;

/** The size of the next one, and of each where there are two. */
const ONE_BYTES = 256 * 1024;
const PAIR_BYTES = 512 * 1024;

/**
 * Collects the bytes of one blob until there are enough to be written. A long blob has two buffers: one is
 * written while the other is filled. Where another blob has two already, it has one.
 */
export class WriteBuffer {
  /** Whether any blob has two buffers: one at a time. When all of eight had two, they took 9 MB more for nothing. */
  static #isPairTaken = false;

  #buffer = new Uint8Array(0);
  #length = 0;
  #other: Uint8Array<ArrayBuffer> | null = null;

  /** What is to be written next. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Copies as much of `piece` as there is room for. Returns how many bytes that were. */
  take(piece: Uint8Array): number {
    this.#begin(piece.length);
    const part = piece.subarray(0, this.#buffer.length - this.#length);
    this.#buffer.set(part, this.#length);
    this.#length += part.length;
    return part.length;
  }

  /** Makes the first buffer: as long as the first piece, or of its full size once more follows. */
  #begin(length: number): void {
    const present = this.#buffer.length;
    if (present >= FIRST_BYTES || this.#length + length <= present) return;
    const larger = Buffer.allocUnsafe(present > 0 ? FIRST_BYTES : Math.min(length, FIRST_BYTES));
    larger.set(this.bytes);
    this.#buffer = larger;
  }

  /** Makes room. `written` ends with the write of `bytes`, unchanged until then; the write before it has ended. */
  async empty(written: Promise<void>): Promise<void> {
    const full = this.#buffer;
    this.#length = 0;
    if (full.length === FIRST_BYTES) this.#grow();
    else if (this.#other === null) await written;
    else [this.#buffer, this.#other] = [this.#other, full];
  }

  /**
   * Releases the memory of a long blob, which the garbage collector would do much later. No write may be under way.
   * The `bytes` of a short blob that were taken stay as they are. Later calls do nothing.
   */
  release(): void {
    if (this.#buffer.length > FIRST_BYTES) this.#buffer.buffer.transfer(0);
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
    if (this.#other === null) return;
    this.#other.buffer.transfer(0);
    this.#other = null;
    WriteBuffer.#isPairTaken = false;
  }

  #grow(): void {
    if (WriteBuffer.#isPairTaken) {
      this.#buffer = Buffer.allocUnsafe(ONE_BYTES);
      return;
    }
    WriteBuffer.#isPairTaken = true;
    this.#buffer = Buffer.allocUnsafe(PAIR_BYTES);
    this.#other = Buffer.allocUnsafe(PAIR_BYTES);
  }
}
