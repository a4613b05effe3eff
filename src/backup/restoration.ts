import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BlobFacts, contentPath, damageIn, requireBlob, requireFile } from "../blobs/blob-file.ts";
import { writeIdentity } from "../blobs/disk-marks.ts";
import { ifPresent } from "../blobs/system-error.ts";
import { newTempPath, syncDirectory, TempFile } from "../blobs/temp-file.ts";
import {
  type DataDirectory,
  isHalfRestored,
  lockDataDirectory,
  openDataDirectory,
  pathsIn,
} from "../data-directory/data-directory.ts";
import { recordDisks } from "../data-directory/disks-file.ts";
import type { Lock } from "../db/engine/lock.ts";
import { recordInCopy, Snapshot } from "../db/upkeep/database-copy.ts";
import { commandEvent } from "../domain/audit/new-audit-event.ts";
import type { StoreId } from "../domain/id.ts";
import { damagedSmallContents, readContentList } from "./contents.ts";
import type { DamagedInBackup, Manifest, Part, PartName } from "./manifest.ts";
import { NAMED_FILES, PARTS } from "./manifest.ts";
import { BackupError, measured } from "./place.ts";

/** What may be in a directory before a restore. */
const NOTHING: ReadonlySet<string> = new Set(["lost+found", "lock", "lock-journal"]);

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What the audit log of the restored store is told besides what the manifest says. */
interface Told {
  /** The place of the backup; null for an archive. */
  readonly from: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A data directory that is being restored. The database comes last: before, no server starts here. */
export class Restoration implements Disposable {
  readonly #directory: DataDirectory;
  readonly #lock: Lock;
  readonly #store: StoreId;
  readonly #parts = new Map<PartName, Part>();
  /** Directories of contents that were made or got a name. */
  readonly #shards = new Set<string>();
  /** Why a blob is not there. */
  readonly #problems = new Map<string, string>();
  /** The bucket in which some contents stay; null if there is none. */
  #bucket: string | null = null;

  private constructor(directory: DataDirectory, lock: Lock, store: StoreId) {
    this.#directory = directory;
    this.#lock = lock;
    this.#store = store;
  }

  /** Begins in an empty or new directory, or where a restore has not ended. Throws BackupError, DataDirectoryError. */
  static async begin(root: string, store: StoreId): Promise<Restoration> {
    await requireNothing(root);
    const directory = openDataDirectory(root);
    const lock = lockDataDirectory(directory);
    try {
      // Another process may have started here meanwhile.
      await requireNothing(root);
      const restoration = new Restoration(directory, lock, store);
      await restoration.#prepare();
      return restoration;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#lock.release();
  }

  /**
   * Writes a blob, unless that was done before. Returns whether it is whole; `finish` tells of one that is not.
   *
   * @param read null if there is nothing
   */
  async addContent(content: BlobFacts, read: () => Pieces | null | Promise<Pieces | null>): Promise<boolean> {
    const path = contentPath(this.#directory.blobs, content.digest);
    if ((await damageIn(() => requireBlob(path, content))) === null) return true;
    const bytes = await read();
    if (bytes === null) return false;
    await using draft = await TempFile.create(newTempPath(this.#directory.tmp));
    const { sha256, size } = await measured(bytes, (piece) => draft.append(piece));
    if (sha256 !== content.digest || size !== content.size) {
      this.miss(content, "does not match its SHA-256 in the backup");
      return false;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await draft.moveTo(path, size);
    this.#shards.add(dirname(path));
    return true;
  }

  /** Writes a part, in place of one that was added before; `requireParts` and `finish` check it. */
  async addPart(name: PartName, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await using draft = await TempFile.create(newTempPath(this.#directory.tmp));
    const found = await measured(bytes, (piece) => draft.append(piece));
    await draft.moveTo(this.#partPath(name), found.size);
    this.#parts.set(name, { name, ...found });
  }

  /** Whether a part was added, byte for byte. */
  has({ name, sha256, size }: Part): boolean {
    const found = this.#parts.get(name);
    return found?.sha256 === sha256 && found.size === size;
  }

  /** Checks that all parts are there, byte for byte. Throws BackupError. */
  requireParts({ id, store, parts, in_bucket }: Manifest): void {
    if (store !== this.#store) throw new BackupError(`The backup ${id} is of another store than its place.`);
    const lists = in_bucket === undefined ? [PARTS.contents] : [PARTS.contents, PARTS.inBucket];
    const needed = [PARTS.database, ...lists, ...parts.map(({ name }) => name)];
    for (const name of needed) {
      const wanted = parts.find((part) => part.name === name);
      if (wanted !== undefined && this.has(wanted)) continue;
      throw new BackupError(
        `${name} of the backup ${id} is missing or damaged. Restore another one with --backup.`,
      );
    }
  }

  /** The contents that the backup has. After `requireParts`. */
  contents(): AsyncGenerator<BlobFacts> {
    return this.#listed(PARTS.contents);
  }

  /** The contents that it has left in a bucket. After `requireParts`. */
  async *contentsInBucket(): AsyncGenerator<BlobFacts> {
    if (this.#parts.has(PARTS.inBucket)) yield* this.#listed(PARTS.inBucket);
  }

  /** Contents stay in this bucket, as people write it: it becomes that of the store. */
  leaveIn(bucket: string): void {
    this.#bucket = bucket;
  }

  /** A content cannot be restored: `finish` tells of it. @param problem words after "its content" */
  miss({ digest }: BlobFacts, problem: string): void {
    this.#problems.set(digest, problem);
  }

  #listed(part: PartName): AsyncGenerator<BlobFacts> {
    return readContentList(createReadStream(this.#partPath(part)));
  }

  /**
   * Completes the data directory, and tells its audit log. Returns the contents of files that could not be restored.
   * Throws BackupError, and SQLiteError on a full disk.
   */
  async finish(manifest: Manifest, told: Told): Promise<DamagedInBackup[]> {
    this.requireParts(manifest);
    const { root, blobs, secretFile, database, restoringFile } = this.#directory;
    const missing = await this.#missing();
    this.#record(manifest, missing.length, told);
    for (const shard of this.#shards) await syncDirectory(shard);
    await syncDirectory(blobs);
    if (this.#parts.has(PARTS.secret)) await rename(this.#partPath(PARTS.secret), secretFile);
    for (const list of [PARTS.contents, PARTS.inBucket]) await rm(this.#partPath(list), { force: true });
    if (this.#bucket !== null) {
      const holdsAny = manifest.contents.count > 0;
      await recordDisks(this.#directory, { current: [this.#bucket], former: holdsAny ? [root] : [] });
    }
    await syncDirectory(root);
    await rename(this.#partPath(PARTS.database), database);
    await syncDirectory(root);
    await rm(restoringFile);
    await syncDirectory(root);
    return missing;
  }

  /** While the database is no part of the store yet: whoever has it has the event. */
  #record({ id, created_at }: Manifest, missing: number, { from, at }: Told): void {
    const facts = {
      action: "store.restored",
      subject: { kind: "backup", id, name: id },
      detail: { from, made_at: created_at, contents_missing: missing },
    } as const;
    recordInCopy(this.#partPath(PARTS.database), commandEvent("restore", facts, at));
  }

  async #prepare(): Promise<void> {
    const { root, blobs, tmp, restoringFile } = this.#directory;
    await writeFile(restoringFile, "", { mode: 0o600 });
    await syncDirectory(root);
    await rm(tmp, { recursive: true, force: true });
    // In this order: a data directory with `tmp` alone is taken for a foreign one.
    for (const made of [blobs, tmp]) await mkdir(made, { recursive: true, mode: 0o700 });
    await writeIdentity(blobs, newTempPath(this.#directory.tmp), this.#store);
    await syncDirectory(root);
  }

  /** The contents that are not there, with some of the files that have them. */
  async #missing(): Promise<DamagedInBackup[]> {
    using snapshot = new Snapshot(this.#partPath(PARTS.database));
    const missing: DamagedInBackup[] = [];
    const add = ({ digest, size }: BlobFacts, problem: string) => {
      const files = snapshot.placesOf(digest, NAMED_FILES);
      // Without a file, nobody can read it.
      if (files.length > 0) missing.push({ sha256: digest, size, problem, files });
    };
    const addUnlessThere = async (content: BlobFacts, problem: string) => {
      const path = contentPath(this.#directory.blobs, content.digest);
      if ((await damageIn(() => requireFile(path, content))) === null) return;
      add(content, this.#problems.get(content.digest) ?? problem);
    };
    for await (const content of this.contents()) await addUnlessThere(content, "is not in the backup");
    for await (const content of this.contentsInBucket()) {
      const problem = this.#problems.get(content.digest);
      if (this.#bucket === null) await addUnlessThere(content, "is not in the bucket");
      else if (problem !== undefined) add(content, problem);
    }
    for await (const content of damagedSmallContents(snapshot)) add(content, "is damaged in the backup");
    return missing;
  }

  #partPath(name: PartName): string {
    return join(this.#directory.tmp, `restored-${name}`);
  }
}

/** Throws BackupError for a directory that holds anything but a restore that has not ended. */
async function requireNothing(root: string): Promise<void> {
  if (isHalfRestored(pathsIn(root))) return;
  const names = (await ifPresent(readdir(root))) ?? [];
  const [found] = names.filter((name) => !NOTHING.has(name)).toSorted();
  if (found === undefined) return;
  throw new BackupError(
    `${root} holds ${found}. A backup is restored into an empty or new directory: choose one with --data-dir. ` +
      "Nothing has been changed.",
  );
}
