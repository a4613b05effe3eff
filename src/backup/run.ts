import { createReadStream } from "node:fs";
import { readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { DamagedBlob } from "../blobs/blob-file.ts";
import { hasCode } from "../blobs/system-error.ts";
import type { Clock } from "../process/clock.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { copyDatabase, NoRoomForCopy, Snapshot, type CopiedContent } from "../db/upkeep/database-copy.ts";
import { type Digest, parseDigest } from "../domain/contents/digest.ts";
import type { StoreId } from "../domain/id.ts";
import { formatInstant } from "../domain/time.ts";
import { writeContentList } from "./content-list.ts";
import { inParallel } from "./in-parallel.ts";
import type { Lease } from "./lease.ts";
import {
  type BackupId,
  type DamagedInBackup,
  FORMAT,
  MANIFEST,
  type Manifest,
  manifestText,
  NAMED_FILES,
  nameOfPart,
  newBackupId,
  type Part,
  PARTS,
} from "./manifest.ts";
import { BackupError, type BackupPlace, type BackupTarget, CONTENTS, nameOfContent } from "./place.ts";
import { damagedSmallContents } from "./small-contents.ts";

/** How many contents are copied at once. */
const AT_ONCE = 8;
/** Names of temporary files. A server that starts leaves them; the next backup removes them. */
const SCRATCH = /^backup-[0-9a-f-]{36}\.(?:db(?:-journal)?|list)$/;

export interface BackupOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Bytes that the copy of the database leaves free on the disk of the data directory. */
  readonly diskReserve: number;
  readonly version: string;
  /** Ends the backup when it is aborted. What is there by then helps the next one. */
  readonly signal: AbortSignal;
}

/** A store while it is backed up. */
export interface BackedUp {
  readonly directory: DataDirectory;
  readonly id: StoreId;
  readonly lease: Lease;
}

/** What a backup holds. */
export interface Made {
  readonly id: BackupId;
  readonly contents: { readonly count: number; readonly bytes: number };
  /** How many of the contents were not there yet. */
  readonly copied: number;
  /** Contents of files that the backup does not have as they were. */
  readonly damaged: readonly DamagedInBackup[];
}

/** What a place holds before a backup. */
export interface Earlier {
  readonly place: BackupPlace;
  readonly last: BackupId | null;
}

/** One backup on its way into a target. */
export class BackupRun {
  readonly #store: BackedUp;
  readonly #options: BackupOptions;
  readonly #target: BackupTarget;
  readonly #place: BackupPlace | null;
  readonly #startedAt: number;
  readonly #id: BackupId;
  readonly #damaged: DamagedInBackup[] = [];
  #copied = 0;

  /** @param earlier the target, if it may hold contents already, and its newest backup */
  constructor(store: BackedUp, options: BackupOptions, target: BackupTarget, earlier: Earlier | null) {
    this.#store = store;
    this.#options = options;
    this.#target = target;
    this.#place = earlier?.place ?? null;
    this.#startedAt = options.clock.now();
    this.#id = newBackupId(this.#startedAt, earlier?.last ?? null);
  }

  async run(): Promise<Made> {
    const { directory } = this.#store;
    await removeScratch(directory.tmp);
    const scratch = (end: string) => join(directory.tmp, `backup-${crypto.randomUUID()}.${end}`);
    const [databasePath, listPath] = [scratch("db"), scratch("list")];
    try {
      await this.#snapshot(databasePath);
      using snapshot = new Snapshot(databasePath);
      const contents = await this.#list(listPath, snapshot);
      await this.#copyContents(snapshot);
      await this.#checkSmallContents(snapshot);
      const parts = await this.#copyParts(databasePath, listPath);
      await this.#target.sync();
      this.#check();
      await this.#target.putText(
        nameOfPart(this.#id, MANIFEST),
        manifestText(this.#manifest(snapshot, contents, parts)),
      );
      const damaged = this.#damaged.filter(({ files }) => files.length > 0);
      return { id: this.#id, contents, copied: this.#copied, damaged };
    } finally {
      await removeScratch(directory.tmp);
    }
  }

  async #snapshot(path: string): Promise<void> {
    const { database, tmp } = this.#store.directory;
    const { bavail, bsize } = await statfs(tmp);
    const room = bavail * bsize - this.#options.diskReserve;
    const { size } = await stat(database);
    if (size > room) {
      throw new NoRoomForCopy(
        `it needs ${size} bytes, and ${Math.max(room, 0)} are free beyond COFFER_DISK_RESERVE, which may be lower ` +
          "for this command",
      );
    }
    await copyDatabase(database, path);
    this.#check();
  }

  async #list(path: string, snapshot: Snapshot): Promise<Manifest["contents"]> {
    try {
      return await writeContentList(path, snapshot.contents());
    } catch (error) {
      throw hasCode(error, "ENOSPC") ? new NoRoomForCopy("it became full meanwhile") : error;
    }
  }

  async #copyContents(snapshot: Snapshot): Promise<void> {
    const { blobs } = this.#store.directory;
    await inParallel(this.#absent(snapshot.contents()), AT_ONCE, async (content) => {
      this.#check();
      const name = nameOfContent(content.digest);
      try {
        await this.#target.putContent(name, join(blobs, content.digest.slice(0, 2), content.digest), content);
        this.#copied += 1;
      } catch (error) {
        if (!(error instanceof DamagedBlob)) throw error;
        this.#addDamaged(snapshot, content, error);
      }
    });
  }

  /** They come with the database, as they are. */
  async #checkSmallContents(snapshot: Snapshot): Promise<void> {
    for await (const { damage, ...content } of damagedSmallContents(snapshot)) {
      this.#addDamaged(snapshot, content, damage);
    }
    this.#check();
  }

  #addDamaged(snapshot: Snapshot, { digest, size }: CopiedContent, { message }: DamagedBlob): void {
    const files = snapshot.placesOf(digest, NAMED_FILES);
    this.#damaged.push({ sha256: digest, size, problem: message, files });
  }

  /** The contents that are not in the place yet. */
  async *#absent(contents: Iterable<CopiedContent>): AsyncGenerator<CopiedContent> {
    let shard = "";
    let present: ReadonlyMap<string, number> = new Map();
    for (const content of contents) {
      const own = content.digest.slice(0, 2);
      if (own !== shard) {
        present = await sizesIn(this.#place, `${CONTENTS}${own}/`);
        shard = own;
      }
      if (present.get(nameOfContent(content.digest)) !== content.size) yield content;
    }
  }

  async #copyParts(databasePath: string, listPath: string): Promise<Part[]> {
    const { secretFile } = this.#store.directory;
    const paths = [
      [PARTS.contents, listPath],
      [PARTS.secret, secretFile],
      [PARTS.database, databasePath],
    ] as const;
    const parts: Part[] = [];
    for (const [name, path] of paths) {
      this.#check();
      // A store whose server never answered may have no secret yet.
      if (name === PARTS.secret && !(await Bun.file(path).exists())) continue;
      const part = await partOf(name, path);
      await this.#target.putFile(nameOfPart(this.#id, name), path);
      parts.push(part);
    }
    return parts;
  }

  #manifest(snapshot: Snapshot, contents: Manifest["contents"], parts: readonly Part[]): Manifest {
    return {
      format: FORMAT,
      id: this.#id,
      created_at: formatInstant(this.#startedAt),
      coffer: this.#options.version,
      store: this.#store.id,
      schema_version: snapshot.schemaVersion(),
      parts,
      contents,
      damaged: this.#damaged,
    };
  }

  #check(): void {
    if (this.#options.signal.aborted)
      throw new BackupError("The backup was stopped. The next one goes on with it.");
    this.#store.lease.requireHeld();
  }
}

async function sizesIn(place: BackupPlace | null, prefix: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (place !== null) for await (const { name, size } of place.list(prefix)) sizes.set(name, size);
  return sizes;
}

async function partOf(name: Part["name"], path: string): Promise<Part> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    size += piece.length;
  }
  return { name, sha256: digestOf(hash), size };
}

function digestOf(hash: Bun.CryptoHasher): Digest {
  const digest = parseDigest(hash.digest("hex"));
  if (digest === null) throw new Error("the runtime made a malformed digest");
  return digest;
}

async function removeScratch(tmp: string): Promise<void> {
  for (const name of await readdir(tmp)) if (SCRATCH.test(name)) await rm(join(tmp, name), { force: true });
}
