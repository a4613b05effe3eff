import type { Caller } from "../../domain/accounts/caller.ts";
import type { LineChange } from "../../domain/comments/line-places.ts";
import { CofferError } from "../../domain/errors.ts";
import type { File, FileRef } from "../../domain/files/file.ts";
import { DIFF_LIMITS, DIFF_TEXT_BYTES } from "../../domain/limits.ts";
import { markBytes } from "../../domain/contents/texts/lines.ts";
import { utf8Length } from "../../domain/contents/texts/text.ts";
import { asUtf8 } from "../../domain/contents/texts/text-encoding.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { AskedThread } from "../../process/threads.ts";
import { Turns } from "../turns.ts";
import { type Comparison, diffOf, type DiffRequest } from "./diff-request.ts";
import type { LineIndexes } from "../contents/texts.ts";
import { holderOf, Slots } from "../slots.ts";
import type { Versions } from "./versions.ts";

/** Texts that are together shorter are compared at once: that takes less than to ask the thread. In bytes. */
const SHORT_BYTES = 32 * 1024;
/** For so many steps; see `lineChanges`. */
const SHORT_STEPS = 200_000;
/** How long one comparison may take, in milliseconds; then only the ends of the texts are compared. */
const TIME_MS = 2000;

/** Compares the contents that a file has and had. */
export class VersionDiffs extends Service<
  Pick<Parts, "blobs" | "damaged" | "usage"> & { versions: Versions; indexes: LineIndexes }
> {
  readonly #slots = new Slots({ limits: DIFF_LIMITS, noun: "comparisons" });
  readonly #thread = new DiffThread();

  /**
   * Compares two texts. The diff counts as bandwidth. Throws NOT_FOUND, FORBIDDEN, PAYLOAD_TOO_LARGE,
   * UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED, RATE_LIMITED, DamagedFile.
   */
  async compare(caller: Caller, ref: FileRef, compared: Parameters<Versions["pair"]>[2], client: string) {
    const [from, to] = this.parts.versions.pair(caller, ref, compared);
    using _ = this.takeSlot(caller, client);
    const [original, now] = [await this.#textOf(from), await this.#textOf(to)];
    const diff = await this.#thread.make({ path: to.path, original, now });
    this.parts.usage.countSent(caller, to.driveId, utf8Length(diff.text));
    return { from: from.version, to: to.version, diff };
  }

  /** Which lines differ between two contents of a file. Throws as `compare` does for texts, DamagedFile. */
  async lines(from: File, to: File): Promise<readonly LineChange[]> {
    const [original, now] = [await this.#textOf(from), await this.#textOf(to)];
    return (await this.#thread.make({ path: to.path, original, now })).lines;
  }

  /** To be held while one caller has texts compared. Throws RATE_LIMITED. */
  takeSlot(caller: Caller, client: string): Disposable {
    return this.#slots.take(holderOf(caller), client);
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
    await using content = await this.parts.damaged.readFor(file, () => this.parts.blobs.hold(file));
    const { encoding } = await this.parts.indexes.of(file, content.blob);
    const bytes = await this.parts.damaged.readFor(file, () => this.parts.blobs.readAll(file));
    return asUtf8(bytes.subarray(markBytes(bytes, encoding)), encoding);
  }
}

/** A thread that compares texts, one pair after the other. It begins with the first long one. */
export class DiffThread {
  readonly #turns = new Turns<"thread">();
  #thread: AskedThread<{ compare: typeof diffOf }> | null = null;

  /** The differences of two texts. Throws UNAVAILABLE if there are too few file descriptors for a thread. */
  make(request: DiffRequest): Promise<Comparison> {
    const { original, now } = request;
    if (original.length + now.length <= SHORT_BYTES) return Promise.resolve(diffOf(request, SHORT_STEPS));
    return this.#turns.take("thread", () => this.#ask(request));
  }

  close(): void {
    this.#thread?.end();
    this.#thread = null;
  }

  async #ask(request: DiffRequest): Promise<Comparison> {
    if (this.#thread?.isAlive !== true) {
      const module = new URL("./diff-worker.ts", import.meta.url).href;
      this.#thread = new AskedThread({ module, what: "a thread that compares texts" });
    }
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), TIME_MS);
    try {
      const diff = await Promise.race([this.#thread.ask("compare", request), late.promise]);
      if (diff !== null) return diff;
      this.close();
      return diffOf(request, 0);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
