import type { Clock } from "../../process/clock.ts";
import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import type { UploadLink } from "../../db/links/upload-links.ts";
import { hashSecret, newUploadToken } from "../../domain/accounts/api-key.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { notFound } from "../../domain/errors.ts";
import { requireFits } from "../../domain/files/file.ts";
import { newId, type LinkId } from "../../domain/id.ts";
import { LINK_SECONDS } from "../../domain/limits.ts";
import { type CreatedLink, makerOf, requireUsable } from "../../domain/links/link.ts";
import { parsePathOfFile } from "../../domain/files/path.ts";
import type { Access, Reach } from "../access.ts";
import type { Quota } from "../quota.ts";
import type { AnnouncedBytes } from "../contents/arriving.ts";
import type { Upload, Uploader } from "../contents/upload.ts";
import type { Uploads } from "../contents/uploads.ts";

export interface UploadLinkRequest {
  /** An id or a slug. */
  readonly drive: string;
  /** Of the file. */
  readonly path: string;
  /** The most bytes of the content; undefined for no limit of its own. */
  readonly maxSize?: number | undefined;
  /** Seconds. */
  readonly expiresIn?: number | undefined;
}

/** An upload that a link has begun. */
export interface LinkedUpload {
  readonly upload: Upload;
  readonly driveId: string;
  readonly path: string;
  /** The most bytes of the content. */
  readonly limit: number;
}

/**
 * Links that take one upload without a key. A link can write what its creator can at that moment: it stops working when
 * the creator's key is revoked, and when the drive is deleted or leaves the creator's reach.
 */
export class UploadLinks {
  readonly #parts;

  constructor(parts: {
    tables: Tables;
    access: Access;
    quota: Quota;
    clock: Clock;
    uploads: Uploads;
    maxFileSize: number;
  }) {
    this.#parts = parts;
  }

  /** Throws NOT_FOUND for the drive, VALIDATION_ERROR for the path, QUOTA_EXCEEDED. */
  create(caller: Caller, wanted: UploadLinkRequest, within?: Within<CreatedLink>): Promise<CreatedLink> {
    const path = parsePathOfFile("path", wanted.path);
    const { secret, hash } = newUploadToken();
    return this.#parts.access.write(caller, within, () => {
      const now = this.#parts.clock.now();
      const drive = this.#parts.access.driveToWrite(caller, wanted.drive, path);
      const expiresAt = now + (wanted.expiresIn ?? LINK_SECONDS.default) * 1000;
      const id = newId<LinkId>(now);
      this.#parts.tables.uploadLinks.insert({
        id,
        hash,
        drive: drive.id,
        path,
        maxSize: wanted.maxSize ?? null,
        maker: makerOf(caller),
        expiresAt,
        createdAt: now,
      });
      this.#parts.quota.requireRecordRoom(drive);
      return { id, token: secret, expiresAt };
    });
  }

  /**
   * Starts the upload of a link. The link is used up in the same transaction that stores the file, and only then: of
   * several uploads at once, one succeeds.
   *
   * @throws CofferError NOT_FOUND, GONE, PAYLOAD_TOO_LARGE, RATE_LIMITED, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE;
   *   `Upload.write` and `Upload.finish` throw NOT_FOUND and GONE as well
   */
  async begin(token: string, sent: AnnouncedBytes | null = null): Promise<LinkedUpload> {
    const { link, reach } = this.#open(token);
    const limit = Math.min(this.#parts.maxFileSize, link.maxSize ?? this.#parts.maxFileSize);
    const uploader: Uploader = {
      reach,
      by: { kind: "link", id: link.id },
      holder: { owner: link.id, isUnclaimed: true },
      requireValid: () => void this.#open(token),
      write: <T>(within: Within<T> | undefined, job: () => T) =>
        this.#parts.tables.write(() => this.#use(token, job), within),
    };
    requireFits(sent?.bytes ?? 0, { maxFileSize: limit, room: null });
    const announced = sent && { ...sent, path: parsePathOfFile("path", link.path) };
    const upload = await this.#parts.uploads.beginFor(uploader, link.drive, limit, announced);
    return { upload, driveId: link.drive, path: link.path, limit };
  }

  /** Does the work of a link inside a write, and marks it as used. */
  #use<T>(token: string, job: () => T): T {
    this.#open(token);
    const result = job();
    this.#parts.tables.uploadLinks.markUsed(hashSecret(token), this.#parts.clock.now());
    return result;
  }

  /** A link, and what its creator may write. Throws NOT_FOUND, also if the drive is gone, and GONE. */
  #open(token: string): { link: UploadLink; reach: Reach } {
    const now = this.#parts.clock.now();
    const link = this.#parts.tables.uploadLinks.byHash(hashSecret(token));
    const reach = link === null ? null : this.#parts.access.reachOf(link);
    if (link === null || reach === null || !this.#parts.access.canWrite(reach, link.drive, link.path))
      throw notFound("link");
    requireUsable(link, now);
    return { link, reach };
  }
}
