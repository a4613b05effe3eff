import type { BlobStore } from "../blobs/blob-store.ts";
import type { BlobWriter, PinnedBlob } from "../blobs/blob-writer.ts";
import type { DamagedContent } from "../blobs/content-file.ts";
import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { FileBody } from "../db/files.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import type { Digest } from "../domain/digest.ts";
import { CofferError, invalid } from "../domain/errors.ts";
import { type File, type Metadata, parseExpiry, parseMetadata, parseTags } from "../domain/file.ts";
import { parseMediaType } from "../domain/media-type.ts";
import { mimeTypeOf } from "../domain/mime.ts";
import { type Filename, type FilePath, parseFilename, parseFilePath } from "../domain/path.ts";
import { type Precondition, requirePrecondition } from "../domain/precondition.ts";
import { previewOf } from "../domain/preview.ts";
import type { Log } from "../log.ts";
import type { Access } from "./access.ts";
import type { FilePlace } from "./damaged-file.ts";
import type { Quota } from "./quota.ts";
import type { Tree } from "./tree.ts";
import type { UsageMeter } from "./usage.ts";

/** What an uploader says of a file, as sent. */
export interface UploadFields {
  readonly driveId: string;
  /** Undefined where the path alone says it. */
  readonly filename: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata: Metadata | undefined;
  readonly tags: readonly string[] | undefined;
  readonly expiresAt: string | null | undefined;
}

/** An upload's outcome: `created` is false where it replaced a file's content. */
export interface Uploaded {
  readonly file: File;
  readonly created: boolean;
}

/** What files are taken in with. */
export interface UploadParts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly access: Access;
  readonly quota: Quota;
  readonly tree: Tree;
  readonly clock: Clock;
  readonly usage: UsageMeter;
  readonly log: Log;
  /** Bytes. */
  readonly maxFileSize: number;
}

/** What one file is taken in with. */
interface OneUploadParts extends UploadParts {
  readonly caller: Caller;
  readonly writer: BlobWriter;
  /** The most bytes its drive, or its account, can ever hold; null without a limit. */
  readonly room: number | null;
}

/** Takes files in: content first, as it arrives, then what it is and where it goes. */
export class Uploads {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Starts an upload. Where the drive is known before the content, it is checked here.
   *
   * @throws CofferError NOT_FOUND, STORAGE_FULL, UNAVAILABLE
   */
  async begin(caller: Caller, driveId: string | null): Promise<Upload> {
    const { access, quota, blobs, tables } = this.#parts;
    const reference = driveId ?? (caller.kind === "drive" ? caller.driveId : null);
    const room =
      reference === null ? quota.limitFor(caller.plan) : quota.limitOf(access.drive(caller, reference));
    await tables.requireSpace();
    return new Upload({ ...this.#parts, caller, room, writer: await blobs.create() });
  }

  /** Starts on a content that is only to be compared with one that was uploaded before. */
  hashContent(): HashedContent {
    return new HashedContent(this.#parts);
  }
}

/** Takes a content that is not kept, in the place of an `Upload`. */
export class HashedContent {
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #maxFileSize: number;
  #received = 0;

  constructor(parts: Pick<UploadParts, "maxFileSize">) {
    this.#maxFileSize = parts.maxFileSize;
  }

  /** Takes the next piece. Throws PAYLOAD_TOO_LARGE, as an upload does. */
  async write(piece: Uint8Array): Promise<void> {
    this.#received += piece.length;
    requireFits(this.#received, { maxFileSize: this.#maxFileSize, room: null });
    this.#hash.update(piece);
  }

  /** The SHA-256 of the content, once it is complete. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}

/** One file on its way in. Ends with `finish` or `abort`; `abort` after either does nothing. */
export class Upload {
  readonly #parts: OneUploadParts;
  #received = 0;

  constructor(parts: OneUploadParts) {
    this.#parts = parts;
  }

  /**
   * Takes the next piece; its memory may be reused once the promise has resolved.
   *
   * @throws CofferError PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE
   */
  async write(piece: Uint8Array): Promise<void> {
    this.#received += piece.length;
    requireFits(this.#received, this.#parts);
    // What the reserve has just given up is not for contents.
    await this.#parts.tables.requireSpace();
    await this.#parts.writer.write(piece);
  }

  /**
   * Makes the content durable and files it. Fails as a whole: what it refuses leaves nothing behind.
   *
   * @throws CofferError VALIDATION_ERROR, UNAUTHORIZED, NOT_FOUND, CONFLICT, PRECONDITION_FAILED,
   *   QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE
   */
  async finish(
    fields: UploadFields,
    precondition: Precondition,
    within?: Within<Uploaded>,
  ): Promise<Uploaded> {
    const target = parseTarget(fields);
    const attributes = parseAttributes(fields, target.filename, this.#parts.clock.now());
    const drive = this.#parts.access.drive(this.#parts.caller, fields.driveId);
    const blob = await this.#parts.writer.commit();
    if (blob.healed !== null) this.#reportHealed({ driveId: drive.id, path: target.path }, blob.healed);
    try {
      const uploaded = await this.#parts.access.write(this.#parts.caller, within, () =>
        this.#file(fields.driveId, target.path, attributes, blob, precondition),
      );
      this.#parts.usage.countBytes(uploaded.file.driveId, blob.size);
      return uploaded;
    } finally {
      blob.unpin();
      await this.#forgetRefused(blob.digest);
    }
  }

  #reportHealed({ driveId, path }: FilePlace, damage: DamagedContent): void {
    this.#parts.log.warn("an upload has replaced a damaged content by a good one", {
      drive: driveId,
      path,
      damage: damage.message,
    });
  }

  /** Takes away a content that no row came to name; looked up and removed in one step, so that none can. */
  async #forgetRefused(digest: Digest): Promise<void> {
    const { blobs, store } = this.#parts.tables;
    // Where contents were adopted it may have matched one of those, which stay: the sweep can tell.
    if (store.straysKeptUntil() > 0 || !blobs.mayGo(digest)) return;
    await this.#parts.blobs.remove(digest);
  }

  /** Forgets the content. */
  async abort(): Promise<void> {
    await this.#parts.writer.abort();
  }

  /** Runs inside the write: the drive may have gone while the content arrived. */
  #file(
    driveId: string,
    path: FilePath,
    attributes: Attributes,
    blob: PinnedBlob,
    precondition: Precondition,
  ): Uploaded {
    const { tables, access, tree, clock } = this.#parts;
    const now = clock.now();
    const drive = access.drive(this.#parts.caller, driveId);
    const present = tree.occupant(drive, path, now);
    requirePrecondition(precondition, present?.digest ?? null);
    const blobPk = tables.blobs.ensure(blob.digest, blob.size, previewOf(blob.head));
    const body: FileBody = { ...attributes, blob: blobPk, size: blob.size };
    return present === null
      ? { file: tree.add(drive, path, body, now), created: true }
      : { file: tree.change(drive, present, body, now), created: false };
  }
}

type Attributes = Omit<FileBody, "blob" | "size">;

function parseTarget({ filename, path }: UploadFields): { filename: Filename; path: FilePath } {
  if (filename === undefined) {
    if (path === undefined || path.endsWith("/")) throw invalid("filename", "is required");
    const name = parseFilename("path", path.slice(path.lastIndexOf("/") + 1));
    return { filename: name, path: parseFilePath("path", path, name) };
  }
  const name = parseFilename("filename", filename);
  return {
    filename: name,
    path: path === undefined ? parseFilePath("filename", name, name) : parseFilePath("path", path, name),
  };
}

function parseAttributes(fields: UploadFields, filename: Filename, now: number): Attributes {
  const { contentType, metadata, tags, expiresAt } = fields;
  return {
    filename,
    mimeType: contentType === undefined ? mimeTypeOf(filename) : parseMediaType("content_type", contentType),
    mimeGiven: contentType !== undefined,
    tags: parseTags("tags", tags ?? []),
    metadata: parseMetadata("metadata", metadata ?? {}),
    expiresAt: parseExpiry("expires_at", expiresAt ?? null, now),
  };
}

function requireFits(
  received: number,
  limits: { readonly maxFileSize: number; readonly room: number | null },
): void {
  if (received > limits.maxFileSize) {
    throw new CofferError("PAYLOAD_TOO_LARGE", `A file has at most ${limits.maxFileSize} bytes.`);
  }
  // No file of this size can ever fit, so the rest of it need not arrive.
  if (limits.room !== null && received > limits.room) {
    throw new CofferError("QUOTA_EXCEEDED", `The storage limit is ${limits.room} bytes.`);
  }
}
