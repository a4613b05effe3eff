import { bodyOf, type FileBody } from "../../db/files/files.ts";
import type { Author, Stamp } from "../../domain/changes/change.ts";
import type { Digest } from "../../domain/contents/content.ts";
import { type File, type FileRef, requireFits, requireFuture } from "../../domain/files/file.ts";
import { type FilePath, lastSegment } from "../../domain/files/path.ts";
import type { BlobWriter, PinnedBlob } from "../../blobs/blob-writer.ts";
import type { Within } from "../../db/engine/database.ts";
import type { NamedContent } from "../../db/contents/blobs.ts";
import type { DriveId } from "../../domain/id.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import { requireMayExpire } from "../../domain/accounts/roles.ts";
import { previewOf } from "../../domain/contents/texts/text-encoding.ts";
import type { Reach } from "../access.ts";
import { Service } from "../service.ts";
import type { Parts } from "../parts.ts";
import type { BlobChecks, FilePlace } from "./blob-checks.ts";
import {
  type Attributes,
  notGiven,
  parseAttributes,
  parseTarget,
  type UploadFields,
} from "./upload-fields.ts";
import type { SlotHolder } from "../slots.ts";

/** The result of an upload: `created` is false if it replaced a file's content. */
export interface Uploaded {
  readonly file: File;
  readonly created: boolean;
}

/** A file whose content is durable, and which is not there yet. */
export interface StagedFile {
  readonly path: FilePath;
  /** Bytes. */
  readonly size: number;
  /** Creates or replaces the file. Inside a write. Throws as `Upload.finish`. @param path another place for it */
  readonly put: (stamp: Stamp, precondition: Precondition, path?: FilePath) => Uploaded;
  /** Call it once that write has ended, or there will be none. */
  readonly end: (isPut: boolean) => Promise<void>;
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

  /** How many bytes have come. */
  get received(): number {
    return this.#received;
  }

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
    const named = this.#named(fields);
    const uploaded = await this.#store(named.place, within, (blob) => {
      const { clock, uploader } = this.parts;
      const { by, message: said } = uploader.author;
      const stamp = { now: clock.now(), by, message: fields.message ?? said ?? null };
      return named.put(blob, stamp, precondition);
    });
    this.#countReceived(uploaded.file.driveId);
    return uploaded;
  }

  /** The first half of `finish`: makes the content durable. Throws what is wrong with the fields, and as `write`. */
  async stage(fields: UploadFields): Promise<StagedFile> {
    const { place, put } = this.#named(fields);
    const blob = await this.#land(place);
    return {
      path: place.path,
      size: blob.size,
      put: (stamp, precondition, path) => put(blob, stamp, precondition, path),
      end: async (isPut) => {
        if (isPut) this.#countReceived(place.driveId);
        await this.#end(place, blob, isPut);
      },
    };
  }

  #countReceived(drive: DriveId): void {
    const { usage, uploader } = this.parts;
    usage.countReceived(uploader.holder.caller ?? null, drive, this.#received);
  }

  /** Where the file goes, and what puts it there inside a write. Throws VALIDATION_ERROR, NOT_FOUND, FORBIDDEN. */
  #named(fields: UploadFields) {
    const { filename, path } = parseTarget(fields);
    const attributes = parseAttributes(fields, filename, this.parts.clock.now());
    const drive = this.parts.access.driveToWrite(this.parts.uploader.reach, fields.driveId, path);
    const put = (blob: PinnedBlob, stamp: Stamp, precondition: Precondition, to: FilePath = path) => {
      const named = to === path ? attributes : { ...attributes, filename: lastSegment(to) };
      return this.#file(fields, to, named, blob, precondition, stamp);
    };
    return { place: { driveId: drive.id, path }, put };
  }

  /** Like `finish`, but replaces only the content of a file, unless `check`, called inside the write, throws. */
  async replace(ref: FileRef, check: (file: File) => void, within?: Within<File>): Promise<File> {
    const { access, tree, clock, uploader } = this.parts;
    return this.#store(access.fileToWrite(uploader.reach, ref), within, (blob) => {
      const present = access.fileToWrite(uploader.reach, ref);
      check(present);
      const body = { ...bodyOf(present), blob: this.#keep(blob).pk, size: blob.size };
      const stamp = { now: clock.now(), ...uploader.author };
      return tree.change(access.drive(uploader.reach, present.driveId), present, body, stamp);
    });
  }

  /** Makes the content durable, then names it in a write. If that fails, nothing is left. */
  async #store<T>(place: FilePlace, within: Within<T> | undefined, name: (blob: PinnedBlob) => T) {
    const blob = await this.#land(place);
    let isNamed = false;
    try {
      const named = await this.parts.uploader.write(within, () => {
        const result = name(blob);
        // From here on it counts as stored.
        this.parts.arriving?.[Symbol.dispose]();
        return result;
      });
      isNamed = true;
      return named;
    } finally {
      await this.#end(place, blob, isNamed);
    }
  }

  async #land(place: FilePlace): Promise<PinnedBlob> {
    const blob = await this.parts.writer.commit();
    if (blob.healed !== null) this.#reportHealed(place, blob.healed.message);
    return blob;
  }

  /** After the write that names a blob, or once it is known that none will. */
  async #end(place: FilePlace, blob: PinnedBlob, isNamed: boolean): Promise<void> {
    if (isNamed && blob.isWritten) this.parts.blobChecks.note(blob.digest);
    if (isNamed && this.#hasHealed) this.#reportHealed(place, "its bytes in the database were wrong");
    blob.unpin();
    // What was there before may be of a newer database than this one: the sweep leaves it for a while.
    if (blob.isWritten) await this.#forgetRefused(blob.digest);
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

  #keep(blob: PinnedBlob): NamedContent {
    const { blobs, smallContents, damagedContents } = this.parts.tables;
    const stored = blobs.ensure(blob.digest, blob.size, previewOf(blob.head));
    this.#hasHealed = blob.bytes !== null && smallContents.put(stored.pk, blob.bytes) === "healed";
    // A file that was only matched may have been found damaged since.
    if (blob.bytes !== null || blob.isWritten) damagedContents.remove(blob.digest);
    return stored;
  }

  /** Runs inside the write: the drive may have been deleted while the content arrived. */
  #file(
    fields: UploadFields,
    path: FilePath,
    attributes: Attributes,
    blob: PinnedBlob,
    precondition: Precondition,
    stamp: Stamp,
  ): Uploaded {
    const { access, tree, uploader } = this.parts;
    const drive = access.driveToWrite(uploader.reach, fields.driveId, path);
    // It may have passed since it was read.
    requireFuture("expires_at", attributes.expiresAt, stamp.now);
    const present = tree.occupant(drive, path, stamp);
    requirePrecondition(precondition, present);
    const { pk, digest, preview } = this.#keep(blob);
    const body: FileBody = { ...attributes, blob: pk, size: blob.size };
    if (present === null)
      return { file: tree.add(drive, path, { ...body, digest, preview }, stamp), created: true };
    const changed = fields.keepsRest === true ? { ...body, ...notGiven(fields, present) } : body;
    requireMayExpire(drive.role, present.expiresAt, changed.expiresAt);
    return { file: tree.change(drive, present, changed, stamp), created: false };
  }
}
