import { join } from "node:path";
import { BlobDirectories } from "../blobs/blob-directories.ts";
import { pathsIn } from "../blobs/blob-directory.ts";
import { openStored, type StoredPlaces } from "../blobs/open-stored.ts";
import type { StoredBlobs } from "../blobs/stored-blobs.ts";
import type { StoreId } from "../domain/id.ts";
import { type BlobFacts, damageIn, requireBytes } from "../blobs/blob-file.ts";
import type { Clock } from "../process/clock.ts";
import { type DataDirectory, pathsIn as pathsOf } from "../data-directory/data-directory.ts";
import { allDisksOf } from "../data-directory/disks-file.ts";
import { Database } from "../db/engine/database.ts";
import { openTables, type Tables } from "../db/tables.ts";
import { spareBytes } from "../db/verify/verified-database.ts";
import { commandEvent } from "../domain/audit/new-audit-event.ts";
import type { Digest } from "../domain/contents/content.ts";
import { SMALL_CONTENT_BYTES } from "../domain/limits.ts";

/** Where right bytes may be. */
interface Spare {
  /** Roots of directories of contents: of backups, or the disks of a data directory. */
  readonly disks: readonly string[];
  /** That may have small contents: its own if it is a data directory, and that of each backup. */
  readonly databases: readonly string[];
}

interface RepairOptions {
  readonly directory: DataDirectory;
  /** Where its contents are. */
  readonly placesOf: (store: StoreId | null) => Promise<StoredPlaces>;
  /** A place of backups, or a data directory. */
  readonly from: string;
  readonly clock: Clock;
}

/** Puts right bytes, of backups or another data directory, in the place of damaged ones, also beside a server. */
export class Repair implements AsyncDisposable {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #contents: StoredBlobs;
  readonly #spareContents: BlobDirectories;
  /** Of small contents, newest first. */
  readonly #spareDatabases: readonly string[];
  readonly #options: RepairOptions;
  #repaired = 0;

  private constructor(
    database: Database,
    tables: Tables,
    contents: StoredBlobs,
    from: Spare,
    options: RepairOptions,
  ) {
    this.#options = options;
    this.#database = database;
    this.#tables = tables;
    this.#contents = contents;
    this.#spareContents = new BlobDirectories({ disks: from.disks, store: null });
    this.#spareDatabases = from.databases;
  }

  /** @throws Error if `from` is neither a place of backups nor a data directory */
  static async open(options: RepairOptions): Promise<Repair> {
    const { directory, placesOf, from, clock } = options;
    const backups = await pathsIn(join(from, "backups"));
    if (backups.length === 0 && (await pathsIn(join(from, "blobs"))).length === 0) {
      throw new Error(
        `${from} holds neither backups nor contents. Give a directory of backups, or a data directory. Restore a ` +
          "backup in S3, or an archive, into a new directory first.",
      );
    }
    const databases = [from, ...backups].map((root) => join(root, "coffer.db"));
    const spare = { disks: await allDisksOf(pathsOf(from)), databases };
    const database = Database.open(directory.database, clock);
    const tables = openTables(database);
    const contents = await openStored(await placesOf(tables.store.id()));
    return new Repair(database, tables, contents, spare, options);
  }

  /** Writes a blob anew. Returns false if there are no right bytes for it. */
  async content(content: BlobFacts): Promise<boolean> {
    const isRight = await (content.size <= SMALL_CONTENT_BYTES ? this.#small(content) : this.#file(content));
    if (isRight) this.#repaired += 1;
    return isRight;
  }

  /** Lets the server send a blob again. */
  async release(digest: Digest): Promise<void> {
    await this.#tables.write(() => this.#tables.damagedContents.remove(digest));
  }

  async #file(content: BlobFacts): Promise<boolean> {
    const pieces = this.#spareContents.pieces(content);
    const damage = await damageIn(() => this.#contents.rewrite(content, pieces));
    if (damage !== null) return false;
    await this.release(content.digest);
    return true;
  }

  async #small(content: BlobFacts): Promise<boolean> {
    const bytes = await this.#spareBytes(content);
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

  /** The bytes of a small content, which are right; null if there are none. */
  async #spareBytes(content: BlobFacts): Promise<Uint8Array | null> {
    for (const path of this.#spareDatabases) {
      const bytes = spareBytes(path, content.digest);
      if (bytes === null) continue;
      if ((await damageIn(() => requireBytes(path, bytes, content))) === null) return bytes;
    }
    const copies: Uint8Array[] = [];
    const damage = await damageIn(async () => {
      for await (const piece of this.#spareContents.pieces(content)) copies.push(piece.slice());
    });
    return damage === null ? Buffer.concat(copies) : null;
  }

  /** Ends the repair, of which the audit log is told. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#repaired > 0) await this.#tables.write(() => this.#record());
    } finally {
      await this.#database.close();
    }
  }

  #record(): void {
    const { from, clock } = this.#options;
    const facts = {
      action: "store.repaired",
      subject: { kind: "backup", id: null, name: from },
      detail: { contents: this.#repaired },
    } as const;
    this.#tables.auditEvents.insert(commandEvent("verify --repair-from", facts, clock.now()));
  }
}
