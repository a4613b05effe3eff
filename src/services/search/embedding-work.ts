import { openStored } from "../../blobs/open-stored.ts";
import type { StoredBlobs } from "../../blobs/stored-blobs.ts";
import { type EmbeddedContent, EmbeddedContents } from "../../db/search/embedded-contents.ts";
import { VectorFile, vectorPathOf } from "../../db/search/vector-file.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import { isTextType } from "../../domain/contents/media-type.ts";
import type { BlobPk } from "../../domain/id.ts";
import { type Passage, PASSAGES_BYTES, passagesOf } from "../../domain/search/passages.ts";
import { searchedText } from "../../domain/search/slices.ts";
import type { StorePlaces } from "../parts.ts";
import { embed, type EmbeddingsAddress, EmbeddingsFailure } from "./embeddings.ts";

/** How many contents are looked at in one step. */
const LOOKED_AT = 200;
/** How many passages are in one request; a step sends as many as it takes for one content, or one for several. */
const BATCH = 32;
/** How long a request may take, in milliseconds: a small machine is slow with many. */
const BATCH_MS = 120_000;
/** How often all contents are looked at again, in milliseconds: a file may have become a text, for example. */
const AGAIN_MS = 600_000;
/** How many documents whose text the index does not have yet are waited for. */
const WAITING = 1000;

/** What a step came to: `waiting` if documents are read first, `failed` if the endpoint did not answer. */
export type StepOutcome =
  { readonly kind: "some" | "nothing" | "waiting" } | { readonly kind: "failed"; readonly why: string };

interface Opened {
  readonly contents: EmbeddedContents;
  readonly vectors: VectorFile;
  readonly files: StoredBlobs;
  readonly address: EmbeddingsAddress;
}

interface Embedded {
  readonly digest: Digest;
  readonly passages: readonly Passage[];
}

/** Makes the vectors of contents that have none, and stores them. In a thread of its own. */
export class EmbeddingWork {
  #opened: Opened | null = null;
  /** The last content that was looked at. */
  #at = 0;
  /** The last content with vectors that was looked for; null if all were. */
  #cleanedTo: number | null = 0;
  #beganAt = performance.now();
  readonly #waiting = new Set<BlobPk>();

  /** Must come first. */
  async open({ database, blobs }: StorePlaces, address: EmbeddingsAddress): Promise<void> {
    const vectors = await VectorFile.open(vectorPathOf(database), address.model);
    const files = await openStored(blobs);
    this.#opened = { contents: new EmbeddedContents(database), vectors, files, address };
  }

  /** Does what one or a few requests to the endpoint come to. */
  async step(): Promise<StepOutcome> {
    const { contents, vectors } = this.#parts;
    if (performance.now() - this.#beganAt > AGAIN_MS) this.#beginAgain();
    if (this.#cleanedTo !== null) {
      this.#cleanedTo = vectors.removeGone(this.#cleanedTo, LOOKED_AT, (digest) => !contents.has(digest));
    }
    const found = contents.after(this.#at, LOOKED_AT);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const why = await this.#embedAll([...waiting.flatMap((blob) => contents.of(blob) ?? []), ...found]);
    if (why !== null) {
      for (const blob of waiting) this.#waiting.add(blob);
      return { kind: "failed", why };
    }
    this.#at = found.at(-1)?.blob ?? this.#at;
    if (found.length === LOOKED_AT) return { kind: "some" };
    return { kind: this.#waiting.size > 0 ? "waiting" : "nothing" };
  }

  close(): void {
    this.#opened?.contents.close();
    this.#opened?.vectors.close();
    this.#opened = null;
  }

  get #parts(): Opened {
    if (this.#opened === null) throw new Error("the file of vectors is not open");
    return this.#opened;
  }

  #beginAgain(): void {
    this.#beganAt = performance.now();
    this.#at = 0;
    this.#cleanedTo = 0;
  }

  /** Makes the vectors of those contents that have none. Returns why it could not. */
  async #embedAll(contents: readonly EmbeddedContent[]): Promise<string | null> {
    let batch: Embedded[] = [];
    let passages = 0;
    for (const content of contents) {
      const own = this.#parts.vectors.has(content.digest) ? null : await this.#passages(content);
      if (own === null) continue;
      batch.push({ digest: content.digest, passages: own });
      passages += own.length;
      if (passages < BATCH) continue;
      const why = await this.#embed(batch);
      if (why !== null) return why;
      [batch, passages] = [[], 0];
    }
    return this.#embed(batch);
  }

  /** The passages of a content; none if it is no text. Null if it is not looked at, or not yet. */
  async #passages(content: EmbeddedContent): Promise<readonly Passage[] | null> {
    const { contents, files } = this.#parts;
    const { blob, size, file, mimeType, isStale } = content;
    if (size === 0) return null;
    if (documentFormatOf(mimeType) !== null) {
      const text = isStale === 1 ? null : contents.documentText(file);
      if (text !== null) return passagesOf(text);
      if (this.#waiting.size < WAITING) this.#waiting.add(blob);
      return null;
    }
    if (!isTextType(mimeType)) return null;
    try {
      const bytes = contents.smallBytes(blob) ?? (await files.beginning(content, PASSAGES_BYTES));
      const beginning = bytes.subarray(0, PASSAGES_BYTES);
      return passagesOf(searchedText(beginning, beginning.length < size) ?? "");
    } catch {
      // It is damaged, or was just removed: the index says so.
      return null;
    }
  }

  /** Stores the vectors of some contents. Returns why there are none. */
  async #embed(batch: readonly Embedded[]): Promise<string | null> {
    const { address, vectors } = this.#parts;
    const texts = batch.flatMap(({ passages }) => passages.map(({ text }) => text));
    try {
      const made = texts.length === 0 ? [] : await embed(address, texts, BATCH_MS);
      let from = 0;
      for (const { digest, passages } of batch) {
        const own = made.slice(from, from + passages.length);
        from += passages.length;
        vectors.put(
          digest,
          own.map((vector, at) => ({ start: passages[at]?.start ?? 0, vector })),
        );
      }
      return null;
    } catch (error) {
      if (!(error instanceof EmbeddingsFailure)) throw error;
      if (!error.isOfTexts) return error.message;
      return this.#embedAlone(batch);
    }
  }

  /** Something of a batch is not taken: finds out what, and does without it. */
  async #embedAlone(batch: readonly Embedded[]): Promise<string | null> {
    const [only, ...others] = batch;
    if (only === undefined) return null;
    if (others.length === 0) {
      this.#parts.vectors.put(only.digest, []);
      return null;
    }
    for (const one of batch) {
      const why = await this.#embed([one]);
      if (why !== null) return why;
    }
    return null;
  }
}
