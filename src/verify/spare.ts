import { join } from "node:path";
import { BlobDirectory, pathsIn } from "../blobs/blob-directory.ts";
import { type BlobFacts, DamagedBlob, requireBytes } from "../blobs/blob-file.ts";
import { spareBytes } from "../db/verify/spare-database.ts";

/** Where contents can be repaired from: a place of backups, or another data directory. */
export class Spare {
  readonly #contents: BlobDirectory;
  /** Of small contents, newest first. */
  readonly #databases: readonly string[];

  private constructor(root: string, databases: readonly string[]) {
    this.#contents = new BlobDirectory(join(root, "blobs"));
    this.#databases = databases;
  }

  /**
   * Looks for the databases in it: its own if it is a data directory, and that of each backup.
   *
   * @throws Error if it is neither a place of backups nor a data directory
   */
  static async open(root: string): Promise<Spare> {
    const backups = await pathsIn(join(root, "backups"));
    if (backups.length === 0 && (await pathsIn(join(root, "blobs"))).length === 0) {
      throw new Error(
        `${root} holds neither backups nor contents. Give a directory of backups, or a data directory. Restore a ` +
          "backup in S3, or an archive, into a new directory first.",
      );
    }
    return new Spare(
      root,
      [root, ...backups].map((directory) => join(directory, "coffer.db")),
    );
  }

  /** A content's file, in pieces that are checked when the last one was taken. Throws DamagedBlob. */
  pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    return this.#contents.pieces(content);
  }

  /** The bytes of a small content, which are right; null if there are none. */
  async bytes(content: BlobFacts): Promise<Uint8Array | null> {
    for (const path of this.#databases) {
      const bytes = spareBytes(path, content.digest);
      if (bytes !== null && isRight(path, bytes, content)) return bytes;
    }
    try {
      return await wholeOf(this.pieces(content));
    } catch (error) {
      if (error instanceof DamagedBlob) return null;
      throw error;
    }
  }
}

function isRight(path: string, bytes: Uint8Array, content: BlobFacts): boolean {
  try {
    requireBytes(path, bytes, content);
    return true;
  } catch (error) {
    if (error instanceof DamagedBlob) return false;
    throw error;
  }
}

async function wholeOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const copies: Uint8Array[] = [];
  for await (const piece of pieces) copies.push(piece.slice());
  return Buffer.concat(copies);
}
