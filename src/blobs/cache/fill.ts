import { type BlobFacts, DamagedBlob, WRONG_BYTES } from "../blob-file.ts";
import type { CachedFiles } from "./cached-files.ts";
import {
  damagedRemote,
  endedEarly,
  type Incoming,
  incoming,
  interrupted,
  type OnDamage,
  type RemoteBlobs,
} from "./remote-blobs.ts";
import type { Place } from "./room.ts";
import type { Spool } from "./spool.ts";

/** How many bytes at the end nobody gets before all are checked. */
const LAST_BYTES = 64 * 1024;
/** How often a fill goes on after its connection was cut, each time after bytes that had come. */
const RESUMES = 5;
/** A fill that nobody reads any more goes on where so little is left, or half of it is here. In bytes. */
const SHORT_REST = 16 * 1024 * 1024;

export interface FillParts {
  /** Longer than `LAST_BYTES`. */
  readonly content: BlobFacts;
  readonly remote: RemoteBlobs;
  readonly cached: CachedFiles;
  readonly place: Place;
  readonly onDamage: OnDamage;
  /** Whether it goes on to its end though nobody reads it. */
  readonly isWanted: boolean;
}

/** How a fill has ended. */
type Outcome =
  | { readonly kind: "whole" }
  /** No more could be written: readers fetch what follows `written` themselves, whose hash goes on from this one. */
  | { readonly kind: "handed over"; readonly hash: Bun.CryptoHasher }
  | { readonly kind: "failed"; readonly error: unknown };

/**
 * A content that is fetched into a file, once for all who read it. They read from the file, each at its own pace: it goes
 * as fast as the content comes, whoever is slow. If it is whole, it is kept under its name.
 */
export class Fill {
  /** Resolves once the first bytes can come. Rejects where the content cannot be opened. */
  readonly opened: Promise<void>;
  /** Resolves once there is an outcome, and the file has its name or is gone. Never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: FillParts;
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #opening = Promise.withResolvers<void>();
  #spool: Spool | null = null;
  #written = 0;
  #readers = 0;
  #mayKeep = true;
  #outcome: Outcome | null = null;
  /** The connection that is read. */
  #body: Incoming | null = null;
  #isStopped = false;
  /** Whether its file belongs to its readers alone, and closes with the last. */
  #isLeft = false;
  #progress = Promise.withResolvers<void>();

  constructor(parts: FillParts) {
    this.#parts = parts;
    this.opened = this.#opening.promise;
    // Whoever waits gets the error; perhaps nobody does.
    this.opened.catch(() => {});
    this.ended = this.#run();
  }

  /** How many bytes are in the file, from the beginning on. */
  get written(): number {
    return this.#written;
  }

  /** How many of them may be read. */
  get readable(): number {
    const { size } = this.#parts.content;
    const isUnchecked = this.#outcome === null || this.#outcome.kind === "failed";
    return isUnchecked ? Math.min(this.#written, size - LAST_BYTES) : this.#written;
  }

  /** Null while it goes on. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /** Whether others may join it: not once it was given up, has ended without the content, or lets go of its file. */
  get mayJoin(): boolean {
    if (this.#isStopped || this.#isLeft) return false;
    return this.#outcome === null || this.#outcome.kind === "whole";
  }

  /** Resolves when more can be read, or there is an outcome. */
  get progress(): Promise<void> {
    return this.#progress.promise;
  }

  /** Bytes from `offset`, which is below `readable`; one at least and `most` at most. */
  read(offset: number, most: number): Promise<Uint8Array> {
    if (this.#spool === null) throw new Error("a fill was read before there was a file");
    return this.#spool.read(offset, Math.min(most, this.readable - offset));
  }

  /** Adds a reader. Returns what ends its reading; a second call does nothing. */
  join(): () => void {
    this.#readers += 1;
    this.#spool?.use();
    let isHere = true;
    return () => {
      if (isHere) this.#leave();
      isHere = false;
    };
  }

  /** Lets it go on without being kept. If it is being kept just now, resolves after that. */
  async forget(): Promise<void> {
    this.#mayKeep = false;
    if (this.#outcome !== null) await this.ended;
  }

  /** Gives it up; does nothing once it has an outcome. */
  stop(): void {
    if (this.#outcome !== null) return;
    this.#isStopped = true;
    this.#body?.cut();
  }

  /** Without readers it goes on only where that is worth it. */
  #leave(): void {
    this.#readers -= 1;
    this.#spool?.release();
    const { isWanted, content } = this.#parts;
    const left = content.size - this.#written;
    if (this.#readers === 0 && !isWanted && left > Math.max(SHORT_REST, this.#written)) this.stop();
  }

  async #run(): Promise<void> {
    const { content, cached, place } = this.#parts;
    this.#spool = await cached.newSpool();
    for (let i = 0; i < this.#readers; i += 1) this.#spool?.use();
    const outcome = await this.#fetch();
    this.#outcome = outcome;
    this.#tell();
    if (outcome.kind === "failed") this.#opening.reject(outcome.error);
    else this.#opening.resolve();
    if (this.#spool !== null && outcome.kind === "whole" && this.#mayKeep) {
      await cached.keep(content, this.#spool, place);
    }
    this.#isLeft = true;
    if (this.#spool !== null) await cached.discard(this.#spool);
    place.end();
  }

  async #fetch(): Promise<Outcome> {
    const { content, remote } = this.#parts;
    if (this.#spool === null) return { kind: "handed over", hash: this.#hash };
    try {
      for (let left = RESUMES; ; left -= 1) {
        const from = this.#written;
        const body = incoming(await remote.open(content, { start: from, end: content.size }));
        this.#opening.resolve();
        try {
          if (!(await this.#append(body, this.#spool))) return { kind: "handed over", hash: this.#hash };
          break;
        } catch (error) {
          const hasMore = this.#written > from && this.#written < content.size;
          if (!hasMore || left === 0 || this.#isStopped || error instanceof DamagedBlob) throw error;
        }
      }
      if (this.#hash.digest("hex") !== content.digest) throw this.#damaged(WRONG_BYTES);
      return { kind: "whole" };
    } catch (error) {
      return { kind: "failed", error };
    }
  }

  /** Appends what comes, to the end of the content. False if it cannot be written. */
  async #append(body: Incoming, spool: Spool): Promise<boolean> {
    const { content, cached, place } = this.#parts;
    this.#body = body;
    try {
      for (;;) {
        const piece = await body.next();
        if (this.#isStopped) throw interrupted(new Error("nobody reads it any more"));
        if (piece === null) break;
        if (this.#written + piece.length > content.size) {
          throw this.#damaged(`has more than ${content.size} bytes`);
        }
        if (!(await cached.append(spool, place, piece))) return false;
        this.#hash.update(piece);
        this.#written += piece.length;
        this.#tell();
      }
      const left = content.size - this.#written;
      if (left > 0) throw endedEarly(content, left);
      return true;
    } finally {
      body.cut();
    }
  }

  #damaged(problem: string): DamagedBlob {
    const damage = damagedRemote(this.#parts.content, problem);
    this.#parts.onDamage(damage);
    return damage;
  }

  #tell(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }
}
