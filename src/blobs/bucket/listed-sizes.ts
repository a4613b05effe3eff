import type { NamedFile } from "../blob-directory.ts";
import { type BlobFacts, DamagedBlob, wrongSize } from "../blob-file.ts";

/** The sizes of blobs, out of one list of all of them: a request for a thousand. */
export class ListedSizes {
  readonly #names: AsyncGenerator<NamedFile>;
  #next: NamedFile | null = null;

  /** @param names in the order of their digests */
  constructor(names: AsyncGenerator<NamedFile>) {
    this.#names = names;
  }

  /** Checks that the list has a blob with its size. Its digest comes after that of the call before. */
  async require({ digest, size }: BlobFacts): Promise<void> {
    while (this.#next?.digest === null || this.#next === null || this.#next.digest < digest) {
      const { done, value } = await this.#names.next();
      if (done === true)
        throw new DamagedBlob(`the content ${digest}`, digest, "is missing", { isMissing: true });
      this.#next = value;
    }
    const found = this.#next;
    if (found.digest !== digest) {
      throw new DamagedBlob(`the content ${digest}`, digest, "is missing", { isMissing: true });
    }
    if (found.size !== size) throw new DamagedBlob(found.path, digest, wrongSize(found.size ?? 0, size));
  }
}
