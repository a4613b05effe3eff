import { type FileHandle, open } from "node:fs/promises";
import { type Digest, parseDigest } from "../../domain/contents/content.ts";
import { present } from "../../domain/errors.ts";
import { ifPresent } from "../system-error.ts";
import { TempFile } from "../temp-file.ts";

/** Bytes of a digest. */
const DIGEST = 32;
/** Bytes that are read or written at once; a multiple of `DIGEST`. */
const PIECE = 64 * 1024;
const SHARDS = 256;

/**
 * Writes the list of a lease to a new file, which is not synced: the bytes of each digest, then the SHA-256 of all of
 * them. Returns the SHA-256 of the file.
 *
 * @param digests in their order
 */
export async function writeLeaseList(path: string, digests: AsyncIterable<Digest>): Promise<Digest> {
  const file = await TempFile.create(path);
  const listed = new Bun.CryptoHasher("sha256");
  const whole = new Bun.CryptoHasher("sha256");
  let length = 0;
  const append = async (bytes: Uint8Array) => {
    whole.update(bytes);
    await file.append(bytes);
    length += bytes.length;
  };
  try {
    for await (const piece of piecesOf(digests)) {
      listed.update(piece);
      await append(piece);
    }
    await append(listed.digest());
    await file.end(length);
  } catch (error) {
    await file.discard();
    throw error;
  }
  return present(parseDigest(whole.digest("hex")), "the SHA-256 of a list");
}

async function* piecesOf(digests: AsyncIterable<Digest>): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(PIECE);
  let [used, last] = [0, ""];
  for await (const digest of digests) {
    if (digest <= last) throw new Error("the contents of a backup are not in the order of their digests");
    last = digest;
    piece.write(digest, used, "hex");
    used += DIGEST;
    if (used < PIECE) continue;
    yield piece;
    used = 0;
  }
  yield piece.subarray(0, used);
}

/** The list of a lease in a file, of which the part that was asked for last is in memory. */
export class LeaseList {
  readonly #path: string;
  /** How many digests come before each shard, and before the end. */
  readonly #starts: readonly number[];
  #shard: { readonly shard: number; readonly bytes: Buffer } | null = null;

  private constructor(path: string, starts: readonly number[]) {
    this.#path = path;
    this.#starts = starts;
  }

  /** Reads all of a file once. Null if it is missing, or not as it was written. */
  static async open(path: string): Promise<LeaseList | null> {
    await using file = await ifPresent(open(path, "r"));
    if (file === null) return null;
    const { size } = await file.stat();
    const end = size - DIGEST;
    if (end < 0 || end % DIGEST !== 0) return null;
    const hash = new Bun.CryptoHasher("sha256");
    const counts = Array.from({ length: SHARDS }, () => 0);
    for (let at = 0; at < end; at += PIECE) {
      const piece = await bytesOf(file, at, Math.min(end, at + PIECE));
      hash.update(piece);
      for (let n = 0; n < piece.length; n += DIGEST) {
        const shard = piece[n] ?? 0;
        counts[shard] = (counts[shard] ?? 0) + 1;
      }
    }
    if (!hash.digest().equals(await bytesOf(file, end, size))) return null;
    const starts = [0];
    for (const count of counts) starts.push((starts.at(-1) ?? 0) + count);
    return new LeaseList(path, starts);
  }

  async has(digest: Digest): Promise<boolean> {
    const wanted = Buffer.from(digest, "hex");
    const listed = await this.#bytesOf(wanted[0] ?? 0);
    let [low, high] = [0, listed.length / DIGEST];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = orderOf(listed, middle * DIGEST, wanted);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  /** All of them, in their order. */
  async *digests(): AsyncGenerator<Digest> {
    for (let shard = 0; shard < SHARDS; shard++) {
      const listed = await this.#bytesOf(shard);
      for (let at = 0; at < listed.length; at += DIGEST) {
        yield present(parseDigest(listed.toString("hex", at, at + DIGEST)), "the digest of a content");
      }
    }
  }

  async #bytesOf(shard: number): Promise<Buffer> {
    if (this.#shard?.shard === shard) return this.#shard.bytes;
    const [start = 0, end = 0] = this.#starts.slice(shard, shard + 2);
    await using file = await open(this.#path, "r");
    const bytes = await bytesOf(file, start * DIGEST, end * DIGEST);
    this.#shard = { shard, bytes };
    return bytes;
  }
}

/** Whether a digest in a list comes before another one, or after it, as for a sort. */
function orderOf(listed: Buffer, at: number, digest: Buffer): number {
  for (let n = 0; n < DIGEST; n++) {
    const difference = (listed[at + n] ?? 0) - (digest[n] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Throws Error for a file that ends before. */
async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new Error("the list of a lease was cut off while it was read");
    done += bytesRead;
  }
  return bytes;
}
