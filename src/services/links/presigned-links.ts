import type { Clock } from "../../process/clock.ts";
import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import { hashSecret, newLinkToken } from "../../domain/accounts/api-key.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { notFound } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import type { FileRef } from "../../domain/files/file-ref.ts";
import { newId, type LinkId } from "../../domain/id.ts";
import { type CreatedLink, makerOf, requireUsable } from "../../domain/links/link.ts";
import type { Access } from "../access.ts";
import type { LinkUses } from "./link-uses.ts";
import type { Quota } from "../quota.ts";

export interface LinkRequest {
  /** Seconds. */
  readonly expiresIn: number;
  readonly oneTime: boolean;
}

export interface LinkedFile {
  readonly id: LinkId;
  readonly file: File;
  readonly oneTime: boolean;
}

/**
 * Links that open a file without a key. A link can access what its creator can: it stops working when the creator's
 * key is revoked or expires, and when the file is deleted or moved out of the creator's reach.
 */
export class PresignedLinks {
  readonly #parts;
  readonly #uses: LinkUses;

  constructor(parts: { tables: Tables; access: Access; quota: Quota; linkUses: LinkUses; clock: Clock }) {
    this.#parts = parts;
    this.#uses = parts.linkUses;
  }

  /** Throws NOT_FOUND for a file that the caller may not see, and QUOTA_EXCEEDED. */
  create(
    caller: Caller,
    ref: FileRef,
    { expiresIn, oneTime }: LinkRequest,
    within?: Within<CreatedLink>,
  ): Promise<CreatedLink> {
    const { secret, hash } = newLinkToken();
    return this.#parts.access.write(caller, within, () => {
      const now = this.#parts.clock.now();
      const file = this.#parts.access.fileToWrite(caller, ref);
      const expiresAt = now + expiresIn * 1000;
      const id = newId<LinkId>(now);
      this.#parts.tables.presignedLinks.insert({
        id,
        hash,
        file: file.id,
        drive: file.driveId,
        maker: makerOf(caller),
        oneTime,
        expiresAt,
        createdAt: now,
      });
      this.#parts.quota.requireRecordRoom(this.#parts.access.drive(caller, file.driveId));
      return { id, token: secret, expiresAt };
    });
  }

  /** The file of a link. Throws NOT_FOUND, also if the file is gone, and GONE for a used or expired link. */
  open(token: string): LinkedFile {
    const now = this.#parts.clock.now();
    const link = this.#parts.tables.presignedLinks.byHash(hashSecret(token));
    const maker = link === null ? null : this.#parts.access.reachOf(link);
    const file =
      link === null || maker === null ? null : this.#parts.access.findFile(maker, { id: link.fileId });
    if (link === null || file === null) throw notFound("link");
    requireUsable(link, now);
    return { id: link.id, file, oneTime: link.oneTime };
  }

  /** Whether what a link has begun to send may go on: it may be over since, and used up. */
  mayGoOn(token: string): boolean {
    const link = this.#parts.tables.presignedLinks.byHash(hashSecret(token));
    const maker = link === null ? null : this.#parts.access.reachOf(link);
    return (
      link !== null && maker !== null && this.#parts.access.findFile(maker, { id: link.fileId }) !== null
    );
  }

  /** Counts a use of a link that may be used again. */
  countUse({ id }: LinkedFile): void {
    this.#uses.note(id, this.#parts.clock.now());
  }

  /** Marks a one-time link as used. Of several calls at once, one succeeds. Throws like `open`. */
  async useUp(token: string): Promise<void> {
    await this.#parts.tables.writeFromReserve(() => {
      this.open(token);
      this.#parts.tables.presignedLinks.markUsed(hashSecret(token), this.#parts.clock.now());
    });
  }
}
