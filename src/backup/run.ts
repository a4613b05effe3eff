import { createReadStream } from "node:fs";
import { readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { StoredBucket } from "../blobs/bucket/stored-bucket.ts";
import type { StoredBlobs } from "../blobs/stored-blobs.ts";
import { type BlobFacts, damageIn } from "../blobs/blob-file.ts";
import { hasCode } from "../blobs/system-error.ts";
import { keepDirectory } from "../blobs/temp-file.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { copyDatabase, NoRoomForCopy, Snapshot } from "../db/upkeep/database-copy.ts";
import type { StoreId } from "../domain/id.ts";
import { formatInstant } from "../domain/time.ts";
import { inParallel } from "../process/in-parallel.ts";
import { AT_ONCE, ContentList, damagedSmallContents, type ListFigures, readContentList } from "./contents.ts";
import { leaseContents, lookInBucket } from "./leaving.ts";
import type { BackupId, DamagedInBackup, Manifest, Part, PartName } from "./manifest.ts";
import { MANIFEST, manifestText, NAMED_FILES, nameOfPart, newBackupId, PARTS } from "./manifest.ts";
import type { BackupPlace, BackupTarget } from "./place.ts";
import type { S3Access } from "./s3-place.ts";
import { BackupError, lookInPlace, measured, nameOfContent } from "./place.ts";

/** Names of temporary files. A server that starts leaves them; the next backup removes them. */
const SCRATCH = /^backup-[0-9a-f-]{36}\.(?:db(?:-journal)?|list|lease)$/;

export interface BackupOptions extends S3Access {
  readonly dataDir: string;
  /** Bytes that the copy of the database leaves free on the disk of the data directory. */
  readonly diskReserve: number;
  readonly version: string;
  /** Whether contents that are in a bucket stay there, held by a lease, or are copied. */
  readonly backupContents: "leave" | "copy";
  /** Ends the backup when it is aborted. What is there by then helps the next one. */
  readonly signal: AbortSignal;
}

/** A store while it is backed up. */
export interface BackedUp {
  readonly directory: DataDirectory;
  readonly store: StoreId;
  /** The roots of its disks. */
  readonly disks: readonly string[];
  readonly contents: StoredBlobs;
  /** The bucket that contents are in, or were; null if there is none. */
  readonly bucket: StoredBucket | null;
  /** Whether new contents go there. Nothing is left in one that is to be emptied. */
  readonly isBucketUsed: boolean;
  /** Throws BackupError once others may change the store. */
  readonly requireHeld: () => void;
}

interface RunParts extends BackupOptions, Omit<BackedUp, "bucket" | "isBucketUsed"> {
  /** Where contents stay that are there; null to copy all. */
  readonly bucket: StoredBucket | null;
  readonly target: BackupTarget;
  /** The target, if it may hold contents already. */
  readonly place: BackupPlace | null;
}

/** What a backup holds; of damaged contents those that files have. */
export interface Made extends Pick<Manifest, "id" | "contents" | "damaged"> {
  /** The contents that stay in the bucket. */
  readonly left: ListFigures;
  /** How many of the contents were not there yet. */
  readonly copied: number;
}

/** One backup on its way into a target. */
export class BackupRun {
  readonly #parts: RunParts;
  readonly #damaged: DamagedInBackup[] = [];
  #copied = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** @param last the newest backup that the target has; null if it has none */
  async run(last: BackupId | null): Promise<Made> {
    const { directory, store, bucket, target, clock, version } = this.#parts;
    const startedAt = clock.now();
    const id = newBackupId(startedAt, last);
    // The data directory may be none of the disks.
    keepDirectory(directory.tmp);
    await removeScratch(directory.tmp);
    const scratch = (end: string) => join(directory.tmp, `backup-${crypto.randomUUID()}.${end}`);
    const databasePath = scratch("db");
    const lists = { copied: scratch("list"), left: scratch("list") };
    try {
      await this.#snapshot(databasePath);
      using snapshot = new Snapshot(databasePath);
      const { copied: contents, left } = await this.#list(lists, snapshot);
      const leaves = left.count === 0 ? null : bucket;
      await this.#copyContents(lists.copied, snapshot);
      // These come with the database, as they are.
      for await (const { damage, ...content } of damagedSmallContents(snapshot)) {
        this.#addDamaged(snapshot, content, damage);
      }
      const parts = await this.#copyParts(id, [
        [PARTS.contents, lists.copied],
        ...(leaves === null ? [] : [[PARTS.inBucket, lists.left] as const]),
        [PARTS.secret, directory.secretFile],
        [PARTS.database, databasePath],
      ]);
      // What is there now says of which backup a lease is, if this ends here.
      await target.sync();
      if (leaves !== null) await leaseContents(leaves, id, { contents: lists.left, lease: scratch("lease") });
      this.#check();
      const text = manifestText({
        id,
        created_at: formatInstant(startedAt),
        coffer: version,
        store,
        schema_version: snapshot.schemaVersion(),
        parts,
        contents,
        ...(leaves === null ? {} : { in_bucket: { address: leaves.name, ...left } }),
        damaged: this.#damaged,
      });
      await target.put(nameOfPart(id, MANIFEST), new Blob([text]));
      await target.sync();
      const damaged = this.#damaged.filter(({ files }) => files.length > 0);
      return { id, contents, left, copied: this.#copied, damaged };
    } finally {
      await removeScratch(directory.tmp);
    }
  }

  async #snapshot(path: string): Promise<void> {
    const { directory, diskReserve } = this.#parts;
    const { bavail, bsize } = await statfs(directory.tmp);
    const room = bavail * bsize - diskReserve;
    const { size } = await stat(directory.database);
    if (size > room) {
      throw new NoRoomForCopy(
        `it needs ${size} bytes, and ${Math.max(room, 0)} are free beyond COFFER_DISK_RESERVE, which may be lower ` +
          "for this command",
      );
    }
    await copyDatabase(directory.database, path);
    this.#check();
  }

  /** Lists all contents, by whether they are to be copied, or left in the bucket. */
  async #list(paths: { readonly copied: string; readonly left: string }, snapshot: Snapshot) {
    const { bucket } = this.#parts;
    const damageOf = bucket && lookInBucket(bucket);
    try {
      await using copied = await ContentList.create(paths.copied);
      await using left = await ContentList.create(paths.left);
      for (const content of snapshot.contents()) {
        this.#check();
        const isLeft = damageOf !== null && (await damageOf(content)) === null;
        await (isLeft ? left : copied).add(content);
      }
      return { copied: await copied.end(), left: await left.end() };
    } catch (error) {
      throw hasCode(error, "ENOSPC") ? new NoRoomForCopy("it became full meanwhile") : error;
    }
  }

  async #copyContents(list: string, snapshot: Snapshot): Promise<void> {
    const { contents, target } = this.#parts;
    const listed = readContentList(createReadStream(list));
    await inParallel(this.#absent(listed), AT_ONCE, async (content) => {
      this.#check();
      const name = nameOfContent(content.digest);
      const put = (path: string) => target.putContent(name, path, content);
      const damage = await damageIn(() => contents.find(content, put));
      if (damage === null) this.#copied += 1;
      else this.#addDamaged(snapshot, content, damage);
    });
  }

  #addDamaged(snapshot: Snapshot, { digest, size }: BlobFacts, { message }: Error): void {
    const files = snapshot.placesOf(digest, NAMED_FILES);
    this.#damaged.push({ sha256: digest, size, problem: message, files });
  }

  /** The contents that are not in the place yet. */
  async *#absent(contents: AsyncIterable<BlobFacts>): AsyncGenerator<BlobFacts> {
    const { place } = this.#parts;
    const isThere = place && lookInPlace(place);
    for await (const content of contents) {
      if (isThere === null || !(await isThere(content))) yield content;
    }
  }

  async #copyParts(id: BackupId, paths: readonly (readonly [PartName, string])[]): Promise<Part[]> {
    const parts: Part[] = [];
    for (const [name, path] of paths) {
      this.#check();
      const file = Bun.file(path);
      // A store whose server never answered may have no secret yet.
      if (name === PARTS.secret && !(await file.exists())) continue;
      parts.push({ name, ...(await measured(file.stream())) });
      await this.#parts.target.put(nameOfPart(id, name), file);
    }
    return parts;
  }

  #check(): void {
    if (this.#parts.signal.aborted)
      throw new BackupError("The backup was stopped. The next one goes on with it.");
    this.#parts.requireHeld();
  }
}

async function removeScratch(tmp: string): Promise<void> {
  for (const name of await readdir(tmp)) if (SCRATCH.test(name)) await rm(join(tmp, name), { force: true });
}
