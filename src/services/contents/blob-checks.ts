import { setTimeout as sleep } from "node:timers/promises";
import type { BlobBody, HeldBlob } from "../../blobs/blob-body.ts";
import { type BlobFacts, CHECKED_BYTES, DamagedBlob, damageIn } from "../../blobs/blob-file.ts";
import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Clock } from "../../process/clock.ts";
import type { DamagedRow } from "../../db/contents/blobs.ts";
import type { Tables } from "../../db/tables.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DriveId } from "../../domain/id.ts";
import type { Log } from "../../process/log.ts";
import { Recent } from "../../domain/recent.ts";
import { Turns } from "../turns.ts";
import { Service } from "../service.ts";

/** How often a blob is read that changes while it is read. */
const ATTEMPTS = 2;

/** Is awaited for each piece that was read, with its length; an error in it ends the check. */
type Pause = (bytes: number) => void | Promise<void>;

export interface FilePlace {
  readonly driveId: DriveId;
  readonly path: string;
}

/** A file's content is missing or damaged. The message is for the log: it names the file and the damage. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";

  constructor({ driveId, path }: FilePlace, cause: DamagedBlob) {
    super(`the content of "${path}" in drive ${driveId} is damaged: ${cause.message}`, { cause });
  }
}

/** Remembers damaged blobs. The blob store refuses them, until the same bytes are uploaded again. */
export class DamagedBlobs extends Service<{ tables: Tables; blobs: BlobStore; clock: Clock; log: Log }> {
  readonly #checks = new Map<Digest, Promise<boolean>>();

  /** Reads a blob for a file, at once if `read` does. Damage is remembered. Throws DamagedFile. */
  readFor<T>(place: FilePlace, read: () => T | Promise<T>): T | Promise<T> {
    try {
      const found = read();
      if (!(found instanceof Promise)) return found;
      return found.catch((error: unknown) => this.#afterFailure(place, read, error));
    } catch (error) {
      return this.#afterFailure(place, read, error);
    }
  }

  /** Reads every byte of a blob, once for all who wait; remembers or forgets its damage. Returns whether it is whole. */
  check(content: BlobFacts, pause: Pause = () => {}, pieceBytes?: number): Promise<boolean> {
    const running = this.#checks.get(content.digest);
    if (running !== undefined) return running;
    const check = this.#readAll(content, pause, pieceBytes).finally(() =>
      this.#checks.delete(content.digest),
    );
    this.#checks.set(content.digest, check);
    return check;
  }

  /** Whether a blob is known to be damaged, perhaps since its sending has begun. */
  isKnown({ digest }: Pick<BlobFacts, "digest">): boolean {
    return this.parts.tables.damagedContents.problemOf(digest) !== null;
  }

  /** Whether a damaged blob has changed since it was looked at: perhaps somebody has restored it. */
  hasChanged({ digest, state }: DamagedRow): boolean {
    return this.parts.blobs.hasChanged(digest, state);
  }

  /** Remembers damage, unless the blob has changed since, or is gone. Returns whether it is damaged still. */
  remember({ digest, problem, state }: DamagedBlob): Promise<boolean> {
    return this.parts.tables.writeFromReserve(() => {
      if (this.parts.blobs.hasChanged(digest, state)) return false;
      return this.parts.tables.damagedContents.put(digest, problem, state, this.parts.clock.now());
    });
  }

  /** Remembers damage that showed while a blob was sent, and tells of it. Never rejects. */
  async report(damage: DamagedBlob): Promise<void> {
    try {
      if (await this.remember(damage)) this.#tell(damage);
    } catch (error) {
      // Then the next read finds it again.
      if (!(error instanceof WriteRefused)) this.parts.log.error("damage could not be recorded", { error });
    }
  }

  async #readAll(content: BlobFacts, pause: Pause, pieceBytes?: number): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const damage = await damageIn(async () => {
        for await (const { length } of this.parts.blobs.examine(content, pieceBytes)) await pause(length);
      });
      if (damage === null) {
        await this.#forget(content.digest);
        return true;
      }
      if (!(await this.remember(damage))) continue;
      this.#tell(damage);
      return false;
    }
    return false;
  }

  #tell({ digest, message }: DamagedBlob): void {
    this.parts.log.error("a content is damaged", { ...this.#about(digest), damage: message });
  }

  async #forget(digest: Digest): Promise<void> {
    const { damagedContents } = this.parts.tables;
    if (damagedContents.problemOf(digest) === null) return;
    await this.parts.tables.writeFromReserve(() => damagedContents.remove(digest));
    this.parts.log.warn("a damaged content is whole again", this.#about(digest));
  }

  /** A blob for the log, with one of the files that it belongs to. */
  #about(digest: Digest) {
    const place = this.parts.tables.damagedContents.placeOf(digest);
    return { digest, ...(place === null ? {} : { drive: place.driveId, path: place.path }) };
  }

  /** Remembers the damage. Reads again if it was known, and has gone since. */
  async #afterFailure<T>(place: FilePlace, read: () => T | Promise<T>, error: unknown): Promise<T> {
    if (!(error instanceof DamagedBlob)) throw error;
    const known = this.parts.tables.damagedContents.get(error.digest);
    try {
      if (known === null) await this.remember(error);
      else if (this.hasChanged(known)) await this.check(known);
    } catch (failure) {
      // Then the next read finds it again.
      if (!(failure instanceof WriteRefused)) throw failure;
    }
    const isWhole = known !== null && this.parts.tables.damagedContents.get(error.digest) === null;
    if (isWhole) return this.readFor(place, read);
    throw new DamagedFile(place, error);
  }
}

/** How long a reader waits for a check, in milliseconds: fast disks read a gigabyte in that time. */
const PATIENCE_MS = { whole: 2000, part: 200 };
/** After how long a blob is checked again, in milliseconds. */
const LATELY_MS = 24 * 3_600_000;
/** How many checks run side by side, and how many there are with those that wait. */
const CHECKS = { running: 2, all: 1000 };
/** How many bytes are read and hashed at once: a millisecond or two on slow processors. */
const PIECE_BYTES = 256 * 1024;

/** Checks large blobs before they are sent, once a day and when they changed. What is sent meanwhile lacks its end. */
export class BlobChecks extends Service<{ blobs: BlobStore; damaged: DamagedBlobs; clock: Clock; log: Log }> {
  /** The state of its file, and when it was checked: another state is another blob. */
  readonly #lately = new Recent<Digest, { readonly state: string | null; readonly at: number }>(10_000);
  readonly #checks = new Map<Digest, Promise<void>>();
  readonly #turns = new Turns<number>();
  readonly #stopping = new AbortController();

  /** The content of a file, or a range of it, to be sent; as `BlobStore.read`. Throws DamagedFile. */
  read(file: FilePlace & BlobFacts, range?: ByteRange): BlobBody | Promise<BlobBody> {
    const read = () => this.parts.damaged.readFor<BlobBody>(file, () => this.parts.blobs.read(file, range));
    if (!this.#isToCheck(file)) return read();
    return this.#readChecked(file, read, range === undefined ? PATIENCE_MS.whole : PATIENCE_MS.part);
  }

  /** The content of a file, to be read in any order. Throws DamagedFile. */
  async hold(file: FilePlace & BlobFacts): Promise<HeldBlob> {
    const hold = () => this.parts.damaged.readFor(file, () => this.parts.blobs.hold(file));
    return this.#isToCheck(file) ? this.#readChecked(file, hold, PATIENCE_MS.whole) : hold();
  }

  /** The check of a blob that is running; null if there is none. It never rejects. */
  running({ digest }: BlobFacts): Promise<void> | null {
    return this.#checks.get(digest)?.catch(() => {}) ?? null;
  }

  /** Remembers that all bytes of a blob were right when they were written just now. */
  note(digest: Digest): void {
    this.#remember(digest, this.parts.blobs.stateOf(digest));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#checks.values());
  }

  #isToCheck(content: BlobFacts): boolean {
    if (content.size <= CHECKED_BYTES || this.parts.blobs.place.checksReads(content.digest)) return false;
    return !this.#isChecked(content);
  }

  async #readChecked<T>(content: BlobFacts, read: () => T | Promise<T>, patienceMs: number): Promise<T> {
    // What is missing, or of another size, needs no check.
    await read();
    const isOver = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: isOver.signal }).catch(() => {});
    try {
      await Promise.race([this.#check(content), late]);
    } finally {
      isOver.abort();
    }
    return read();
  }

  /** Whoever asks for the same blob waits for one check. */
  #check(content: BlobFacts): Promise<void> {
    const { digest } = content;
    const running = this.#checks.get(digest);
    if (running !== undefined) return running;
    if (this.#checks.size >= CHECKS.all) return Promise.resolve();
    const turn = Number.parseInt(digest.slice(-4), 16) % CHECKS.running;
    const check = this.#turns.take(turn, () => this.#checkNow(content));
    this.#checks.set(digest, check);
    check
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.parts.log.error("a content could not be checked", { digest, error });
      })
      .finally(() => this.#checks.delete(digest));
    return check;
  }

  async #checkNow(content: BlobFacts): Promise<void> {
    const state = this.parts.blobs.stateOf(content.digest);
    const proceed = () => this.#stopping.signal.throwIfAborted();
    proceed();
    const isWhole = await this.parts.damaged.check(content, proceed, PIECE_BYTES);
    if (isWhole) this.#remember(content.digest, state);
  }

  #isChecked({ digest }: BlobFacts): boolean {
    const found = this.#lately.get(digest);
    if (found === undefined || found.state !== this.parts.blobs.stateOf(digest)) return false;
    // Also when the clock was set back.
    return Math.abs(this.parts.clock.now() - found.at) < LATELY_MS;
  }

  #remember(digest: Digest, state: string | null): void {
    this.#lately.set(digest, { state, at: this.parts.clock.now() });
  }
}
