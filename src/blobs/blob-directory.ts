import { lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Digest, parseDigest } from "../domain/contents/digest.ts";
import {
  type BlobFacts,
  contentPath,
  OpenBlob,
  readBeginning,
  readPieces,
  requireFile,
  setDirectoryAside,
} from "./blob-file.ts";
import { ifPresent } from "./system-error.ts";
import { newTempPath, syncDirectory, TempFile } from "./temp-file.ts";

export interface NamedFile {
  readonly path: string;
  /** The content that it has the name of; null if it does not belong there. */
  readonly digest: Digest | null;
  /** Milliseconds since the epoch, by the file system's clock. */
  readonly modifiedAt: number;
}

/** How many bytes of a blob are read at once. */
const PIECE_BYTES = 1024 * 1024;

const SHARD = /^[0-9a-f]{2}$/;
const OWN_NAMES: ReadonlySet<string> = new Set(["identity", ".rename-test"]);

/** The blobs of a store that this process does not serve. Another one may be using them. */
export class BlobDirectory {
  readonly #blobsDir: string;

  constructor(blobsDir: string) {
    this.#blobsDir = blobsDir;
  }

  pathOf(digest: Digest): string {
    return contentPath(this.#blobsDir, digest);
  }

  /** Checks that a blob is there with its size. Throws DamagedBlob. */
  async requireSize(content: BlobFacts): Promise<void> {
    await requireFile(this.pathOf(content.digest), content);
  }

  /** The first bytes of a blob, at most `length`; of a small one all bytes are checked. Throws DamagedBlob. */
  beginning(content: BlobFacts, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return readBeginning(this.pathOf(content.digest), content, length);
  }

  /** Opens a blob, to read parts of it. Throws DamagedBlob. */
  open(content: BlobFacts): Promise<OpenBlob> {
    return OpenBlob.at(this.pathOf(content.digest), content);
  }

  pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    return readPieces(this.pathOf(content.digest), content, PIECE_BYTES);
  }

  /**
   * Writes a blob anew, in place of what is there, and syncs it. If `pieces` throws, nothing has changed.
   *
   * @param tmpDir of the same store
   */
  async rewrite(
    { digest, size }: BlobFacts,
    pieces: AsyncIterable<Uint8Array>,
    tmpDir: string,
  ): Promise<void> {
    const path = this.pathOf(digest);
    // A damaged disk may have lost directories as well.
    for (const directory of [tmpDir, dirname(path)]) await mkdir(directory, { recursive: true, mode: 0o700 });
    await TempFile.write(newTempPath(tmpDir), pieces, async (draft) => {
      setDirectoryAside(path);
      await draft.moveTo(path, size);
    });
    await syncDirectory(dirname(path));
  }

  /** Everything in the directory, in no order. What goes meanwhile is left out. */
  async *names(): AsyncGenerator<NamedFile> {
    for (const shard of await namesIn(this.#blobsDir)) {
      if (OWN_NAMES.has(shard)) continue;
      const directory = join(this.#blobsDir, shard);
      if (!SHARD.test(shard) || !(await isDirectory(directory))) {
        yield* named(directory, null);
        continue;
      }
      for (const name of await namesIn(directory)) {
        const digest = parseDigest(name);
        const path = join(directory, name);
        yield* named(path, digest !== null && this.pathOf(digest) === path ? digest : null);
      }
    }
  }
}

async function* named(path: string, digest: Digest | null): AsyncGenerator<NamedFile> {
  const found = await ifPresent(lstat(path));
  if (found !== null) yield { path, digest, modifiedAt: found.mtimeMs };
}

async function namesIn(directory: string): Promise<string[]> {
  return (await ifPresent(readdir(directory))) ?? [];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await ifPresent(lstat(path)))?.isDirectory() ?? false;
}

/** What is in a directory, last name first; nothing if there is none. */
export async function pathsIn(path: string): Promise<string[]> {
  const names = await namesIn(path);
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(path, name));
}
