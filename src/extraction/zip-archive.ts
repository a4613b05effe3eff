import { Inflate } from "fflate";
import { EXTRACTION_LIMITS, Refused } from "../domain/contents/extraction.ts";

/** How many compressed bytes are unpacked at once. They may come to a thousand times as many. */
const PIECE_BYTES = 4 * 1024;
/** The end of central directory record, without its comment (APPNOTE.TXT, 4.3.16). */
const END = { signature: 0x06054b50, bytes: 22, most: 22 + 0xffff };
/** A central directory header, without its names (4.3.12). */
const ENTRY = { signature: 0x02014b50, bytes: 46 };
/** A local file header, without its names (4.3.7). */
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;
const IS_ENCRYPTED = 1;

interface Entry {
  readonly flags: number;
  readonly method: number;
  readonly compressedSize: number;
  /** As the archive says, which need not be true. */
  readonly size: number;
  /** Of its local header. */
  readonly offset: number;
}

/**
 * The parts of a document that is a ZIP archive. Only parts that are asked for are unpacked, piece by piece, and only
 * up to a limit for all together, so that entries which overlap or name the same bytes gain nothing.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left: number;

  /** Throws Refused if it is malformed. @param most how many bytes may be unpacked */
  constructor(bytes: Uint8Array, most: number = EXTRACTION_LIMITS.unpacked) {
    this.#left = most;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#entries = this.#readDirectory();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The bytes of a part, in pieces; none if it is missing. Throws Refused. */
  *pieces(name: string): Generator<Uint8Array> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if ((entry.flags & IS_ENCRYPTED) !== 0) throw new Refused("encrypted");
    // What says itself that it is too large is not read in part.
    if (entry.size > this.#left) throw new Refused("size");
    const packed = this.#packed(entry);
    if (entry.method === STORED) {
      this.#spend(packed.length);
      yield packed;
      return;
    }
    if (entry.method !== DEFLATED) throw new Refused("damaged");
    let unpacked: Uint8Array[] = [];
    const inflate = new Inflate((piece) => {
      this.#spend(piece.length);
      unpacked.push(piece);
    });
    for (let at = 0; at < packed.length; at += PIECE_BYTES) {
      inflate.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length);
      yield* unpacked;
      unpacked = [];
    }
  }

  /** A whole part as text, in UTF-8. Throws Refused, also if it is missing or has more than `most` bytes. */
  text(name: string, most: number): string {
    if (!this.has(name)) throw new Refused("damaged");
    const decoder = new TextDecoder();
    let [text, length] = ["", 0];
    for (const piece of this.pieces(name)) {
      length += piece.length;
      if (length > most) throw new Refused("size");
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  #spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new Refused("size");
  }

  #packed({ offset, compressedSize }: Entry): Uint8Array {
    if (this.#uint32(offset) !== LOCAL.signature) throw new Refused("damaged");
    const start = offset + LOCAL.bytes + this.#uint16(offset + 26) + this.#uint16(offset + 28);
    if (start + compressedSize > this.#bytes.length) throw new Refused("damaged");
    return this.#bytes.subarray(start, start + compressedSize);
  }

  #readDirectory(): Map<string, Entry> {
    const end = this.#findEnd();
    const entries = new Map<string, Entry>();
    const count = this.#uint16(end + 10);
    let at = this.#uint32(end + 16);
    for (let index = 0; index < count; index += 1) {
      if (this.#uint32(at) !== ENTRY.signature) throw new Refused("damaged");
      const nameEnd = at + ENTRY.bytes + this.#uint16(at + 28);
      const name = new TextDecoder().decode(this.#bytes.subarray(at + ENTRY.bytes, nameEnd));
      // Of two parts of one name, one reader takes the first and another the last: such an archive is meant to deceive.
      if (entries.has(name)) throw new Refused("damaged");
      entries.set(name, {
        flags: this.#uint16(at + 8),
        method: this.#uint16(at + 10),
        compressedSize: this.#uint32(at + 20),
        size: this.#uint32(at + 24),
        offset: this.#uint32(at + 42),
      });
      at = nameEnd + this.#uint16(at + 30) + this.#uint16(at + 32);
    }
    return entries;
  }

  /** Where the end of central directory record starts. ZIP64 is for archives larger than any document read here. */
  #findEnd(): number {
    const last = this.#bytes.length - END.bytes;
    for (let at = last; at >= 0 && at > last - END.most; at -= 1) {
      if (this.#view.getUint32(at, true) === END.signature) return at;
    }
    throw new Refused("damaged");
  }

  #uint16(at: number): number {
    if (at + 2 > this.#bytes.length) throw new Refused("damaged");
    return this.#view.getUint16(at, true);
  }

  #uint32(at: number): number {
    if (at + 4 > this.#bytes.length) throw new Refused("damaged");
    return this.#view.getUint32(at, true);
  }
}
