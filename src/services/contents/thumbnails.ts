import type { Caller } from "../../domain/accounts/caller.ts";
import {
  decodeDrawing,
  type Drawing,
  type DrawingRefusal,
  isPictureType,
  THUMBNAIL_LIMITS,
  THUMBNAIL_TURNS,
  type ThumbnailSize,
} from "../../domain/contents/thumbnail.ts";
import { CofferError, notFound } from "../../domain/errors.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import { MIB } from "../../domain/limits.ts";
import { Recent } from "../../domain/recent.ts";
import type { ThumbnailName, ThumbnailStore } from "../../thumbnails/thumbnail-store.ts";
import type { BlobChecks } from "./blob-checks.ts";
import { OwnerTurns } from "../owner-turns.ts";
import type { OwnProcesses } from "../own-processes.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { SharedWork } from "../shared-work.ts";
import { holderOf, type SlotHolder } from "../slots.ts";

/** How many refusals are remembered, so that a hostile picture is not drawn again and again. */
const REFUSALS = 1000;
/** For how long a refusal counts that may pass, in milliseconds. */
const PAUSE_MS = 60_000;

type Bytes = Uint8Array<ArrayBuffer>;

interface Refused {
  readonly why: DrawingRefusal;
  /** By the clock's `elapsed`; Infinity for what stays as it is. */
  readonly until: number;
}

/** Small pictures of pictures: kept ones, or new ones, each drawn in a process of its own. */
export class Thumbnails extends Service<
  Pick<Parts, "access" | "blobs" | "clock" | "damaged" | "log" | "usage"> & {
    blobChecks: BlobChecks;
    ownProcesses: OwnProcesses;
    thumbnailStore: ThumbnailStore;
  }
> {
  readonly #turns = new OwnerTurns({ limits: THUMBNAIL_TURNS, noun: "thumbnails" });
  readonly #work = new SharedWork<Bytes>();
  readonly #refused = new Recent<string, Refused>(REFUSALS);

  /** Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE. */
  requireDrawable(file: FileFacts): void {
    requireDrawable(file);
  }

  /**
   * A thumbnail of a file that the caller may read, and still may once it is drawn. Rejects with the reason of `signal`.
   * Throws NOT_FOUND, and as `thumbnailOf`.
   */
  async thumbnail(caller: Caller, file: FileFacts, size: ThumbnailSize, signal: AbortSignal): Promise<Bytes> {
    const bytes = await this.thumbnailOf(file, size, holderOf(caller), signal);
    if (!this.parts.access.mayGoOn(caller, [file.driveId])) throw notFound("file");
    return bytes;
  }

  /** Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, EXTRACTION_FAILED, RATE_LIMITED, UNAVAILABLE. */
  async thumbnailOf(file: FileFacts, size: ThumbnailSize, holder: SlotHolder, signal: AbortSignal) {
    requireDrawable(file);
    const { digest, driveId } = file;
    const name = { digest, driveId, size };
    const key = `${digest} ${driveId} ${size}`;
    const refused = this.#refused.get(key);
    if (refused !== undefined && refused.until > this.parts.clock.elapsed()) throw refusal(file, refused.why);
    const bytes = await this.#work.join(
      key,
      signal,
      async (ending) => (await this.#kept(name)) ?? this.#draw(file, name, holder, ending),
    );
    this.parts.usage.countSent(holder.caller ?? null, driveId, bytes.length);
    return bytes;
  }

  /** Null as well if the store cannot be read: everything in it can be drawn again. */
  async #kept(name: ThumbnailName): Promise<Bytes | null> {
    try {
      return await this.parts.thumbnailStore.get(name, this.parts.clock.now());
    } catch (error) {
      this.parts.log.warn("the kept thumbnails cannot be read", { error });
      return null;
    }
  }

  async #draw(file: FileFacts, name: ThumbnailName, holder: SlotHolder, signal: AbortSignal): Promise<Bytes> {
    const drawing = await this.#turns.run(holder, () => this.#drawing(file, name.size, signal), signal);
    signal.throwIfAborted();
    if (drawing === null) {
      throw new CofferError(
        "UNAVAILABLE",
        "The system ended the drawing of the thumbnail, perhaps for lack of memory. Try again soon, or download the file instead.",
      );
    }
    if (drawing.kind === "drawn") {
      await this.#keep(file, name, drawing.bytes);
      return drawing.bytes;
    }
    const { why } = drawing;
    const until = mayPass(why) ? this.parts.clock.elapsed() + PAUSE_MS : Number.POSITIVE_INFINITY;
    this.#refused.set(`${name.digest} ${name.driveId} ${name.size}`, { why, until });
    throw refusal(file, why);
  }

  /** Null if the process was ended. */
  async #drawing(file: FileFacts, size: ThumbnailSize, signal: AbortSignal): Promise<Drawing | null> {
    await using content = await this.parts.blobChecks.hold(file);
    const { bytes, isLate } = await this.parts.ownProcesses.run({
      command: ["draw-thumbnail", size],
      content: content.blob,
      ms: THUMBNAIL_LIMITS.ms,
      signal,
    });
    return decodeDrawing(bytes) ?? (isLate ? { kind: "refused", why: "time" } : null);
  }

  /** A thumbnail that cannot be kept is sent all the same. That of a content whose check finds damage is not kept. */
  async #keep(file: FileFacts, name: ThumbnailName, bytes: Bytes): Promise<void> {
    const { blobChecks, blobs, clock, damaged, log, thumbnailStore } = this.parts;
    await blobChecks.running(file);
    if (damaged.isKnown(file)) return;
    try {
      if (await blobs.space.hasSpace()) await thumbnailStore.put(name, bytes, clock.now());
    } catch (error) {
      log.warn("a thumbnail could not be kept", { error });
    }
  }
}

function mayPass(why: DrawingRefusal): boolean {
  return why === "time" || why === "memory";
}

function requireDrawable({ mimeType, size }: FileFacts): void {
  if (!isPictureType(mimeType)) {
    throw new CofferError(
      "UNSUPPORTED_MEDIA_TYPE",
      `There are no thumbnails of ${mimeType}, only of PNG, JPEG, WebP, GIF and BMP. Download the file instead.`,
    );
  }
  const limit = THUMBNAIL_LIMITS.inputBytes;
  if (size > limit) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `The content has ${size} bytes. The limit for pictures is ${limit} bytes; download it instead.`,
    );
  }
}

const LATER = "Try again in a few minutes, or download it instead.";
const FAILURES: Readonly<Record<Exclude<DrawingRefusal, "mismatch">, string>> = {
  damaged: "the picture is malformed. Save it again with another program, or download it instead.",
  pixels: `the picture has more than ${THUMBNAIL_LIMITS.pixels / 1_000_000} million pixels. Download it instead.`,
  time: `drawing the picture takes more than ${THUMBNAIL_LIMITS.ms / 1000} seconds at present. ${LATER}`,
  memory: `drawing the picture takes more than ${THUMBNAIL_LIMITS.memory / MIB} MiB of memory. ${LATER}`,
};

function refusal({ mimeType }: FileFacts, why: DrawingRefusal): CofferError {
  if (why === "mismatch") {
    return new CofferError(
      "UNSUPPORTED_MEDIA_TYPE",
      `A thumbnail of ${mimeType} cannot be made: the content is no such picture. Upload it with its own content type, or download it instead.`,
    );
  }
  return new CofferError("EXTRACTION_FAILED", `A thumbnail cannot be made: ${FAILURES[why]}`);
}
