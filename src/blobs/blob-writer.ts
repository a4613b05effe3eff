import { type Digest, parseDigest } from "../domain/digest.ts";
import { type Content, DamagedContent, requireContent, requireFile } from "./content-file.ts";
import type { Pins } from "./pins.ts";
import { asRefusal } from "./system-error.ts";
import { TempFile } from "./temp-file.ts";
import type { Volume } from "./volume.ts";

/** Contents up to this size touch the disk only at commit; smaller pieces are gathered up to it. */
const BUFFER_BYTES = 64 * 1024;

/** How much of a content's beginning is kept for whoever wants a preview of it. */
const HEAD_BYTES = 4 * 1024;

/** A match below this size is compared with what was sent: about a millisecond at most. */
const COMPARED_BYTES = 1024 * 1024;

const SPACE_CHECK_BYTES = 16 * 1024 * 1024;

/**
 * A content that is in the store durably and stays there until it is unpinned. Let go of it once
 * the row that names it is committed, or once there will be none: `using content = await writer.commit()`.
 */
export interface PinnedBlob extends Disposable {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  /** The first bytes of the content, at most 4 KiB. */
  readonly head: Uint8Array;
  /** What was wrong with what had been under its name, and is mended now; null where all was well. */
  readonly healed: DamagedContent | null;
  /** Lets go, once, however often it is called. Leaving a `using` scope does the same. */
  unpin(): void;
}

/**
 * Takes one content, piece by piece. One call at a time; only `abort` may come at any moment. After
 * a call that failed, nothing is left on the disk and every further `write` or `commit` throws.
 * `await using writer = await store.create()` aborts whatever is not committed.
 */
export class BlobWriter implements AsyncDisposable {
  readonly #volume: Volume;
  readonly #pins: Pins;
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #head = new Uint8Array(HEAD_BYTES);
  #size = 0;
  #buffer = new Uint8Array(0);
  #buffered = 0;
  #unchecked = 0;
  #temp: TempFile | null = null;
  #state: "open" | "busy" | "ended" = "open";
  /** While busy: resolves, and never rejects, once that is over. */
  #idle: Promise<void> = Promise.resolve();

  constructor(volume: Volume, pins: Pins) {
    this.#volume = volume;
    this.#pins = pins;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends a piece of any length. It must stay as it is until this resolves; then it may be reused.
   * STORAGE_FULL when the disk reaches its reserve or has no room.
   */
  write(piece: Uint8Array): Promise<void> {
    return this.#step("open", () => this.#append(piece));
  }

  /**
   * Ends the content. Once this resolves the content survives a power cut. A content that the store
   * already holds is matched instead of written again; one that is there and damaged is replaced. Bytes are
   * compared below 1 MiB, beyond it only the size. STORAGE_FULL when the disk has no room.
   */
  commit(): Promise<PinnedBlob> {
    return this.#step("ended", () => this.#land());
  }

  /** Gives the content up and leaves nothing behind; does nothing after a commit. */
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
      const refusal = asRefusal(error);
      if (refusal !== error) this.#volume.noteRefusal();
      throw refusal;
    } finally {
      this.#state = after;
      resolve();
    }
  }

  async #append(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    if (this.#size < HEAD_BYTES) this.#head.set(piece.subarray(0, HEAD_BYTES - this.#size), this.#size);
    this.#size += piece.length;
    if (this.#buffered + piece.length > BUFFER_BYTES) await this.#flush();
    if (piece.length > BUFFER_BYTES) return this.#save(piece);
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    this.#buffer.set(piece, this.#buffered);
    this.#buffered += piece.length;
  }

  async #flush(): Promise<void> {
    await this.#save(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  async #save(bytes: Uint8Array): Promise<void> {
    this.#unchecked += bytes.length;
    if (this.#unchecked >= SPACE_CHECK_BYTES) {
      this.#unchecked = 0;
      await this.#volume.requireSpace();
    }
    this.#temp ??= await TempFile.create(this.#volume.newTempPath());
    await this.#temp.append(bytes);
  }

  async #land(): Promise<PinnedBlob> {
    const digest = parseDigest(this.#hash.digest("hex"));
    if (digest === null) throw new Error("the runtime made a malformed SHA-256");
    // Pinned before anyone looks whether it is there, so that it cannot be removed in between.
    const unpin = this.#pins.pin(digest);
    let damage: DamagedContent | null;
    try {
      damage = await this.#damageOf({ digest, size: this.#size });
      if (damage === null) {
        await this.#discard();
      } else {
        if (!damage.isMissing) await this.#volume.clearName(digest);
        await this.#flush();
        await this.#temp?.moveTo(this.#volume.blobPath(digest), this.#size);
      }
      // For a match as well: the rename that put it there may be another upload's, not yet durable.
      await this.#volume.syncName(digest);
    } catch (error) {
      unpin();
      throw error;
    }
    const head = this.#head.subarray(0, this.#size);
    const healed = damage?.isMissing === true ? null : damage;
    return { digest, size: this.#size, head, healed, unpin, [Symbol.dispose]: unpin };
  }

  /** Why what is in the store cannot be matched; null where it can. */
  async #damageOf(content: Content): Promise<DamagedContent | null> {
    const path = this.#volume.blobPath(content.digest);
    try {
      await (content.size < COMPARED_BYTES ? requireContent(path, content) : requireFile(path, content));
      return null;
    } catch (error) {
      if (error instanceof DamagedContent) return error;
      throw error;
    }
  }

  async #discard(): Promise<void> {
    await this.#temp?.discard();
    this.#temp = null;
  }
}
