import { parseDigest } from "../../domain/contents/content.ts";
import { present } from "../../domain/errors.ts";
import type { StoreId } from "../../domain/id.ts";
import { S3Refused, S3Unavailable } from "../../s3/errors.ts";
import type { S3Figures } from "../../s3/meter.ts";
import type { S3Options } from "../../s3/requests.ts";
import { S3Bucket } from "../../s3/s3-bucket.ts";
import { UnavailableBlob } from "../blob-place.ts";
import { IDENTITY } from "./bucket-names.ts";

/** How often a bucket that cannot be used is looked at, at most, in milliseconds. */
const LOOK_MS = 2000;
/** Bytes of an identity at most. */
const IDENTITY_BYTES = 200;

export interface BucketAccessOptions {
  readonly s3: Omit<S3Options, "onCircuit">;
  /** The identity of the store whose contents are in the bucket; null if it has none yet. */
  readonly store: StoreId | null;
  /** Whether a use of a bucket that is away looks at it first, now and then; else only who calls `look` does. */
  readonly looksAtUse?: boolean;
  /** Is told once when the bucket cannot be used any more, and why, and once when it can: with null. */
  readonly onChange?: (why: string | null) => void;
}

/**
 * The bucket of a store, while it can be used. Once it cannot, nothing is asked of it but its identity, now and then:
 * when that is right, it is used again.
 */
export class BucketAccess {
  readonly #options: BucketAccessOptions;
  readonly #bucket: S3Bucket;
  #store: StoreId | null;
  #away: string | null = null;
  #look: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** Throws S3Refused for an endpoint that is no address. */
  constructor(options: BucketAccessOptions) {
    this.#options = options;
    this.#store = options.store;
    const onCircuit: S3Options["onCircuit"] = (change) => {
      // It closes with an answer to the look, which says more.
      if (change.isOpen) this.#change(change.reason);
    };
    this.#bucket = new S3Bucket({ ...options.s3, onCircuit });
  }

  /** As people write it. */
  get name(): string {
    const { bucket, prefix } = this.#options.s3;
    return `s3://${bucket}/${prefix}`.replace(/\/$/, "");
  }

  /** What came of all requests so far. */
  get requests(): S3Figures {
    return this.#bucket.figures;
  }

  /** Why the bucket cannot be used now; null if it can. */
  get away(): string | null {
    return this.#away;
  }

  /** From now on the bucket must have this identity. */
  belongTo(store: StoreId): void {
    this.#store = store;
  }

  /** The bucket cannot be used, until it is looked at again. */
  giveUp(why: string): void {
    this.#change(why);
  }

  /** What `call` gives. Throws UnavailableBlob while the bucket cannot be used, or does not answer. */
  async use<T>(call: (bucket: S3Bucket) => Promise<T>): Promise<T> {
    if (this.#options.looksAtUse === true) await this.look();
    if (this.#away !== null) throw new UnavailableBlob();
    try {
      return await call(this.#bucket);
    } catch (error) {
      if (error instanceof S3Unavailable) throw new UnavailableBlob({ cause: error });
      if (!(error instanceof S3Refused)) throw error;
      // It may be about this object alone.
      await this.#lookNow();
      throw new UnavailableBlob({ cause: error });
    }
  }

  /** The identity as the bucket has it, valid or not, null if it has none; or why it cannot be read. */
  async identity(): Promise<
    | { readonly identity: string | null; readonly away: null }
    | { readonly identity: null; readonly away: string }
  > {
    try {
      const found = await this.#bucket.get(IDENTITY, { start: 0, end: IDENTITY_BYTES });
      const identity = found && (await new Response(found.body).text()).trim();
      return { identity, away: null };
    } catch (error) {
      if (error instanceof S3Refused || error instanceof S3Unavailable) {
        return { identity: null, away: error.message };
      }
      throw error;
    }
  }

  /** Gives the bucket an identity, unless it has one. Returns the one that it has then. */
  async writeIdentity(store: StoreId): Promise<string> {
    const bytes = Buffer.from(`${store}\n`);
    const digest = present(parseDigest(Bun.SHA256.hash(bytes, "hex")), "the SHA-256 of an identity");
    const options = { sha256: digest, onlyIfAbsent: true };
    const outcome = await this.use((bucket) => bucket.put(IDENTITY, new Blob([bytes]), options));
    if (outcome === "written") return store;
    const { identity, away } = await this.identity();
    if (away !== null) throw new UnavailableBlob({ cause: new Error(away) });
    return identity ?? store;
  }

  /** Removes the identity: the bucket belongs to no store any more. */
  removeIdentity(): Promise<void> {
    return this.use((bucket) => bucket.remove([IDENTITY]));
  }

  /** Looks whether a bucket that could not be used is there again. */
  async look(): Promise<void> {
    if (this.#away === null) return;
    if (this.#look === null && this.#options.s3.clock.elapsed() - this.#lookedAt < LOOK_MS) return;
    await this.#lookNow();
  }

  #lookNow(): Promise<void> {
    this.#look ??= this.whyAway()
      .then((why) => this.#change(why))
      .finally(() => {
        this.#look = null;
        this.#lookedAt = this.#options.s3.clock.elapsed();
      });
    return this.#look;
  }

  /** Why the bucket cannot be used, asked now; null if it can. */
  async whyAway(): Promise<string | null> {
    const { identity, away } = await this.identity();
    if (away !== null || this.#store === null || identity === this.#store) return away;
    return identity === null
      ? "the identity of the store is missing there"
      : "the contents there are of another store";
  }

  #change(why: string | null): void {
    const isNews = (why === null) !== (this.#away === null);
    this.#away = why;
    if (isNews) this.#options.onChange?.(why);
  }
}
