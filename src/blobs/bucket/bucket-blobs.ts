import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import { Recent } from "../../domain/recent.ts";
import type { ObjectFacts } from "../../s3/reading.ts";
import { type BlobFacts, DamagedBlob, requireBytes, WRONG_BYTES, wrongSize } from "../blob-file.ts";
import { type ListedBlob, type SentAs, UnavailableBlob } from "../blob-place.ts";
import type { RemoteBlobs } from "../cache/remote-blobs.ts";
import type { BucketAccess } from "./bucket-access.ts";
import { BLOBS, digestOfName, nameOfBlob, prefixOfShard } from "./bucket-names.ts";
import { explainedBody } from "./explained-body.ts";

/** Of how many blobs the state is known that was seen last. */
const SEEN = 10_000;

/** A store that has sent nothing of a blob by then is taken for away: soon no client waits any more. In milliseconds. */
const BEGIN_MS = 20_000;

/** The blobs in a bucket. All methods throw UnavailableBlob while it cannot be used. */
export class BucketBlobs implements RemoteBlobs {
  readonly #access: BucketAccess;
  readonly #beginMs: number;
  /** The ETag that a blob had last, or what stands for it; null where there was none. */
  readonly #seen = new Recent<Digest, string | null>(SEEN);

  /** @param beginMs overrides `BEGIN_MS` */
  constructor(access: BucketAccess, beginMs = BEGIN_MS) {
    this.#access = access;
    this.#beginMs = beginMs;
  }

  nameOf(digest: Digest): string {
    return `${this.#access.name}/${nameOfBlob(digest)}`;
  }

  /** The state that a blob had last, as `DamagedBlob.state`; undefined if that is not known. */
  seen(digest: Digest): string | null | undefined {
    return this.#seen.get(digest);
  }

  /** The bytes of a range as they come, unchecked. Throws DamagedBlob for a blob that is missing or has another size. */
  async open(content: BlobFacts, range: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const isWhole = range.start === 0 && range.end === content.size;
    const found = await this.#begun(
      this.#access.use((bucket) => bucket.get(nameOfBlob(content.digest), isWhole ? undefined : range)),
      (late) => late?.body.cancel(),
    );
    const { body, total, etag } = this.#present(content, found);
    if (total === content.size) return explainedBody(body);
    await body.cancel();
    throw this.damaged(content, wrongSize(total, content.size), etag);
  }

  /** A whole blob in memory, checked; for small ones. Throws DamagedBlob. */
  async readAll(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    const body = await this.open(content, { start: 0, end: content.size });
    const bytes = Buffer.concat(await Array.fromAsync(body));
    requireBytes(this.nameOf(content.digest), bytes, content, this.#seen.get(content.digest) ?? undefined);
    return bytes;
  }

  /** Reads a whole blob in pieces. It is checked after the last. Throws DamagedBlob. */
  async *pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
    const hash = new Bun.CryptoHasher("sha256");
    let length = 0;
    for await (const piece of await this.open(content, { start: 0, end: content.size })) {
      hash.update(piece);
      length += piece.length;
      yield piece;
    }
    if (length !== content.size) throw this.damaged(content, wrongSize(length, content.size));
    if (hash.digest("hex") !== content.digest) throw this.damaged(content, WRONG_BYTES);
  }

  /** Checks that a blob is there with its size. Throws DamagedBlob. */
  async require(content: BlobFacts): Promise<void> {
    const found = await this.#begun(this.#access.use((bucket) => bucket.head(nameOfBlob(content.digest))));
    const { size, etag } = this.#present(content, found);
    if (size !== content.size) throw this.damaged(content, wrongSize(size, content.size), etag);
  }

  /** An address at which anybody can read a blob for some seconds, if it is there. It is secret. */
  addressOf({ digest }: BlobFacts, seconds: number, sentAs: SentAs): Promise<string> {
    return this.#access.use((bucket) => bucket.presignedGet(nameOfBlob(digest), seconds, sentAs));
  }

  /**
   * Writes a blob; it is durable then.
   *
   * @param file all of its bytes
   * @param isNew leaves a blob that is there, and returns "present"
   */
  async put({ digest }: BlobFacts, file: Blob, isNew: boolean): Promise<"written" | "present"> {
    const options = { sha256: digest, onlyIfAbsent: isNew };
    const outcome = await this.#access.use((bucket) => bucket.put(nameOfBlob(digest), file, options));
    // What was seen before is not there any more, whatever its ETag.
    if (outcome === "written") this.#seen.set(digest, crypto.randomUUID());
    return outcome;
  }

  /** Removes a blob, which may be missing. */
  async remove(digest: Digest): Promise<void> {
    await this.#access.use((bucket) => bucket.remove([nameOfBlob(digest)]));
    this.#seen.set(digest, null);
  }

  /** The blobs of one shard, in the order of their digests. */
  list(shard: number): Promise<ListedBlob[]> {
    return this.#access.use(async (bucket) => {
      const blobs: ListedBlob[] = [];
      for await (const { name, modifiedAt } of bucket.list(prefixOfShard(shard))) {
        const digest = digestOfName(name);
        if (digest !== null) blobs.push({ digest, modifiedAt });
      }
      return blobs;
    });
  }

  hasAny(): Promise<boolean> {
    return this.#access.use(async (bucket) => {
      for await (const _ of bucket.list(BLOBS)) return true;
      return false;
    });
  }

  /** How many blobs there are; slow if there are many. */
  count(): Promise<number> {
    return this.#access.use(async (bucket) => {
      let count = 0;
      for await (const { name } of bucket.list(BLOBS)) if (digestOfName(name) !== null) count += 1;
      return count;
    });
  }

  /** Ends uploads in parts that a crash has left, which began before a time in milliseconds. Returns how many. */
  removeUnfinished(before: number): Promise<number> {
    return this.#access.use((bucket) => bucket.abortUploads(before));
  }

  /** The damage of a blob as it was seen last. @param problem as `DamagedBlob.problem` */
  damaged(
    { digest }: Pick<BlobFacts, "digest">,
    problem: string,
    etag = this.#seen.get(digest),
  ): DamagedBlob {
    return new DamagedBlob(this.nameOf(digest), digest, problem, { state: etag ?? null });
  }

  /** An answer that begins in time. What comes later is passed to `drop`. */
  async #begun<T>(answer: Promise<T>, drop: (found: T) => unknown = () => {}): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new UnavailableBlob());
      answer.then(drop, () => {});
    }, this.#beginMs);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #present<T extends Pick<ObjectFacts, "etag">>({ digest }: BlobFacts, found: T | null): T {
    this.#seen.set(digest, found?.etag ?? null);
    if (found !== null) return found;
    throw new DamagedBlob(this.nameOf(digest), digest, "is missing", { isMissing: true });
  }
}
