import { constants } from "node:fs";
import { lstat, open, readFile } from "node:fs/promises";
import type { Digest } from "../domain/digest.ts";
import { hasCode } from "./system-error.ts";

/** A content as the database records it. */
export interface Content {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** How many bytes of a content are read at once to check it. */
const PIECE_BYTES = 64 * 1024;

/**
 * A content's file is missing, or does not match its digest and size. This is damage, never the caller's
 * mistake. The message is for the log: it names the file and the damage.
 */
export class DamagedContent extends Error {
  override readonly name = "DamagedContent";
  /** Whether there is nothing at the content's path. */
  readonly isMissing: boolean;

  constructor(path: string, problem: string, options: { isMissing?: boolean; cause?: unknown } = {}) {
    super(`${path} ${problem}`, options.cause === undefined ? {} : { cause: options.cause });
    this.isMissing = options.isMissing ?? false;
  }
}

/**
 * Checks that a regular file of the content's size is at `path`, without following links.
 *
 * @throws DamagedContent
 */
export async function requireFile(path: string, { size }: Content): Promise<void> {
  const found = await readable(path, lstat(path));
  if (!found.isFile()) throw new DamagedContent(path, "is not a regular file");
  if (found.size !== size) throw wrongSize(path, found.size, size);
}

/**
 * Reads a whole content and checks every byte of it; for contents that fit into memory.
 *
 * @throws DamagedContent
 */
export async function readContent(path: string, content: Content): Promise<Uint8Array<ArrayBuffer>> {
  await requireFile(path, content);
  const bytes = await readable(path, readFile(path));
  requireBytes(path, bytes, content);
  return bytes;
}

/**
 * Checks every byte of a content in memory.
 *
 * @param name where it is, for the log
 * @throws DamagedContent
 */
export function requireBytes(name: string, bytes: Uint8Array, content: Content): void {
  if (bytes.length !== content.size) throw wrongSize(name, bytes.length, content.size);
  if (Bun.SHA256.hash(bytes, "hex") !== content.digest) throw wrongBytes(name);
}

/**
 * Checks every byte of a content, a piece at a time.
 *
 * @throws DamagedContent
 */
export async function requireContent(path: string, content: Content): Promise<void> {
  const pieces = readPieces(path, content);
  while ((await pieces.next()).done !== true);
}

/**
 * Reads a content a piece at a time. All of it has been checked only when the last piece was taken. Each piece is
 * overwritten by the next.
 *
 * @throws DamagedContent
 */
export async function* readPieces(path: string, content: Content): AsyncGenerator<Uint8Array> {
  await requireFile(path, content);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await readable(path, open(path, flags));
  const hash = new Bun.CryptoHasher("sha256");
  const piece = new Uint8Array(Math.min(PIECE_BYTES, content.size));
  for (let at = 0; at < content.size;) {
    const { bytesRead } = await readable(path, file.read(piece, 0, piece.length, at));
    if (bytesRead === 0) throw wrongSize(path, at, content.size);
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
  if (hash.digest("hex") !== content.digest) throw wrongBytes(path);
}

function wrongSize(path: string, found: number, size: number): DamagedContent {
  return new DamagedContent(path, `has ${found} bytes instead of ${size}`);
}

function wrongBytes(path: string): DamagedContent {
  return new DamagedContent(path, "does not match its SHA-256");
}

/** Awaits an operation on a content's file. A missing or unreadable file is damage. */
async function readable<T>(path: string, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) throw new DamagedContent(path, "is missing", { isMissing: true, cause });
    if (hasCode(cause, "EIO")) throw new DamagedContent(path, "cannot be read from the disk", { cause });
    throw cause;
  }
}
