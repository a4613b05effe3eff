import { createReadStream } from "node:fs";
import { link, mkdir, readdir, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type BlobFacts, readPieces, requireBlob } from "../blobs/blob-file.ts";
import { hasCode, ifPresent } from "../blobs/system-error.ts";
import { syncDirectory, TempFile } from "../blobs/temp-file.ts";
import { BackupError, type BackupPlace } from "./place.ts";

/** Files that are being written. What a killed backup left there is removed by the next. */
const DRAFTS = "unfinished";
/** What an empty file system has. */
const LOST = "lost+found";

/** Where a store is. */
export interface OwnDirectories {
  readonly dataDir: string;
  /** The roots of its disks. */
  readonly disks: readonly string[];
}

/** A directory of this machine. It may be on another disk, or a mounted share. */
export class DirectoryPlace implements BackupPlace {
  readonly #root: string;
  /** Directories with names that are not synced yet. */
  readonly #changed = new Set<string>();
  readonly #made = new Set<string>();
  /** Whether contents may be hard links: the directory is on the file system of the contents. */
  #canLink = true;

  constructor(root: string) {
    this.#root = root;
  }

  /** Creates the directory if it is missing. Throws BackupError if it is in one of the store's own. */
  async make({ dataDir, disks }: OwnDirectories): Promise<void> {
    const root = await realpathOfMissing(this.#root);
    for (const own of new Set([dataDir, ...disks])) {
      const inside = relative(await realpath(own), root);
      if (inside === ".." || inside.startsWith(`..${sep}`) || inside.startsWith(sep)) continue;
      const what = own === dataDir ? "data directory" : "disk of contents";
      throw new BackupError(
        `The backups cannot be in the ${what} ${own}: they would be lost with it. Choose another directory.`,
      );
    }
    const first = await mkdir(this.#root, { recursive: true, mode: 0o700 });
    if (first !== undefined) this.#changed.add(dirname(first));
  }

  /** Removes what a killed backup was writing. Only once it is known that the place is one of backups. */
  async clearDrafts(): Promise<void> {
    await rm(join(this.#root, DRAFTS), { recursive: true, force: true });
    await mkdir(join(this.#root, DRAFTS), { mode: 0o700 });
  }

  async *list(prefix: string): ReturnType<BackupPlace["list"]> {
    const entries = await ifPresent(readdir(this.#path(prefix), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) {
        if (name !== DRAFTS && name !== LOST) yield* this.list(`${name}/`);
      } else {
        const found = await ifPresent(stat(this.#path(name)));
        if (found !== null) yield { name, size: found.size };
      }
    }
  }

  async read(name: string): Promise<AsyncIterable<Uint8Array> | null> {
    const found = await ifPresent(stat(this.#path(name)));
    return found?.isFile() === true ? createReadStream(this.#path(name)) : null;
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    if (this.#canLink && (await this.#putLink(name, path, content))) return;
    await this.#put(name, content.size, readPieces(path, content));
  }

  async put(name: string, bytes: Blob): Promise<void> {
    await this.#put(name, bytes.size, bytes.stream());
  }

  async remove(names: readonly string[]): Promise<void> {
    const paths = names.map((name) => this.#path(name));
    for (const path of paths) await rm(path, { force: true });
    for (const directory of new Set(paths.map((path) => dirname(path)))) {
      // If it is empty, it goes.
      await rmdir(directory).catch(() => {});
      this.#made.delete(directory);
      this.#changed.add(directory).add(dirname(directory));
    }
  }

  async sync(): Promise<void> {
    for (const directory of this.#changed) await syncNames(directory);
    this.#changed.clear();
  }

  /** Returns false where the file systems do not allow it. Throws DamagedBlob. */
  async #putLink(name: string, path: string, content: BlobFacts): Promise<boolean> {
    const draft = this.#newDraft();
    try {
      await link(path, draft);
    } catch (error) {
      // A missing file is found by the copy, which says so.
      if (hasCode(error, "ENOENT")) return false;
      if (!hasCode(error, "EMLINK")) this.#canLink = false;
      return false;
    }
    try {
      await requireBlob(draft, content);
      await this.#place(name, (final) => rename(draft, final));
    } finally {
      // Nothing happens in a rename of two links of one file.
      await rm(draft, { force: true });
    }
    return true;
  }

  async #put(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(join(this.#root, DRAFTS), { recursive: true, mode: 0o700 });
    await using draft = await TempFile.create(this.#newDraft());
    for await (const piece of pieces) await draft.append(piece);
    await this.#place(name, (final) => draft.moveTo(final, size));
  }

  /** Makes the directory of a name, and gives a file that name. */
  async #place(name: string, move: (path: string) => Promise<void>): Promise<void> {
    const path = this.#path(name);
    const directory = dirname(path);
    if (!this.#made.has(directory)) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (let made = directory; made !== this.#root && made.startsWith(this.#root); made = dirname(made)) {
        this.#changed.add(dirname(made));
      }
      this.#made.add(directory);
    }
    await move(path);
    this.#changed.add(directory);
  }

  #path(name: string): string {
    return join(this.#root, name);
  }

  #newDraft(): string {
    return join(this.#root, DRAFTS, crypto.randomUUID());
  }
}

/** Syncs a directory, if it is still there and its file system can do that: some network shares cannot. */
async function syncNames(directory: string): Promise<void> {
  try {
    await ifPresent(syncDirectory(directory));
  } catch (error) {
    if (!hasCode(error, "EINVAL") && !hasCode(error, "ENOTSUP")) throw error;
  }
}

/** The real path of something that may not exist yet, without links in those of its parents that do. */
async function realpathOfMissing(path: string): Promise<string> {
  const found = await ifPresent(realpath(path));
  if (found !== null) return found;
  const parent = dirname(path);
  return parent === path ? path : resolve(await realpathOfMissing(parent), relative(parent, path));
}
