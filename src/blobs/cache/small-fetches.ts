import type { Digest } from "../../domain/contents/content.ts";
import type { BlobFacts } from "../blob-file.ts";
import type { CachedFiles } from "./cached-files.ts";
import { PassedOn } from "./passed-on.ts";
import { collect, type OnDamage, type RemoteBlobs } from "./remote-blobs.ts";

interface SmallFetchesParts {
  readonly remote: RemoteBlobs;
  readonly cached: CachedFiles;
  readonly onDamage: OnDamage;
}

interface Fetch {
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>;
  /** Ends once it is kept; null before all bytes are here. */
  readonly kept: () => Promise<void> | null;
  readonly stop: () => void;
}

/** Fetches small contents: each whole, checked before anybody gets its first byte, and once for all who ask meanwhile. */
export class SmallFetches {
  readonly #parts: SmallFetchesParts;
  readonly #running = new Map<Digest, Fetch>();

  constructor(parts: SmallFetchesParts) {
    this.#parts = parts;
  }

  /** Resolves once it is kept as well, where it can be. Throws DamagedBlob, and UNAVAILABLE. */
  fetch(content: BlobFacts): Promise<Uint8Array<ArrayBuffer>> {
    const { digest } = content;
    const running = this.#running.get(digest) ?? this.#begin(content);
    this.#running.set(digest, running);
    return running.bytes;
  }

  /** Lets the fetch of a content go on without keeping it. If it is being kept just now, resolves after that. */
  async forget(digest: Digest): Promise<void> {
    const running = this.#running.get(digest);
    this.#running.delete(digest);
    await running?.kept();
  }

  /** Ends all. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { stop } of running) stop();
    await Promise.allSettled(running.map(({ bytes }) => bytes));
  }

  #begin(content: BlobFacts): Fetch {
    const { digest, size } = content;
    const reader = new PassedOn({
      ...this.#parts,
      content,
      range: { start: 0, end: size },
      hash: newHash(),
    });
    const isWanted = () => this.#running.get(digest) === fetch;
    let kept: Promise<void> | null = null;
    const load = async () => {
      try {
        const bytes = await collect(reader, size);
        if (isWanted()) await (kept = this.#keep(content, bytes));
        return bytes;
      } finally {
        if (isWanted()) this.#running.delete(digest);
      }
    };
    const fetch = { bytes: load(), kept: () => kept, stop: () => reader.release() };
    return fetch;
  }

  async #keep(content: BlobFacts, bytes: Uint8Array): Promise<void> {
    const { cached } = this.#parts;
    const place = cached.place(content.size);
    if (place === null) return;
    const spool = await cached.newSpool();
    if (spool !== null) {
      if (await cached.append(spool, place, bytes)) await cached.keep(content, spool, place);
      await cached.discard(spool);
    }
    place.end();
  }
}

/** The hash that contents are named by. */
export function newHash(): Bun.CryptoHasher {
  return new Bun.CryptoHasher("sha256");
}
