import { BlobDirectory } from "../blobs/blob-directory.ts";
import { type BlobFacts, DamagedBlob } from "../blobs/blob-file.ts";
import type { Clock } from "../process/clock.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { Database } from "../db/engine/database.ts";
import { openTables, type Tables } from "../db/tables.ts";
import type { Digest } from "../domain/contents/digest.ts";
import { SMALL_CONTENT_BYTES } from "../domain/limits.ts";
import type { Spare } from "./spare.ts";

/** Puts right bytes in the place of damaged ones, also while a server runs. */
export class Repair implements AsyncDisposable {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #contents: BlobDirectory;
  readonly #tmpDir: string;
  readonly #spare: Spare;

  /** `spare` has the right bytes. */
  constructor(directory: DataDirectory, spare: Spare, clock: Clock) {
    this.#database = Database.open(directory.database, clock);
    this.#tables = openTables(this.#database);
    this.#contents = new BlobDirectory(directory.blobs);
    this.#tmpDir = directory.tmp;
    this.#spare = spare;
  }

  /** Writes a content anew. Returns false if there are no right bytes for it. */
  async content(content: BlobFacts): Promise<boolean> {
    return content.size <= SMALL_CONTENT_BYTES ? this.#small(content) : this.#file(content);
  }

  /** Lets the server send a content again. */
  async release(digest: Digest): Promise<void> {
    await this.#tables.write(() => this.#tables.damagedContents.remove(digest));
  }

  async #file(content: BlobFacts): Promise<boolean> {
    try {
      await this.#contents.rewrite(content, this.#spare.pieces(content), this.#tmpDir);
    } catch (error) {
      if (error instanceof DamagedBlob) return false;
      throw error;
    }
    await this.release(content.digest);
    return true;
  }

  async #small(content: BlobFacts): Promise<boolean> {
    const bytes = await this.#spare.bytes(content);
    if (bytes === null) return false;
    const { blobs, smallContents, damagedContents } = this.#tables;
    return this.#tables.write(() => {
      const pk = blobs.find(content.digest);
      if (pk === null) return false;
      smallContents.put(pk, bytes);
      damagedContents.remove(content.digest);
      return true;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database.close();
  }
}
