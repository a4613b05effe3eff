import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { BlobRow } from "../db/blobs.ts";
import type { Tables } from "../db/tables.ts";
import type { Digest } from "../domain/digest.ts";
import { WriteRefused } from "../domain/errors.ts";
import type { DrivePk } from "../domain/id.ts";
import { KNOWN_CLIENT_LIFETIME_MS } from "../domain/known-client.ts";
import { goingFile, Piece } from "../domain/piece.ts";
import type { Log } from "../log.ts";
import type { EarlyRemoval } from "./early-removal.ts";
import { Strays } from "./strays.ts";
import type { Tree } from "./tree.ts";

/** How long a content stays after the last row that named it went, in milliseconds. */
export const ORPHAN_GRACE_MS = 60 * 60 * 1000;

/** How long a link is remembered after it expired, in milliseconds: so long it is 410 and not 404. */
const LINK_MEMORY_MS = 30 * 24 * 60 * 60 * 1000;

/** How much one transaction takes away, so that no request waits long behind the sweep. */
const PIECE = 200;
/** The same of rows that may be large. */
const LARGE_PIECE = 50;

/** What one sweep took away. */
export interface Swept {
  readonly files: number;
  readonly drives: number;
  readonly blobs: number;
}

/**
 * Takes away what has expired, been deleted or been orphaned. All of it is invisible already: the
 * sweep only gives the room back, in small pieces, and may be cut off anywhere.
 */
export class Sweep {
  readonly #tables: Tables;
  readonly #blobs: BlobStore;
  readonly #tree: Tree;
  readonly #early: EarlyRemoval;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #strays: Strays;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: {
    tables: Tables;
    blobs: BlobStore;
    tree: Tree;
    early: EarlyRemoval;
    clock: Clock;
    log: Log;
  }) {
    this.#tables = parts.tables;
    this.#blobs = parts.blobs;
    this.#tree = parts.tree;
    this.#early = parts.early;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#strays = new Strays(parts);
  }

  /** Sweeps once. A step that fails is logged and does not keep the others from running. */
  run(): Promise<Swept> {
    const swept = this.#sweep();
    this.#running = swept;
    return swept;
  }

  /** Ends a sweep in progress after its current piece, and all early removal. Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.#early.stop(), this.#running]);
  }

  async #sweep(): Promise<Swept> {
    if (this.#tables.hasFailed()) return { files: 0, drives: 0, blobs: 0 };
    const files = await this.#attempt("expired files", () => this.#expiredFiles());
    await this.#attempt("expired drives", () => this.#expiredDrives());
    await this.#attempt("expired links", () => this.#expiredLinks());
    await this.#attempt("expired idempotency records", () => this.#expiredRecords());
    await this.#attempt("clients unused for long", () => this.#unusedClients());
    const drives = await this.#attempt("deleted drives", () => this.#deletedDrives());
    const blobs = await this.#attempt("orphaned blobs", () => this.#orphanedBlobs());
    const early = await this.#attempt("contents early", () => this.#early.run());
    const strays = await this.#attempt("stray blobs", () => this.#strayBlobs());
    return { files, drives, blobs: blobs + early + strays };
  }

  async #attempt(what: string, step: () => Promise<number>): Promise<number> {
    if (this.#stopped) return 0;
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof WriteRefused)) this.#log.error(`sweeping ${what} failed`, { error });
      return 0;
    }
  }

  /** Repeats `piece` until there is nothing left for it to take; how much it took in all. */
  async #inPieces(piece: () => Promise<number>): Promise<number> {
    let total = 0;
    for (let taken = 1; taken > 0 && !this.#stopped; total += taken) taken = await piece();
    return total;
  }

  #expiredFiles(): Promise<number> {
    return this.#inPieces(() =>
      this.#tables.writeFromReserve(() => {
        const now = this.#clock.now();
        const expired = this.#tables.files.expired(now, PIECE);
        // Those that stand in the same folders count them together.
        expired.sort((a, b) => a.drivePk - b.drivePk || (a.path < b.path ? -1 : 1));
        const files = new Piece().takeFiles(expired, goingFile);
        this.#tree.removeAll(files, now);
        return files.length;
      }),
    );
  }

  /** Claim tokens stay behind, so that a late claim can be told that the drive expired. */
  #expiredDrives(): Promise<number> {
    return this.#inPieces(() =>
      this.#tables.writeFromReserve(() => {
        const now = this.#clock.now();
        const expired = this.#tables.drives.expired(now, PIECE);
        for (const drive of expired) this.#tables.drives.markDeleted(drive, now);
        return expired.length;
      }),
    );
  }

  #expiredLinks(): Promise<number> {
    return this.#inPieces(() => {
      const before = this.#clock.now() - LINK_MEMORY_MS;
      return this.#tables.writeFromReserve(() => this.#tables.presignedLinks.removeExpired(before, PIECE));
    });
  }

  #expiredRecords(): Promise<number> {
    return this.#inPieces(() => {
      const now = this.#clock.now();
      return this.#tables.writeFromReserve(() =>
        this.#tables.idempotencyRecords.removeExpired(now, LARGE_PIECE),
      );
    });
  }

  #unusedClients(): Promise<number> {
    return this.#inPieces(() => {
      const before = this.#clock.now() - KNOWN_CLIENT_LIFETIME_MS;
      return this.#tables.writeFromReserve(() => this.#tables.knownClients.removeUnused(before, PIECE));
    });
  }

  #deletedDrives(): Promise<number> {
    return this.#inPieces(async () => {
      const deleted = this.#tables.drives.deleted(PIECE);
      let emptied = 0;
      for (const drive of deleted) if (await this.#empty(drive)) emptied += 1;
      return emptied;
    });
  }

  /** Takes away what a deleted drive held, then its row; false when stopped on the way. */
  async #empty(drive: DrivePk): Promise<boolean> {
    const { writeFromReserve: write, folders, drives, apiKeys, releasedContents } = this.#tables;
    await this.#inPieces(() => write(() => apiKeys.removeSomeOf(drive, PIECE)));
    await this.#inPieces(() => write(() => this.#removeSomeFiles(drive)));
    await this.#inPieces(() => write(() => folders.removeSomeOf(drive, PIECE)));
    await this.#inPieces(() => write(() => releasedContents.disown(drive, PIECE)));
    if (this.#stopped) return false;
    await write(() => drives.remove(drive));
    return true;
  }

  /** Some files of a deleted drive; how many. */
  #removeSomeFiles(drive: DrivePk): number {
    const some = this.#tables.files.someOf(drive, PIECE);
    // Nobody counts its folders any more.
    const files = new Piece().takeFiles(some, ({ tags }) => ({ drive, path: "", tags, metadata: 0 }));
    this.#tree.discard(files.map(({ pk }) => pk));
    return files.length;
  }

  async #orphanedBlobs(): Promise<number> {
    const { blobs, writeFromReserve: write } = this.#tables;
    await this.#inPieces(() => write(() => blobs.stampOrphans(this.#clock.now(), PIECE)));
    return this.#inPieces(async () => {
      const now = this.#clock.now();
      const orphans = this.#tables.blobs.orphans(now - ORPHAN_GRACE_MS, PIECE);
      return this.forget(orphans);
    });
  }

  /** Takes contents away, unless something refers to them again; how many. */
  async forget(orphans: readonly BlobRow[]): Promise<number> {
    if (orphans.length === 0) return 0;
    const forgotten = await this.#tables.writeFromReserve(() =>
      orphans.filter(({ pk }) => this.#tables.blobs.remove(pk)),
    );
    for (const { digest } of forgotten) await this.#removeUnknown(digest);
    return forgotten.length;
  }

  /** Contents that a crash left without a row: one part of the store a sweep, all of it in turn. */
  async #strayBlobs(): Promise<number> {
    let taken = 0;
    for await (const digest of this.#strays.next(this.#clock.now() - ORPHAN_GRACE_MS)) {
      if (this.#stopped) break;
      if (await this.#removeUnknown(digest)) taken += 1;
    }
    return taken;
  }

  /** Removes a content that no row names. Both looks happen in one step, so no upload gets in between. */
  async #removeUnknown(digest: Digest): Promise<boolean> {
    return this.#tables.blobs.mayGo(digest) && (await this.#blobs.remove(digest));
  }
}
