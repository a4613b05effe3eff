import { bodyOf, type FileBody } from "../../db/files/files.ts";
import type { Author } from "../../domain/changes/change.ts";
import type { Digest } from "../../domain/contents/content.ts";
import {
  type File,
  type FileRef,
  type Metadata,
  parseExpiry,
  parseMetadata,
  parseTags,
  requireFits,
  requireFuture,
} from "../../domain/files/file.ts";
import { invalid } from "../../domain/errors.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import { parseMediaType, UNKNOWN_TYPE } from "../../domain/contents/media-type.ts";
import { type Filename, type FilePath, parseFilename, parseFilePath } from "../../domain/files/path.ts";
import type { BlobWriter, PinnedBlob } from "../../blobs/blob-writer.ts";
import type { Within } from "../../db/engine/database.ts";
import type { BlobPk } from "../../domain/id.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import { requireMayExpire } from "../../domain/accounts/roles.ts";
import { previewOf } from "../../domain/contents/texts/text-encoding.ts";
import type { Reach } from "../access.ts";
import { Service } from "../service.ts";
import type { Parts } from "../parts.ts";
import type { BlobChecks, FilePlace } from "./blob-checks.ts";
import type { SlotHolder } from "../slots.ts";

/** A file's fields, as the uploader sent them. */
export interface UploadFields {
  readonly driveId: string;
  /** Undefined if only the path is given. */
  readonly filename?: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly expiresAt?: string | null | undefined;
  /** Whether the content was sent as text; then it is one, whatever the filename says of its type. */
  readonly isText?: boolean;
  /** Whether a replaced file keeps the tags, metadata, expiry and type that are not given; by default it loses them. */
  readonly keepsRest?: boolean;
  /** Why it is uploaded, if that came with the fields. */
  readonly message?: string | undefined;
}

/** What an upload says of a file, beside its content and place. */
type Attributes = Omit<FileBody, "blob" | "size">;

/** The filename and path that an upload is for. Throws VALIDATION_ERROR. */
export function parseTarget({ filename: sent, path }: Pick<UploadFields, "filename" | "path">) {
  if (sent === undefined && (path === undefined || path.endsWith("/")))
    throw invalid("filename", 'is required if path is left out or ends with "/"');
  const filename =
    sent === undefined
      ? parseFilename("path", (path ?? "").slice((path ?? "").lastIndexOf("/") + 1))
      : parseFilename("filename", sent);
  return {
    filename,
    path: parseFilePath(path === undefined ? "filename" : "path", path ?? filename, filename),
  };
}

/** The attributes that an upload gives, with defaults for the rest. Throws VALIDATION_ERROR. */
function parseAttributes(fields: UploadFields, filename: Filename, now: number): Attributes {
  const { metadata, tags, expiresAt } = fields;
  const named = mimeTypeOf(filename);
  const contentType =
    fields.contentType ?? (fields.isText === true && named === UNKNOWN_TYPE ? "text/plain" : undefined);
  return {
    filename,
    mimeType: contentType === undefined ? named : parseMediaType("content_type", contentType),
    mimeGiven: contentType !== undefined,
    tags: parseTags("tags", tags ?? []),
    metadata: parseMetadata("metadata", metadata ?? {}),
    expiresAt: parseExpiry("expires_at", expiresAt ?? null, now),
  };
}

/** The attributes of a file that an upload does not give. A type that follows the filename goes on following it. */
function notGiven(fields: UploadFields, { tags, metadata, expiresAt, mimeType, mimeGiven }: File) {
  return {
    ...(fields.tags === undefined ? { tags } : {}),
    ...(fields.metadata === undefined ? { metadata } : {}),
    ...(fields.expiresAt === undefined ? { expiresAt } : {}),
    ...(fields.contentType === undefined && mimeGiven ? { mimeType, mimeGiven } : {}),
  };
}

/** The result of an upload: `created` is false if it replaced a file's content. */
export interface Uploaded {
  readonly file: File;
  readonly created: boolean;
}

export type UploadParts = Pick<
  Parts,
  "tables" | "blobs" | "access" | "quota" | "tree" | "clock" | "usage" | "log"
> & {
  readonly blobChecks: BlobChecks;
  /** Bytes. */
  readonly maxFileSize: number;
};

export interface Uploader {
  readonly reach: Reach;
  readonly author: Author;
  /** Who may have only so many uploads under way. */
  readonly holder: SlotHolder;
  requireValid(): void;
  /** Runs a write if it may still happen: see `Access.write`. */
  write<T>(within: Within<T> | undefined, job: () => T): Promise<T>;
}

export interface OneUploadParts extends UploadParts {
  readonly uploader: Uploader;
  readonly writer: BlobWriter;
  /** Null if no client is waited for. */
  readonly arriving: (Disposable & { add(bytes: number): void }) | null;
  /** The most bytes that its drive or account can hold; null for no limit. Asked for when the content is long. */
  readonly room: () => number | null;
  readonly requireAllowed: () => void;
}

/** Shorter contents are here at once: the write checks whether there is room for them. In bytes. */
const ROOM_MATTERS = 64 * 1024;
/** How often it is asked whether an upload that is arriving may go on, in milliseconds. */
const CHECK_MS = 1000;

/** An upload of one file. Ends with `finish` or `abort`; `abort` after either does nothing. */
export class Upload extends Service<OneUploadParts> {
  #received = 0;
  #checkedAt = this.parts.clock.now();
  /** Whether the write found other bytes of a small blob, and put the right ones in their place. */
  #hasHealed = false;

  /** The memory may be reused later. Throws PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE. */
  async write(piece: Uint8Array): Promise<void> {
    this.#received += piece.length;
    const { room, maxFileSize } = this.parts;
    requireFits(this.#received, { maxFileSize, room: this.#received > ROOM_MATTERS ? room() : null });
    this.parts.arriving?.add(piece.length);
    // The space that the reserve has freed is not for contents.
    await this.parts.tables.requireWritable();
    await this.parts.writer.write(piece);
  }

  /** Throws what `finish` would for who may not write any more: what arrives takes up its owner's room. */
  requireAllowed(): void {
    const now = this.parts.clock.now();
    // Also if the clock was set back.
    if (Math.abs(now - this.#checkedAt) < CHECK_MS) return;
    this.#checkedAt = now;
    this.parts.requireAllowed();
  }

  /**
   * Makes the content durable and creates or replaces the file. If it throws, nothing is left. Throws VALIDATION_ERROR,
   * UNAUTHORIZED, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE.
   */
  async finish(fields: UploadFields, precondition: Precondition, within?: Within<Uploaded>) {
    const { filename, path } = parseTarget(fields);
    const attributes = parseAttributes(fields, filename, this.parts.clock.now());
    const drive = this.parts.access.driveToWrite(this.parts.uploader.reach, fields.driveId, path);
    const uploaded = await this.#store({ driveId: drive.id, path }, within, (blob) =>
      this.#file(fields, path, attributes, blob, precondition),
    );
    this.parts.usage.countBytes(uploaded.file.driveId, this.#received);
    return uploaded;
  }

  /** Like `finish`, but replaces only the content of a file, unless `check`, called inside the write, throws. */
  async replace(ref: FileRef, check: (file: File) => void, within?: Within<File>): Promise<File> {
    const { access, tree, clock, uploader } = this.parts;
    return this.#store(access.fileToWrite(uploader.reach, ref), within, (blob) => {
      const present = access.fileToWrite(uploader.reach, ref);
      check(present);
      const body = { ...bodyOf(present), blob: this.#keep(blob), size: blob.size };
      const stamp = { now: clock.now(), ...uploader.author };
      return tree.change(access.drive(uploader.reach, present.driveId), present, body, stamp);
    });
  }

  /** Makes the content durable, then names it in a write. If that fails, nothing is left. */
  async #store<T>(place: FilePlace, within: Within<T> | undefined, name: (blob: PinnedBlob) => T) {
    const blob = await this.parts.writer.commit();
    if (blob.healed !== null) this.#reportHealed(place, blob.healed.message);
    try {
      const named = await this.parts.uploader.write(within, () => {
        const result = name(blob);
        // From here on it counts as stored.
        this.parts.arriving?.[Symbol.dispose]();
        return result;
      });
      if (blob.isWritten) this.parts.blobChecks.note(blob.digest);
      if (this.#hasHealed) this.#reportHealed(place, "its bytes in the database were wrong");
      return named;
    } finally {
      blob.unpin();
      if (blob.bytes === null) await this.#forgetRefused(blob.digest);
    }
  }

  #reportHealed({ driveId, path }: FilePlace, damage: string): void {
    this.parts.log.warn("an upload has replaced a damaged content", { drive: driveId, path, damage });
  }

  /** Removes a blob that no row names: in one step with the check, so no row can appear between. */
  async #forgetRefused(digest: Digest): Promise<void> {
    const { blobs, store } = this.parts.tables;
    // With adopted contents this may be one of them, which must stay; the sweep can tell.
    if (store.straysKeptUntil() > 0 || !blobs.isRemovable(digest)) return;
    await this.parts.blobs.remove(digest);
  }

  async abort(): Promise<void> {
    await this.parts.writer.abort();
    this.parts.arriving?.[Symbol.dispose]();
  }

  #keep(blob: PinnedBlob): BlobPk {
    const { blobs, smallContents, damagedContents } = this.parts.tables;
    const blobPk = blobs.ensure(blob.digest, blob.size, previewOf(blob.head));
    this.#hasHealed = blob.bytes !== null && smallContents.put(blobPk, blob.bytes) === "healed";
    // A file that was only matched may have been found damaged since.
    if (blob.bytes !== null || blob.isWritten) damagedContents.remove(blob.digest);
    return blobPk;
  }

  /** Runs inside the write: the drive may have been deleted while the content arrived. */
  #file(
    fields: UploadFields,
    path: FilePath,
    attributes: Attributes,
    blob: PinnedBlob,
    precondition: Precondition,
  ): Uploaded {
    const { access, tree, clock, uploader } = this.parts;
    const { by, message: said } = uploader.author;
    const stamp = { now: clock.now(), by, message: fields.message ?? said ?? null };
    const drive = access.driveToWrite(uploader.reach, fields.driveId, path);
    // It may have passed since it was read.
    requireFuture("expires_at", attributes.expiresAt, stamp.now);
    const present = tree.occupant(drive, path, stamp);
    requirePrecondition(precondition, present);
    const body: FileBody = { ...attributes, blob: this.#keep(blob), size: blob.size };
    if (present === null) return { file: tree.add(drive, path, body, stamp), created: true };
    const changed = fields.keepsRest === true ? { ...body, ...notGiven(fields, present) } : body;
    requireMayExpire(drive.role, present.expiresAt, changed.expiresAt);
    return { file: tree.change(drive, present, changed, stamp), created: false };
  }
}
