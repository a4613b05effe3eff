import { type Releaser, releaserOf } from "../../db/contents/blobs.ts";
import { authorOf } from "../../domain/changes/change.ts";
import { CofferError } from "../../domain/errors.ts";
import { UPLOAD_LIMITS } from "../../domain/limits.ts";
import type { FilePath } from "../../domain/files/path.ts";
import { type SlotHolder, Slots } from "../slots.ts";
import { Service } from "../service.ts";
import { bucketOf, type Caller, isUnclaimed } from "../../domain/accounts/caller.ts";
import { requireFits } from "../../domain/files/file.ts";
import { once } from "../../domain/once.ts";
import { type OneUploadParts, Upload, type Uploader, type UploadParts } from "./upload.ts";

export interface AnnouncedBytes {
  readonly client: string;
  /** How many bytes it has; null if the client has not said. */
  readonly bytes: number | null;
}

interface Announced extends AnnouncedBytes {
  /** The path of its file; null if it is not known yet. */
  readonly path: FilePath | null;
}

interface Arrival extends AnnouncedBytes {
  readonly holder: SlotHolder;
  /** Whose storage limit it counts against. */
  readonly owner: Releaser;
  /** See `Quota.roomToArrive`. */
  readonly room: number | null;
}

/**
 * An upload that is arriving. It counts before it is stored: it is on the disk, for as long as its client takes.
 * Announced bytes count from the start. Dispose of it once it is stored or dropped; doing so again does nothing.
 */
class ArrivingUpload implements Disposable {
  readonly #parts;
  readonly #key: string;
  readonly #slot: Disposable;
  #counted = 0;
  #received = 0;
  #isOver = false;

  /** Throws RATE_LIMITED, QUOTA_EXCEEDED. */
  constructor(parts: { arrival: Arrival; slots: Slots; all: Map<string, number> }) {
    const { owner, bytes, holder, client } = parts.arrival;
    this.#parts = parts;
    this.#key = `${owner.kind} ${owner.pk}`;
    this.#slot = parts.slots.take(holder, client);
    try {
      this.#count(bytes ?? 0);
    } catch (error) {
      this.#slot[Symbol.dispose]();
      throw error;
    }
  }

  /** Adds bytes that have arrived. Throws QUOTA_EXCEEDED. */
  add(bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#counted) this.#count(this.#received - this.#counted);
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#slot[Symbol.dispose]();
    const left = (this.#parts.all.get(this.#key) ?? 0) - this.#counted;
    if (left > 0) this.#parts.all.set(this.#key, left);
    else this.#parts.all.delete(this.#key);
  }

  #count(bytes: number): void {
    if (this.#isOver) return;
    const all = (this.#parts.all.get(this.#key) ?? 0) + bytes;
    const { room } = this.#parts.arrival;
    if (room !== null && all > room) {
      const others = all - bytes - this.#counted;
      throw new CofferError(
        "QUOTA_EXCEEDED",
        others > 0
          ? `There is no room for this content beside what is stored and the ${others} bytes of other uploads that are arriving. Try again when they are done, or delete files first.`
          : "There is no room for this content beside what is stored: delete files first.",
      );
    }
    this.#counted += bytes;
    this.#parts.all.set(this.#key, all);
  }
}

export class Uploads extends Service<UploadParts> {
  /** What is under way, and the bytes of it, by whose they are. */
  readonly #arriving = {
    slots: new Slots({ limits: UPLOAD_LIMITS, noun: "uploads" }),
    all: new Map<string, number>(),
  };

  /**
   * Starts an upload; `announced` is null if the content is here already, so that all is checked at its end. Throws
   * NOT_FOUND, RATE_LIMITED, QUOTA_EXCEEDED, STORAGE_FULL, UNAVAILABLE.
   */
  async begin(caller: Caller, driveId: string | null, announced: Announced | null = null): Promise<Upload> {
    const { maxFileSize } = this.parts;
    const uploader = this.#uploaderFor(caller);
    if (driveId !== null) return this.beginFor(uploader, driveId, maxFileSize, announced);
    if (caller.kind === "drive") return this.beginFor(uploader, caller.driveId, maxFileSize, announced);
    const room = once(() => this.#mostRoom(caller));
    const owner: Releaser = { kind: "user", pk: caller.userPk };
    const arriving = announced && this.#arrive({ ...announced, ...uploader, owner, room: room() });
    const requireAllowed = () => uploader.requireValid();
    return this.#begin({ uploader, room, arriving, requireAllowed }, maxFileSize, announced?.bytes);
  }

  /** Starts uploads of many files into a drive, which arrive together. Dispose of it at their end. Throws like `begin`. */
  async beginMany(caller: Caller, driveId: string, announced: AnnouncedBytes | null, fileBytes: number) {
    const { access, quota, clock } = this.parts;
    const uploader = this.#uploaderFor(caller);
    const drive = access.driveToWrite(caller, driveId, null);
    await this.parts.tables.requireWritable();
    const room = quota.roomToArrive(drive, null, clock.now());
    const arriving = announced && this.#arrive({ ...announced, ...uploader, owner: releaserOf(drive), room });
    const requireAllowed = () => {
      uploader.requireValid();
      access.driveToWrite(caller, driveId, null);
    };
    // One of them ends for itself; what has arrived counts until all do.
    const part = arriving && { add: (bytes: number) => arriving.add(bytes), [Symbol.dispose]() {} };
    const one = { uploader, room: () => quota.limitOf(drive), arriving: part, requireAllowed };
    return {
      requireAllowed,
      /** Starts one of them. */
      open: () => this.#begin(one, Math.min(fileBytes, this.parts.maxFileSize)),
      [Symbol.dispose]: () => arriving?.[Symbol.dispose](),
    };
  }

  #uploaderFor(caller: Caller): Uploader {
    const { access } = this.parts;
    return {
      reach: caller,
      author: authorOf(caller),
      holder: { owner: bucketOf(caller), isUnclaimed: isUnclaimed(caller), caller },
      requireValid: () => access.requireValid(caller),
      write: (within, job) => access.write(caller, within, job),
    };
  }

  /** The most that any drive can hold that the caller sees; null for no limit. */
  #mostRoom(caller: Caller): number | null {
    const { access, quota } = this.parts;
    const limits = [quota.limitFor(caller.plan), ...access.drives(caller).map((each) => quota.limitOf(each))];
    return limits.reduce((most, limit) => (most === null || limit === null ? null : Math.max(most, limit)));
  }

  /** Starts an upload into a drive. Throws like `begin`. @param maxFileSize bytes */
  async beginFor(uploader: Uploader, driveId: string, maxFileSize: number, announced: Announced | null) {
    const { access, quota, clock } = this.parts;
    const path = announced?.path ?? null;
    const drive = once(() => access.driveToWrite(uploader.reach, driveId, path));
    const arriving =
      announced &&
      this.#arrive({
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
    return this.#begin({ uploader, room, arriving, requireAllowed }, maxFileSize, announced?.bytes);
  }

  #arrive(arrival: Arrival): ArrivingUpload {
    return new ArrivingUpload({ ...this.#arriving, arrival });
  }

  async #begin(
    one: Omit<OneUploadParts, keyof UploadParts | "writer">,
    limit: number,
    bytes: number | null = 0,
  ) {
    try {
      await this.parts.tables.requireWritable();
      const writer = await this.parts.blobs.create(bytes ?? 0);
      return new Upload({ ...this.parts, ...one, maxFileSize: limit, writer });
    } catch (error) {
      one.arriving?.[Symbol.dispose]();
      throw error;
    }
  }

  /** Reads the pieces of the content only to compare it with an earlier upload: `digest` is its SHA-256 at the end. */
  hashContent() {
    const { maxFileSize } = this.parts;
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
