import type { Caller } from "../../domain/accounts/caller.ts";
import type { Diff } from "../../domain/contents/edit/unified-diff.ts";
import { CofferError } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import type { FileRef } from "../../domain/files/file-ref.ts";
import { DIFF_LIMITS, DIFF_TEXT_BYTES } from "../../domain/limits.ts";
import { markBytes } from "../../domain/contents/texts/lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import { asUtf8 } from "../../domain/contents/texts/text-encoding.ts";
import type { Parts } from "../parts.ts";
import { DiffThread } from "./diff-thread.ts";
import type { LineIndexes } from "../contents/texts.ts";
import { holderOf, Slots } from "../slots.ts";
import type { Versions } from "./versions.ts";

/** Compares the contents that a file has and had. */
export class VersionDiffs {
  readonly #parts;
  readonly #slots = new Slots({ limits: DIFF_LIMITS, noun: "comparisons" });
  readonly #thread = new DiffThread();

  constructor(
    parts: Pick<Parts, "blobs" | "damaged" | "usage"> & { versions: Versions; indexes: LineIndexes },
  ) {
    this.#parts = parts;
  }

  /**
   * Compares two texts. The diff counts as bandwidth. Throws NOT_FOUND, FORBIDDEN, PAYLOAD_TOO_LARGE,
   * UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED, RATE_LIMITED, DamagedFile.
   */
  async compare(
    caller: Caller,
    ref: FileRef,
    compared: Parameters<Versions["pair"]>[2],
    client: string,
  ): Promise<{ from: number; to: number; diff: Diff }> {
    const [from, to] = this.#parts.versions.pair(caller, ref, compared);
    using _ = this.#slots.take(holderOf(caller), client);
    const [original, now] = [await this.#textOf(from), await this.#textOf(to)];
    const diff = await this.#thread.make({ path: to.path, original, now });
    this.#parts.usage.countBytes(to.driveId, utf8Length(diff.text));
    return { from: from.version, to: to.version, diff };
  }

  close(): void {
    this.#thread.close();
  }

  /** The whole text, as UTF-8 without a mark. */
  async #textOf(file: File): Promise<Uint8Array> {
    if (file.size > DIFF_TEXT_BYTES) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `Version ${file.version} has ${file.size} bytes; texts of up to ${DIFF_TEXT_BYTES} bytes are compared. Download both instead.`,
      );
    }
    const content = await this.#parts.damaged.readFor(file, () => this.#parts.blobs.read(file));
    const { encoding } = await this.#parts.indexes.of(file, content);
    const bytes = await this.#parts.damaged.readFor(file, () => this.#parts.blobs.readAll(file));
    return asUtf8(bytes.subarray(markBytes(bytes, encoding)), encoding);
  }
}
