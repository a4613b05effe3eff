import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type BlobFacts, DamagedBlob, readPieces, requireBlob } from "../blobs/blob-file.ts";
import { BackupError, type BackupTarget } from "./place.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/** Writes all of `bytes`, which may change after it resolves. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** One archive for one backup. Unpacked, it is a place like any other. */
export class TarTarget implements BackupTarget {
  readonly #write: WriteBytes;
  /** Ends with the entry that was put last: one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    // First all of it: what was written cannot be taken back.
    await requireBlob(path, content);
    await this.#put(name, content.size, readPieces(path, content));
  }

  async putFile(name: string, path: string): Promise<void> {
    await this.#put(name, (await stat(path)).size, createReadStream(path));
  }

  async putText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#put(name, bytes.length, [bytes]);
  }

  async sync(): Promise<void> {
    await this.#last;
  }

  async end(): Promise<void> {
    await this.#last;
    await this.#write(tarEnd());
  }

  #put(name: string, size: number, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const put = this.#last.then(() => this.#writeEntry(name, size, pieces));
    this.#last = put;
    return put;
  }

  async #writeEntry(
    name: string,
    size: number,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    await this.#write(tarHeader(name, size));
    let left = size;
    try {
      for await (const piece of pieces) {
        left -= piece.length;
        await this.#write(piece);
      }
    } catch (error) {
      if (!(error instanceof DamagedBlob)) throw error;
      throw new BackupError(`${error.message}. It changed while it was read: the archive is of no use.`);
    }
    if (left !== 0) throw new BackupError(`${name} changed while it was read: the archive is of no use.`);
    await this.#write(tarPadding(size));
  }
}
