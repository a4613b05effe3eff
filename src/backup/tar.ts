import { type BlobFacts, damageIn, readPieces, requireBlob } from "../blobs/blob-file.ts";
import { TAR_BLOCK, tarPadding, tarSum } from "../domain/contents/tar.ts";
import { BackupError, type BackupTarget } from "./place.ts";

/** The first size that has no room as octal digits. Such a header has it in base 256, as GNU tar and others do. */
const LARGE = 8 ** 11;

/** The header of a regular file of mode 0600 (POSIX.1-2001 pax, "ustar"); `name` has up to 100 bytes of ASCII. */
export function tarHeader(name: string, size: number): Uint8Array {
  const header = new Uint8Array(TAR_BLOCK);
  const put = (at: number, text: string) => header.set(Buffer.from(text, "latin1"), at);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  put(0, name);
  put(100, "0000600\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  if (size < LARGE) {
    put(124, `${size.toString(8).padStart(11, "0")}\0`);
  } else {
    header[124] = 0x80;
    new DataView(header.buffer).setBigUint64(128, BigInt(size));
  }
  put(136, "00000000000\0");
  put(156, "0");
  put(257, "ustar\u000000");
  put(148, `${tarSum(header).toString(8).padStart(6, "0")}\0 `);
  return header;
}

export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * TAR_BLOCK);
}

/** One archive for one backup. Unpacked, it is a place like any other. */
export class TarTarget implements BackupTarget {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  /** Ends with the entry that was put last: one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param write writes all of `bytes`, which may change after it resolves */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    // First all of it: what was written cannot be taken back.
    await requireBlob(path, content);
    await this.#put(name, content.size, readPieces(path, content));
  }

  async put(name: string, bytes: Blob): Promise<void> {
    await this.#put(name, bytes.size, bytes.stream());
  }

  async sync(): Promise<void> {
    await this.#last;
  }

  async end(): Promise<void> {
    await this.#last;
    await this.#write(tarEnd());
  }

  #put(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const put = this.#last.then(() => this.#writeEntry(name, size, pieces));
    this.#last = put;
    return put;
  }

  async #writeEntry(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#write(tarHeader(name, size));
    let left = size;
    const damage = await damageIn(async () => {
      for await (const piece of pieces) {
        left -= piece.length;
        await this.#write(piece);
      }
    });
    const reason = damage === null ? `${name} changed` : `${damage.message}. It changed`;
    if (damage !== null || left !== 0) {
      throw new BackupError(`${reason} while it was read: the archive is of no use.`);
    }
    await this.#write(tarPadding(size));
  }
}
