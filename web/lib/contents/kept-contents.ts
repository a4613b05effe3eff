import { Recent } from "../../../src/domain/recent.ts";

/** What a content is kept by: the same address gives another one once the file has changed. */
interface Content {
  readonly address: string;
  /** The SHA-256, as records and ETags have it. */
  readonly content_hash: string;
}

/** Something that was read, and the ETag of the content that it was read of. */
interface Read<T> {
  readonly value: T;
  readonly etag: string | null;
}

/** Keeps what was read last of contents, so that who comes back to one does not ask for it again. */
export class KeptContents<T> {
  readonly #kept: Recent<string, T>;

  /** @param most how much is kept, in what `sizeOf` counts */
  constructor(most: number, sizeOf: (value: T) => number) {
    this.#kept = new Recent(most, sizeOf);
  }

  /** Gives what is kept, or else what `read` gives. That is kept only if it is of this very content. */
  async get({ address, content_hash }: Content, read: () => Promise<Read<T>>): Promise<T> {
    const hash = hexOf(content_hash);
    const key = `${hash} ${address}`;
    const before = this.#kept.get(key);
    if (before !== undefined) return before;
    const { value, etag } = await read();
    if (hash !== "" && hexOf(etag ?? "") === hash) this.#kept.set(key, value);
    return value;
  }
}

function hexOf(hash: string): string {
  return hash.replace(/^sha256:/, "").replaceAll('"', "");
}
