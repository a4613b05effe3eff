import { constants, lstatSync, renameSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContentFacts, Digest } from "../domain/contents/content.ts";
import { hasCode } from "./system-error.ts";

/** A blob as the database records it. */
export type BlobFacts = ContentFacts;

/** Up to this size all bytes of a blob are checked whenever it is read. Larger ones take long. */
export const CHECKED_BYTES = 64 * 1024;

/** How many bytes of a blob are read at once to check it. */
const PIECE_BYTES = 64 * 1024;

/**
 * A blob is missing, or its bytes do not match its digest and size. This is damage, never the caller's mistake. The
 * message is for the log: it names the place and the damage.
 */
export class DamagedBlob extends Error {
  override readonly name = "DamagedBlob";
  readonly digest: Digest;
  /** What completes the sentence "the content ...": `is missing`. */
  readonly problem: string;
  /** Whether there is nothing at the blob's path. */
  readonly isMissing: boolean;
  /** What was looked at: another state is another blob, perhaps a whole one. Null for nothing. */
  readonly state: string | null;

  constructor(
    place: string,
    digest: Digest,
    problem: string,
    {
      isMissing = false,
      state = null,
      cause,
    }: { isMissing?: boolean; state?: string | null; cause?: unknown } = {},
  ) {
    super(`${place} ${problem}`, cause === undefined ? {} : { cause });
    this.digest = digest;
    this.problem = problem;
    this.isMissing = isMissing;
    this.state = state;
  }
}

/** What a check of a blob finds damaged; null if it finds nothing. Throws other errors. */
export async function damageIn(check: () => unknown): Promise<DamagedBlob | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof DamagedBlob) return error;
    throw error;
  }
}

/** The blobs that were found damaged. They are not read until they are whole again. */
export interface KnownDamage {
  /** What is wrong with a blob, as `DamagedBlob.problem`; null if nothing is known. */
  problemOf(digest: Digest): string | null;
}

export function contentPath(blobsDir: string, digest: Digest): string {
  return join(blobsDir, digest.slice(0, 2), digest);
}

/** Frees a blob's path for a rename, which replaces files only. A directory is not ours, so what is in it stays. */
export function setDirectoryAside(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  renameSync(path, `${path}.${crypto.randomUUID()}.aside`);
}

/** The state of what is at a path: it differs once that is replaced or written to. Null if nothing is there. */
export function stateAt(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : stateOf(found);
}

export function stateOfBytes(bytes: Uint8Array): string {
  return Bun.SHA256.hash(bytes, "hex");
}

/** The time of the change cannot be set by those who copy a file. */
function stateOf({ ino, ctimeMs }: Stats): string {
  return `${ino} ${ctimeMs}`;
}

/** Checks that a regular file of the blob's size is at `path`, no link. Returns its state. Throws DamagedBlob. */
export async function requireFile(path: string, { digest, size }: BlobFacts): Promise<string> {
  const found = await readable(path, digest, null, lstat(path));
  const state = stateOf(found);
  if (!found.isFile()) throw new DamagedBlob(path, digest, "is not a regular file", { state });
  if (found.size !== size) throw new DamagedBlob(path, digest, wrongSize(found.size, size), { state });
  return state;
}

/** Reads a whole blob and checks every byte of it; for blobs that fit into memory. Throws DamagedBlob. */
export async function readBlob(path: string, content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
  const state = await requireFile(path, content);
  const bytes = await readable(path, content.digest, state, readFile(path));
  requireBytes(path, bytes, content, state);
  return bytes;
}

/** The first bytes of a blob, at most `length`. Of a small one all bytes are checked. Throws DamagedBlob. */
export async function readBeginning(path: string, content: BlobFacts, length: number) {
  if (content.size <= CHECKED_BYTES) return (await readBlob(path, content)).subarray(0, length);
  await requireFile(path, content);
  return Bun.file(path).slice(0, length).bytes();
}

/** Checks every byte of a blob in memory. `place` is for the log. Throws DamagedBlob. */
export function requireBytes(
  place: string,
  bytes: Uint8Array,
  { digest, size }: BlobFacts,
  state = stateOfBytes(bytes),
): void {
  if (bytes.length !== size) {
    throw new DamagedBlob(place, digest, wrongSize(bytes.length, size), { state });
  }
  if (Bun.SHA256.hash(bytes, "hex") !== digest) throw new DamagedBlob(place, digest, WRONG_BYTES, { state });
}

/** Checks every byte of a blob, a piece at a time. Throws DamagedBlob. */
export async function requireBlob(path: string, content: BlobFacts): Promise<void> {
  const pieces = readPieces(path, content);
  while ((await pieces.next()).done !== true);
}

/** Reads a blob in pieces; each overwrites the one before. It is checked after the last. Throws DamagedBlob. */
export async function* readPieces(
  path: string,
  content: BlobFacts,
  pieceBytes?: number,
): AsyncGenerator<Uint8Array> {
  await using file = await OpenBlob.at(path, content);
  yield* file.pieces(pieceBytes);
}

/** A blob that is read in any order. Only its size is checked. */
export class OpenBlob implements AsyncDisposable {
  readonly #parts;

  private constructor(parts: BlobFacts & { path: string; state: string; file: FileHandle }) {
    this.#parts = parts;
  }

  /** Throws DamagedBlob. */
  static async at(path: string, content: BlobFacts): Promise<OpenBlob> {
    const state = await requireFile(path, content);
    const file = await readable(path, content.digest, state, open(path, FLAGS));
    return new OpenBlob({ ...content, path, state, file });
  }

  /** At most `length` bytes from `offset`; fewer only at the end. Throws DamagedBlob. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const piece = new Uint8Array(Math.min(length, this.#parts.size - offset));
    for (let at = 0; at < piece.length;) at += await this.readInto(piece.subarray(at), offset + at);
    return piece;
  }

  /** Reads at least one byte from `offset`. Returns how many. Throws DamagedBlob. */
  async readInto(piece: Uint8Array, offset: number): Promise<number> {
    const { path, digest, size, state, file } = this.#parts;
    const { bytesRead } = await readable(path, digest, state, file.read(piece, 0, piece.length, offset));
    if (bytesRead === 0) throw this.#damaged(wrongSize(offset, size));
    return bytesRead;
  }

  /** All of it in pieces; each overwrites the one before. It is checked after the last. Throws DamagedBlob. */
  async *pieces(pieceBytes = PIECE_BYTES): AsyncGenerator<Uint8Array> {
    const { digest, size } = this.#parts;
    const hash = new Bun.CryptoHasher("sha256");
    const piece = new Uint8Array(Math.min(pieceBytes, size));
    for (let at = 0; at < size;) {
      const read = piece.subarray(0, await this.readInto(piece, at));
      hash.update(read);
      at += read.length;
      yield read;
    }
    if (hash.digest("hex") !== digest) throw this.#damaged(WRONG_BYTES);
  }

  #damaged(problem: string): DamagedBlob {
    const { path, digest, state } = this.#parts;
    return new DamagedBlob(path, digest, problem, { state });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.file.close();
  }
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The `problem` of bytes whose hash is another. */
export const WRONG_BYTES = "does not match its SHA-256";

export function wrongSize(found: number, size: number): string {
  return `has ${found} bytes instead of ${size}`;
}

/** Awaits an operation on a blob's file. A missing or unreadable file is damage. */
async function readable<T>(path: string, digest: Digest, state: string | null, attempt: Promise<T>) {
  try {
    return await attempt;
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) {
      throw new DamagedBlob(path, digest, "is missing", { isMissing: true, cause });
    }
    if (hasCode(cause, "EIO")) {
      throw new DamagedBlob(path, digest, "cannot be read from the disk", { state, cause });
    }
    if (hasCode(cause, "EACCES") || hasCode(cause, "EPERM")) {
      throw new DamagedBlob(path, digest, "may not be read by this user", { state, cause });
    }
    throw cause;
  }
}
