import { join } from "node:path";
import { ContentsDirectory, pathsIn } from "../blobs/contents-directory.ts";
import { type Content, damageIn, requireBytes } from "../blobs/content-file.ts";
import { spareBytes } from "../db/verify/spare-database.ts";

/** Where contents can be repaired from: a place of backups, or another data directory. */
export class Spare {
  readonly #contents: ContentsDirectory;
  /** Of small contents, newest first. */
  readonly #databases: readonly string[];

  private constructor(root: string, databases: readonly string[]) {
    this.#contents = new ContentsDirectory(join(root, "blobs"));
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

  /** A content's file, in pieces that are checked when the last one was taken. Throws DamagedContent. */
  pieces(content: Content): AsyncGenerator<Uint8Array> {
    return this.#contents.pieces(content);
  }

  /** The bytes of a small content, which are right; null if there are none. */
  async bytes(content: Content): Promise<Uint8Array | null> {
    for (const path of this.#databases) {
      const bytes = spareBytes(path, content.digest);
      if (bytes === null) continue;
      if ((await damageIn(() => requireBytes(path, bytes, content))) === null) return bytes;
    }
    const copies: Uint8Array[] = [];
    const damage = await damageIn(async () => {
      for await (const piece of this.pieces(content)) copies.push(piece.slice());
    });
    return damage === null ? Buffer.concat(copies) : null;
  }
}
