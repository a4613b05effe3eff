import { type Digest, parseDigest } from "../domain/contents/content.ts";
import type { BlobFacts, DamagedBlob, KnownDamage } from "./blob-file.ts";
import { traced } from "../tracing/traced.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { BlobRoom } from "./blob-place.ts";
import type { TempFile } from "./temp-file.ts";
import { WriteBuffer } from "./write-buffer.ts";

/** How many first bytes are kept for a preview. */
const HEAD_BYTES = 4 * 1024;

const SPACE_CHECK_BYTES = 16 * 1024 * 1024;

/**
 * A blob that is stored durably and pinned. Unpin it once the row that names it is committed, or once there
 * will be no row: `using content = await writer.commit()`. A small one is not stored yet: its `bytes` must be
 * written with that row.
 */
export interface PinnedBlob extends Disposable {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  /** All of a small blob; null for one that is a file. */
  readonly bytes: Uint8Array | null;
  /** The first bytes of the content, at most 4 KiB. */
  readonly head: Uint8Array;
  /** Whether the file in the store is this upload's own. False for a match, and for a small blob. */
  readonly isWritten: boolean;
  /** The damage of an existing file that this upload replaced; null if there was none. */
  readonly healed: DamagedBlob | null;
  /** Unpins; later calls do nothing. Leaving a `using` scope calls it. */
  unpin(): void;
}

/** A copy, since it may be kept for a while and the buffer is longer. The `slice` of a `Buffer` would keep all of that. */
function headOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.subarray(0, HEAD_BYTES));
}

interface BlobWriterParts {
  readonly room: BlobRoom;
  readonly pins: Pins;
  /** Up to which size blobs are handed over instead of becoming files. */
  readonly smallBytes: number;
  readonly damaged: KnownDamage;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
}

/**
 * Writes one blob, piece by piece. One call at a time; only `abort` may be called at any time. After a failed
 * call nothing is left on the disk, and every later `write` or `commit` throws.
 * `await using writer = await store.create()` aborts a writer that is not committed.
 */
export class BlobWriter implements AsyncDisposable {
  readonly #parts: BlobWriterParts;
  readonly #hash = new Bun.CryptoHasher("sha256");
  /** Null while they are still in the buffer. */
  #head: Uint8Array | null = null;
  readonly #buffer = new WriteBuffer();
  #size = 0;
  /** Ends with the last write that was begun. */
  #written: Promise<void> = Promise.resolve();
  #unchecked = 0;
  #temp: TempFile | null = null;
  #state: "open" | "busy" | "ended" = "open";
  /** While busy: resolves when the call ends; never rejects. */
  #idle: Promise<void> = Promise.resolve();

  constructor(parts: BlobWriterParts) {
    this.#parts = parts;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends a piece of any length. It must not change until this resolves; then it may be reused. It is written behind:
   * if that fails, a later call throws the error. Throws STORAGE_FULL when the disk reaches its reserve or has no room.
   */
  write(piece: Uint8Array): Promise<void> {
    return this.#step("open", () => this.#append(piece));
  }

  /**
   * Ends the content. Once this resolves, the content survives a power cut. A file that the store already holds
   * is matched; a damaged one is replaced. Below 1 MiB its bytes are checked, above only its size. Throws
   * STORAGE_FULL when the disk has no room.
   */
  commit(): Promise<PinnedBlob> {
    return this.#step("ended", () => this.#land());
  }

  /** Drops the content and leaves nothing on the disk; does nothing after a commit. */
  async abort(): Promise<void> {
    while (this.#state === "busy") await this.#idle;
    if (this.#state === "open") await this.#step("ended", () => this.#discard());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  async #step<T>(next: "open" | "ended", work: () => Promise<T>): Promise<T> {
    if (this.#state !== "open") throw new Error(`a blob writer was used while it was ${this.#state}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#state = "busy";
    this.#idle = promise;
    let after = next;
    try {
      return await work();
    } catch (error) {
      after = "ended";
      await this.#discard();
      throw await this.#parts.room.refusalOf(error);
    } finally {
      if (after === "ended") {
        this.#buffer.release();
        this.#parts.room.end();
      }
      this.#state = after;
      resolve();
    }
  }

  async #append(piece: Uint8Array): Promise<void> {
    this.#size += piece.length;
    for (let rest = piece; ;) {
      rest = rest.subarray(this.#buffer.take(rest));
      if (rest.length === 0) return;
      await this.#empty();
    }
  }

  /** Makes room in the buffer. A thread of the runtime writes what is in it while this one hashes it. */
  async #empty(): Promise<void> {
    await this.#save();
    this.#head ??= headOf(this.#buffer.bytes);
    this.#hash.update(this.#buffer.bytes);
    await this.#buffer.empty(this.#written);
  }

  /** Begins to write what is in the buffer, once the write before has ended. Throws the error of that one. */
  async #save(): Promise<TempFile> {
    await this.#written;
    const { bytes } = this.#buffer;
    this.#unchecked += bytes.length;
    if (this.#unchecked >= SPACE_CHECK_BYTES) {
      this.#unchecked = 0;
      this.#parts.room.requireFree();
    }
    const temp = (this.#temp ??= await this.#parts.room.newDraft());
    const { length } = bytes;
    this.#written = temp.append(bytes);
    // It is awaited later, perhaps after it has failed.
    this.#written.then(
      () => this.#parts.room.wrote(length),
      () => {},
    );
    return temp;
  }

  async #land(): Promise<PinnedBlob> {
    const { pins, smallBytes } = this.#parts;
    this.#hash.update(this.#buffer.bytes);
    const digest = parseDigest(this.#hash.digest("hex"));
    if (digest === null) throw new Error("the runtime made a malformed SHA-256");
    const [size, head] = [this.#size, this.#head ?? headOf(this.#buffer.bytes)];
    if (size <= smallBytes) {
      const { bytes } = this.#buffer;
      return { digest, size, head, bytes, isWritten: false, healed: null, unpin() {}, [Symbol.dispose]() {} };
    }
    // Pinned before the check whether it exists, or it could be removed in between.
    const unpin = await pins.pin(digest);
    try {
      const damage = await this.#keep({ digest, size });
      const [isWritten, healed] = [damage !== null, damage?.isMissing === true ? null : damage];
      return { digest, size, head, bytes: null, isWritten, healed, unpin, [Symbol.dispose]: unpin };
    } catch (error) {
      unpin();
      throw error;
    }
  }

  /** Makes the content durable. Returns why what was there cannot be matched; null if it can. */
  async #keep(content: BlobFacts): Promise<DamagedBlob | null> {
    const { room, damaged, tracer } = this.#parts;
    const damage = await traced(tracer, "blob sync", (span) => {
      span?.set({ "coffer.content.size": content.size });
      return room.keep(content, damaged.problemOf(content.digest), () => this.#draft());
    });
    if (damage === null) await this.#discard();
    return damage;
  }

  /** The temporary file with all of the content. */
  async #draft(): Promise<TempFile> {
    const draft = await this.#save();
    await this.#written;
    return draft;
  }

  async #discard(): Promise<void> {
    await this.#temp?.discard();
    this.#temp = null;
  }
}

/** Counts the uploads that have matched a blob and not committed their row yet; in memory: none survives a crash. */
export class Pins {
  readonly #counts = new Map<Digest, number>();
  readonly #removals = new Map<Digest, Promise<boolean>>();

  /** Pins a blob, after a removal of it that has begun. Resolves with what unpins it; a second call does nothing. */
  async pin(digest: Digest): Promise<() => void> {
    this.#counts.set(digest, (this.#counts.get(digest) ?? 0) + 1);
    // A failed removal is for the one who began it.
    await this.#removals.get(digest)?.catch(() => {});
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#counts.get(digest) ?? 0) - 1;
      if (left > 0) this.#counts.set(digest, left);
      else this.#counts.delete(digest);
    };
  }

  /** Removes a blob with `remove`, which returns whether it did; false, without a call, while it is pinned. */
  async unlessPinned(digest: Digest, remove: () => Promise<boolean>): Promise<boolean> {
    if (this.#counts.has(digest)) return false;
    const removal = this.#removals.get(digest) ?? remove().finally(() => this.#removals.delete(digest));
    this.#removals.set(digest, removal);
    return removal;
  }
}
