import type { BlobFacts } from "../blobs/blob-file.ts";
import { type Digest, parseDigest } from "../domain/contents/content.ts";

/** A backup or a restore cannot go on. The message tells the operator what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** Where a backup is written. A name is a path with slashes; each is written once. */
export interface BackupTarget {
  /**
   * Copies a blob from the path of its file, and checks every byte of it. What is under the name already is replaced.
   * Throws DamagedBlob if the file does not hold it; nothing is under the name then.
   */
  putContent(name: string, path: string, content: BlobFacts): Promise<void>;
  /** Writes a file or a text, whole or not at all. */
  put(name: string, bytes: Blob): Promise<void>;
  /** Resolves when everything that was put or removed survives a power cut. */
  sync(): Promise<void>;
}

/** A place that keeps backups: what was written before is still there. */
export interface BackupPlace extends BackupTarget {
  /** Everything whose name begins with `prefix`, which is empty or ends in a slash, with its size in bytes. */
  list(prefix: string): AsyncIterable<{ readonly name: string; readonly size: number }>;
  /** The bytes under a name; null if there is nothing. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes what is under some names. No error for one that is not there. */
  remove(names: readonly string[]): Promise<void>;
}

export const CONTENTS = "blobs/";
export const BACKUPS = "backups/";

export function nameOfContent(digest: Digest): string {
  return `${CONTENTS}${digest.slice(0, 2)}/${digest}`;
}

/** The digest of the content that has this name; null if it is no content's name. */
export function digestOfName(name: string): Digest | null {
  const digest = parseDigest(name.slice(name.lastIndexOf("/") + 1));
  return digest !== null && nameOfContent(digest) === name ? digest : null;
}

/**
 * Looks whether contents are in a place with their sizes, in the order of their digests: what it lists at once is small.
 * Nothing of them is read.
 */
export function lookInPlace(place: BackupPlace): (content: BlobFacts) => Promise<boolean> {
  let shard = "";
  const present = new Map<string, number>();
  return async ({ digest, size }) => {
    const own = digest.slice(0, 2);
    if (own !== shard) {
      present.clear();
      for await (const found of place.list(`${CONTENTS}${own}/`)) present.set(found.name, found.size);
    }
    shard = own;
    return present.get(nameOfContent(digest)) === size;
  };
}

/** The text under a name; null if there is nothing. For what fits into memory. Throws BackupError. */
export async function readText(place: BackupPlace, name: string): Promise<string | null> {
  return readAlike(name, async () => {
    const bytes = await place.read(name);
    return bytes === null ? null : textOf(bytes);
  });
}

/** How often something is read at most until two readings in a row are alike. */
const READINGS = 4;

/**
 * What two readings in a row give. For what has no digest that tells whether it was changed or shortened on the way.
 * Throws BackupError if each gives something else. @param what names it in the error
 */
export async function readAlike<T>(what: string, read: () => Promise<T>): Promise<T> {
  let last = await read();
  for (let reading = 2; reading <= READINGS; reading++) {
    const next = await read();
    if (Bun.deepEquals(last, next)) return next;
    last = next;
  }
  throw new BackupError(
    `${what} comes differently each time it is read. Check what is on the way to the place of the backups.`,
  );
}

/**
 * Reads something whose digest is known, and again if it was not whole: that may have happened on the way. Returns
 * whether it was whole at last. @param read returns whether it was
 */
export async function wholeAtLast(read: () => Promise<boolean>): Promise<boolean> {
  return (await read()) || (await read());
}

export async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return new Blob(await Array.fromAsync(bytes, (piece) => piece.slice())).text();
}

/** The digest and the size of all bytes. `take` gets each piece before the next is read. */
export async function measured(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  take: (piece: Uint8Array) => Promise<void> = async () => {},
): Promise<{ readonly sha256: Digest; readonly size: number }> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    size += piece.length;
    await take(piece);
  }
  const sha256 = parseDigest(hash.digest("hex"));
  if (sha256 === null) throw new Error("the runtime made a malformed digest");
  return { sha256, size };
}
