import { type Releaser, releaserOf } from "../../db/contents/blobs.ts";
import { actorOf } from "../../domain/changes/change.ts";
import { bucketOf, type Caller, isUnclaimed } from "../../domain/accounts/caller.ts";
import { requireFits } from "../../domain/files/file.ts";
import { once } from "../../domain/once.ts";
import { type Announced, ArrivingUploads } from "./arriving.ts";
import { type OneUploadParts, Upload, type Uploader, type UploadParts } from "./upload.ts";

/** Uploads: first the content, as it arrives, then its fields and path. */
export class Uploads {
  readonly #parts: UploadParts;
  readonly #arriving = new ArrivingUploads();

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Starts an upload. What is known before the content is checked here, if that is waited for.
   *
   * @param announced null if the content is here already: then all is checked at its end
   * @throws CofferError NOT_FOUND, RATE_LIMITED, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE
   */
  async begin(caller: Caller, driveId: string | null, announced: Announced | null = null): Promise<Upload> {
    const { access, maxFileSize } = this.#parts;
    const uploader: Uploader = {
      reach: caller,
      by: actorOf(caller),
      holder: { owner: bucketOf(caller), isUnclaimed: isUnclaimed(caller) },
      requireValid: () => access.requireValid(caller),
      write: (within, job) => access.write(caller, within, job),
    };
    if (driveId !== null) return this.beginFor(uploader, driveId, maxFileSize, announced);
    if (caller.kind === "drive") return this.beginFor(uploader, caller.driveId, maxFileSize, announced);
    const room = once(() => this.#mostRoom(caller));
    const owner: Releaser = { kind: "user", pk: caller.userPk };
    const arriving = announced && this.#arriving.begin({ ...announced, ...uploader, owner, room: room() });
    const requireAllowed = () => uploader.requireValid();
    return this.#begin({ uploader, room, maxFileSize, arriving, requireAllowed }, announced);
  }

  /** The most that any drive can hold that the caller sees; null for no limit. */
  #mostRoom(caller: Caller): number | null {
    const { access, quota } = this.#parts;
    const limits = [quota.limitFor(caller.plan), ...access.drives(caller).map((each) => quota.limitOf(each))];
    return limits.reduce((most, limit) => (most === null || limit === null ? null : Math.max(most, limit)));
  }

  /** Starts an upload into a drive. Throws like `begin`. @param maxFileSize bytes */
  async beginFor(
    uploader: Uploader,
    driveId: string,
    maxFileSize: number,
    announced: Announced | null,
  ): Promise<Upload> {
    const { access, quota, clock } = this.#parts;
    const path = announced?.path ?? null;
    const drive = once(() => access.driveToWrite(uploader.reach, driveId, path));
    const arriving =
      announced &&
      this.#arriving.begin({
        ...announced,
        ...uploader,
        owner: releaserOf(drive()),
        room: quota.roomToArrive(drive(), path, clock.now()),
      });
    const requireAllowed = () => {
      uploader.requireValid();
      access.driveToWrite(uploader.reach, driveId, path);
    };
    const room = once(() => quota.limitOf(drive()));
    return this.#begin({ uploader, room, maxFileSize, arriving, requireAllowed }, announced);
  }

  async #begin(
    one: Pick<OneUploadParts, "uploader" | "room" | "maxFileSize" | "arriving" | "requireAllowed">,
    announced: Announced | null,
  ): Promise<Upload> {
    try {
      await this.#parts.tables.requireWritable();
      const writer = await this.#parts.blobs.create(announced?.bytes ?? 0);
      return new Upload({ ...this.#parts, ...one, writer });
    } catch (error) {
      one.arriving?.[Symbol.dispose]();
      throw error;
    }
  }

  /** Reads the pieces of the content only to compare it with an earlier upload: `digest` is its SHA-256 at the end. */
  hashContent() {
    const { maxFileSize } = this.#parts;
    const hash = new Bun.CryptoHasher("sha256");
    let received = 0;
    return {
      /** Throws PAYLOAD_TOO_LARGE, as an upload does. */
      write: async (piece: Uint8Array) => {
        received += piece.length;
        requireFits(received, { maxFileSize, room: null });
        hash.update(piece);
      },
      digest: () => hash.digest("hex"),
    };
  }
}
