import { setImmediate as nextTurn } from "node:timers/promises";
import { UnavailableBlob } from "../../blobs/blob-place.ts";
import type { BlobRow } from "../../db/contents/blobs.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import { DAY_MS } from "../../domain/time.ts";
import { goingFile, Piece } from "../../domain/folders/piece.ts";
import { inParallel } from "../../process/in-parallel.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { ClockWatch } from "./clock-watch.ts";
import type { EarlyRemoval } from "./early-removal.ts";
import type { EndedKeys } from "../accounts/ended-keys.ts";
import { expiredRows } from "./expired-rows.ts";
import type { HistoryRemoval } from "../history/history-removal.ts";
import { inPieces } from "../pieces.ts";
import type { SnapshotRemoval } from "../snapshots/snapshot-removal.ts";
import { Strays } from "./strays.ts";
import { removeSomeOfWebhook } from "../webhooks/outbox.ts";
import type { ThumbnailStore } from "../../thumbnails/thumbnail-store.ts";

/** How long a blob is kept after its last row was deleted, in milliseconds. */
export const ORPHAN_GRACE_MS = 60 * 60 * 1000;
/** The same for what is in a bucket: it costs little there, and a database restored from before may name it. */
export const BUCKET_GRACE_MS = 7 * DAY_MS;
/** After how long an upload that has not ended is cut off, in milliseconds. */
const UNFINISHED_MS = DAY_MS;

/** How many rows one transaction removes, so that no request waits long for the sweep. */
const PIECE = 200;
/** The same for rows that may be large, have a blob with them, or change others: each link changes its drive. */
const LARGE_PIECE = 50;
/** In how many pieces one sweep looks at files that are gone: those in the trash are looked at again each time. */
const GONE_PIECES = 10;
/** How many contents are removed at once. */
const REMOVALS = 8;
/** After this many look-ups other requests get a turn. */
const LOOKUPS = 100;
/** How many free pages of the database one transaction releases. */
const PAGES = 100;

/** Removes what has expired, was deleted or is orphaned, all invisible: in pieces that may be interrupted anywhere. */
export class Sweep extends Service<
  Pick<Parts, "tables" | "blobs" | "tree" | "retention" | "clock" | "log"> & {
    early: EarlyRemoval;
    historyRemoval: HistoryRemoval;
    snapshotRemoval: SnapshotRemoval;
    endedKeys: EndedKeys;
    watch: ClockWatch;
    thumbnailStore: ThumbnailStore;
    /** For how many days the audit log is kept. */
    auditDays: number;
    /** Overrides `ORPHAN_GRACE_MS`. */
    blobGraceMs?: number | undefined;
  }
> {
  readonly #graceMs = this.parts.blobGraceMs ?? ORPHAN_GRACE_MS;
  readonly #strays = new Strays(this.parts);
  readonly #expiredRows = expiredRows(this.parts);
  #stopped = false;
  /** Whether every name has a key: from then on all are made with one. */
  #isOrdered = false;
  #running: Promise<unknown> = Promise.resolve();

  /** Sweeps once. If a step fails, that is logged and the others still run. */
  run() {
    const swept = this.#sweep();
    this.#running = swept;
    return swept;
  }

  /** Ends a running sweep after its current piece, and early removal. Resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.parts.early.stop(), this.#running]);
  }

  async #sweep() {
    const { tables, watch, early, endedKeys, historyRemoval, snapshotRemoval, clock } = this.parts;
    if (tables.hasFailed()) return { files: 0, drives: 0, blobs: 0 };
    if (!this.#isOrdered) await this.#attempt("the order of names", () => this.#nameKeys());
    const now = await watch.trustedNow();
    const files = now === null ? 0 : await this.#expired(now);
    await this.#attempt("what ended keys made", () => this.#inWrites(() => endedKeys.removeSome()));
    await this.#attempt("the trash", async () => {
      if (now !== null) await this.#inWrites(() => historyRemoval.endSome(now));
      return this.#inWrites(() => historyRemoval.emptySome());
    });
    await this.#attempt("versions", () => this.#versions());
    const drives = await this.#attempt("deleted drives", () => this.#deletedDrives());
    await this.#attempt("deleted snapshots", () => this.#inPieces(() => snapshotRemoval.piece()));
    const blobs = await this.#attempt("orphaned blobs", async () => {
      await this.#inWrites(() => tables.blobs.stampOrphans(clock.now(), PIECE));
      return this.#inPieces(() => this.forget(tables.blobs.orphans(clock.now() - this.#graceMs, PIECE)));
    });
    const contents = await this.#attempt("contents early", () => early.run());
    const unleased = await this.#attempt("blobs of removed backups", () => this.#unleasedBlobs());
    const strays = await this.#attempt("stray blobs", () => this.#strayBlobs());
    await this.#attempt("free pages", () => this.#inWrites(() => tables.releasePages(PAGES)));
    return { files, drives, blobs: blobs + contents + unleased + strays };
  }

  /** Removes what has expired. Returns how many files. */
  async #expired(now: number): Promise<number> {
    const files = await this.#attempt("expired files", () => this.#inWrites(() => this.#expireFiles(now)));
    // Claim tokens are kept for now, so that a late claim gets 410.
    const { drives } = this.parts.tables;
    const expireDrives = () => {
      const expired = drives.expired(now, PIECE);
      for (const drive of expired) drives.markDeleted(drive, now);
      return expired.length;
    };
    await this.#attempt("expired drives", () => this.#inWrites(expireDrives));
    for (const [what, removeSome] of Object.entries(this.#expiredRows)) {
      await this.#attempt(what, () => this.#inWrites(() => removeSome(now)));
    }
    return files;
  }

  async #attempt(what: string, step: () => Promise<number>): Promise<number> {
    if (this.#stopped) return 0;
    try {
      return await step();
    } catch (error) {
      // What cannot be reached was logged, and has its turn once it is back.
      const isKnown = error instanceof WriteRefused || error instanceof UnavailableBlob;
      if (!isKnown) this.parts.log.error(`sweeping ${what} failed`, { error });
      return 0;
    }
  }

  /** Repeats `piece` until it removes nothing, or this is stopped. Returns the total. */
  #inPieces(piece: () => Promise<number>): Promise<number> {
    return inPieces(piece, () => this.#stopped);
  }

  /** The same, each piece in a write of its own. */
  #inWrites(piece: () => number): Promise<number> {
    return this.#inPieces(() => this.parts.tables.writeFromReserve(piece));
  }

  #expireFiles(now: number): number {
    const expired = this.parts.tables.files.expired(now, PIECE);
    // Files in the same folders are next to each other, so that each folder is counted once.
    expired.sort((a, b) => a.drivePk - b.drivePk || (a.path < b.path ? -1 : 1));
    const files = new Piece().takeFiles(expired, goingFile);
    this.parts.tree.expire(files, { now });
    return files.length;
  }

  /** Makes the keys of the names that an earlier version of this program stored. Returns how many. */
  async #nameKeys(): Promise<number> {
    const { tables } = this.parts;
    const made = await this.#inPieces(() => tables.writeDerived(() => tables.nameKeys.fillSome(PIECE)));
    this.#isOrdered = !this.#stopped;
    return made;
  }

  /** Removes versions above their number, and some of those whose files are gone. Returns how many files it looked at. */
  async #versions(): Promise<number> {
    let looked = await this.#inPieces(() => this.parts.historyRemoval.trimSome());
    for (let piece = 0; piece < GONE_PIECES && !this.#stopped; piece += 1) {
      const files = await this.parts.historyRemoval.removeSomeOfGone();
      if (files === 0) break;
      looked += files;
    }
    return looked;
  }

  #deletedDrives(): Promise<number> {
    return this.#inPieces(async () => {
      const deleted = this.parts.tables.drives.deleted(PIECE);
      let emptied = 0;
      for (const drive of deleted) if (await this.#empty(drive)) emptied += 1;
      return emptied;
    });
  }

  /** Removes what is in a deleted drive, then its row. Returns false if it was stopped before the end. */
  async #empty(drive: DrivePk): Promise<boolean> {
    const { tables, snapshotRemoval, historyRemoval } = this.parts;
    const { writeFromReserve: write, folders, drives, apiKeys, releasedContents } = tables;
    const { snapshots, folderWorks, links, changes, comments } = tables;
    // First: then nothing is held for snapshots any more. Works name them, and entries of the trash.
    await write(() => folderWorks.removeHistoryOf(drive));
    await this.#inWrites(() => snapshots.removeSomeOf(drive, PIECE));
    await this.#inWrites(() => snapshotRemoval.removeSomeOf(drive, LARGE_PIECE));
    await this.#inWrites(() => apiKeys.removeSomeOf(drive, PIECE));
    await this.#inWrites(() => links.removeSharesOf(drive, LARGE_PIECE));
    await this.#inWrites(() => historyRemoval.removeSomeOf(drive));
    await this.#inWrites(() => comments.removeSomeOf(drive, LARGE_PIECE));
    await this.#inWrites(() => {
      const webhook = tables.webhooks.anyOf(drive);
      if (webhook !== null) removeSomeOfWebhook(tables, webhook);
      return webhook === null ? 0 : 1;
    });
    await this.#inWrites(() => changes.removeSomeOf(drive, PIECE));
    await this.#inWrites(() => this.#removeSomeFiles(drive));
    await this.#inWrites(() => folders.removeSomeOf(drive, PIECE));
    await this.#inWrites(() => releasedContents.clearReleaser(drive, PIECE));
    if (this.#stopped) return false;
    await write(() => drives.remove(drive));
    return true;
  }

  /** Removes some files of a deleted drive. Returns how many. */
  #removeSomeFiles(drive: DrivePk): number {
    const some = this.parts.tables.files.someOf(drive, PIECE);
    // No path: the counts of its folders are not updated.
    const files = new Piece().takeFiles(some, ({ tags }) => ({ drive, path: "", tags, metadata: 0 }));
    this.parts.tree.discard(files.map(({ pk }) => pk));
    return files.length;
  }

  /** Removes blobs, except those that a row names again. Returns how many: none during a backup, which copies them. */
  async forget(orphans: readonly BlobRow[]): Promise<number> {
    const { backups, blobs, writeFromReserve: write } = this.parts.tables;
    // Without its row a content would be found by its name alone.
    if (!this.parts.blobs.place.isReachable) return 0;
    let removed = 0;
    for (let at = 0; at < orphans.length && !this.#stopped; at += LARGE_PIECE) {
      const piece = orphans.slice(at, at + LARGE_PIECE);
      const forgotten = await write(() =>
        backups.isRunning(this.parts.clock.now()) ? [] : piece.filter(({ pk }) => blobs.remove(pk)),
      );
      // Those that a backup needs stay: once it is removed, they are found again.
      await inParallel(forgotten, REMOVALS, async ({ digest }) => void (await this.#removeUnknown(digest)));
      removed += forgotten.length;
    }
    return removed;
  }

  /** Removes contents that were only there for a backup which is gone. */
  async #unleasedBlobs(): Promise<number> {
    const { leases, isReachable } = this.parts.blobs.place;
    if (leases === undefined || !isReachable) return 0;
    let [looked, taken] = [0, 0];
    for await (const digest of leases.unleased()) {
      if (this.#stopped) break;
      if (await this.#removeUnknown(digest)) taken += 1;
      looked += 1;
      if (looked % LOOKUPS === 0) await nextTurn();
    }
    return taken;
  }

  /** Removes contents that a crash left without a row. Each sweep checks another part of the store. */
  async #strayBlobs(): Promise<number> {
    const { blobs, clock } = this.parts;
    if (!blobs.place.isReachable) return 0;
    if (this.#strays.isAtStart) await blobs.removeUnfinished(clock.now() - UNFINISHED_MS);
    let taken = 0;
    for await (const digest of this.#strays.next(this.parts.clock.now() - this.#graceMs)) {
      if (this.#stopped) break;
      if (await this.#removeUnknown(digest)) taken += 1;
    }
    return taken;
  }

  /** Removes a blob that no row names. Both checks are in one synchronous step, so no upload can come in between. */
  async #removeUnknown(digest: Digest): Promise<boolean> {
    const isRemoved = this.parts.tables.blobs.isRemovable(digest) && (await this.parts.blobs.remove(digest));
    if (isRemoved) await this.parts.thumbnailStore.forget(digest);
    return isRemoved;
  }
}
