import { setTimeout as sleep } from "node:timers/promises";
import { CHECKED_BYTES, type BlobFacts } from "../../blobs/blob-file.ts";
import type { ByteRange, Digest } from "../../domain/contents/content.ts";
import { Recent } from "../../domain/recent.ts";
import type { Parts } from "../parts.ts";
import type { FilePlace } from "./damaged-blobs.ts";
import { Turns } from "../turns.ts";

/** How long a reader waits for a check, in milliseconds: fast disks read a gigabyte in that time. */
const PATIENCE_MS = { whole: 2000, part: 200 };
/** After how long a blob is checked again, in milliseconds. */
const LATELY_MS = 24 * 3_600_000;
/** How many blobs are remembered that were checked. */
const REMEMBERED = 10_000;
/** How many checks run side by side, and how many there are with those that wait. */
const CHECKS = { running: 2, all: 1000 };
/** How many bytes are read and hashed at once: a millisecond or two on slow processors. */
const PIECE_BYTES = 256 * 1024;

interface Checked {
  /** Of its file: another state is another blob. */
  readonly state: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Checks blobs that are read as files, before they are sent: all that were not checked for a day, or changed. While a
 * check takes long, the content is sent, but not its end; see `running`. Smaller blobs are checked at each read.
 */
export class BlobChecks {
  readonly #parts;
  readonly #lately = new Recent<Digest, Checked>(REMEMBERED);
  readonly #checks = new Map<Digest, Promise<void>>();
  readonly #turns = new Turns<number>();
  readonly #stopping = new AbortController();

  constructor(parts: Pick<Parts, "blobs" | "damaged" | "clock" | "log">) {
    this.#parts = parts;
  }

  /** The content of a file, or a range of it, as `BlobStore.read`. Throws DamagedFile. */
  read(file: FilePlace & BlobFacts, range?: ByteRange): Blob | Promise<Blob> {
    const read = () => this.#parts.damaged.readFor(file, () => this.#parts.blobs.read(file, range));
    if (file.size <= CHECKED_BYTES || this.#isChecked(file)) return read();
    return this.#readChecked(file, read, range === undefined ? PATIENCE_MS.whole : PATIENCE_MS.part);
  }

  /** The check of a blob that is running; null if there is none. It never rejects. */
  running({ digest }: BlobFacts): Promise<void> | null {
    return this.#checks.get(digest)?.catch(() => {}) ?? null;
  }

  /** Remembers that all bytes of a blob were right when they were written just now. */
  note(digest: Digest): void {
    this.#remember(digest, this.#parts.blobs.stateOf(digest));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#checks.values());
  }

  async #readChecked(
    content: BlobFacts,
    read: () => Blob | Promise<Blob>,
    patienceMs: number,
  ): Promise<Blob> {
    // What is missing, or of another size, needs no check.
    await read();
    const isOver = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: isOver.signal }).catch(() => {});
    try {
      await Promise.race([this.#check(content), late]);
    } finally {
      isOver.abort();
    }
    return read();
  }

  /** Whoever asks for the same blob waits for one check. */
  #check(content: BlobFacts): Promise<void> {
    const { digest } = content;
    const running = this.#checks.get(digest);
    if (running !== undefined) return running;
    if (this.#checks.size >= CHECKS.all) return Promise.resolve();
    const turn = Number.parseInt(digest.slice(-4), 16) % CHECKS.running;
    const check = this.#turns.take(turn, () => this.#checkNow(content));
    this.#checks.set(digest, check);
    check
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.log.error("a content could not be checked", { digest, error });
      })
      .finally(() => this.#checks.delete(digest));
    return check;
  }

  async #checkNow(content: BlobFacts): Promise<void> {
    const state = this.#parts.blobs.stateOf(content.digest);
    const proceed = () => this.#stopping.signal.throwIfAborted();
    proceed();
    const isWhole = await this.#parts.damaged.check(content, proceed, PIECE_BYTES);
    if (isWhole) this.#remember(content.digest, state);
  }

  #isChecked({ digest }: BlobFacts): boolean {
    const found = this.#lately.get(digest);
    if (found === undefined || found.state !== this.#parts.blobs.stateOf(digest)) return false;
    // Also when the clock was set back.
    return Math.abs(this.#parts.clock.now() - found.at) < LATELY_MS;
  }

  #remember(digest: Digest, state: string | null): void {
    this.#lately.set(digest, { state, at: this.#parts.clock.now() });
  }
}
