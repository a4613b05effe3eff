import type { Within } from "../../db/engine/database.ts";
import { hashSecret } from "../../domain/accounts/api-key.ts";
import { stampOf } from "../../domain/changes/change.ts";
import type { Caller, SessionCaller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, invalid, notFound, present } from "../../domain/errors.ts";
import { type FileRef, parseExpiry } from "../../domain/files/file.ts";
import { type LinkId, newId, parseId } from "../../domain/id.ts";
import { LINK_PASSWORD_CHARACTERS, LINK_SECONDS, SHARE_LINK_DAYS } from "../../domain/limits.ts";
import type { Link, LinkKind, LinkOf, LinkTarget, NewLink } from "../../domain/links/link.ts";
import { isMadeBy, isOf, LONGEST_SHARE_MS, makerOf, newLinkToken, SHOWING } from "../../domain/links/link.ts";
import { asFolderPath, isFolderPath, parsePathOfFile, parsePlace } from "../../domain/files/path.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Reach } from "../access.ts";
import { seal, unseal } from "../../domain/sealing.ts";
import { Service } from "../service.ts";
import type { Passwords } from "../accounts/passwords.ts";
import type { Parts } from "../parts.ts";

/** What links that download or upload are asked with. */
interface Asked {
  /** Seconds. */
  readonly expiresIn?: number | undefined;
}

interface Wanted {
  /** An id or slug. */
  readonly drive: string;
  readonly path: string;
}

interface UploadLinkRequest extends Asked, Wanted {
  /** The most bytes of the content; undefined for no limit of its own. */
  readonly maxSize?: number | undefined;
}

/** A request for a link that shows something, as sent. */
interface ShareRequest extends Wanted {
  readonly password?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** A link with what opens it. */
export interface CreatedLink {
  readonly link: Link;
  readonly token: string;
}

export interface FoundLink<K extends LinkKind> {
  readonly link: LinkOf<K>;
  readonly reach: Reach;
}

const NOT_KEPT =
  "The address of this link was not kept: it was made by an earlier version, or the server's secret is another one. Revoke it and make a new one.";

type Made = LinkTarget & Pick<NewLink, "expiresAt" | "passwordHash" | "maxSize" | "oneTime">;

/** Links of all kinds. One can do what its creator can at that moment: it stops with the creator's key and reach. */
export class Links extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "quota" | "changes" | "clock"> & {
    linkPasswords: Passwords;
    linkKey: () => Uint8Array;
  }
> {
  /** A link that downloads a file. Throws NOT_FOUND for one that the caller may not see, and QUOTA_EXCEEDED. */
  createPresigned(
    caller: Caller,
    ref: FileRef,
    { expiresIn, oneTime = false }: Asked & { oneTime?: boolean | undefined },
    within?: Within<CreatedLink>,
  ): Promise<CreatedLink> {
    return this.#create(caller, within, (now) => {
      const { id: fileId, driveId, path } = this.parts.access.fileToWrite(caller, ref);
      const drive = this.parts.access.drive(caller, driveId);
      return { drive, made: { kind: "presigned", fileId, path, oneTime, expiresAt: endOf(now, expiresIn) } };
    });
  }

  /** A link that takes one upload. Throws NOT_FOUND for the drive, VALIDATION_ERROR for the path, QUOTA_EXCEEDED. */
  createUpload(caller: Caller, wanted: UploadLinkRequest, within?: Within<CreatedLink>) {
    const path = parsePathOfFile("path", wanted.path);
    const { maxSize = null, expiresIn } = wanted;
    return this.#create(caller, within, (now) => {
      const drive = this.parts.access.driveToWrite(caller, wanted.drive, path);
      const expiresAt = endOf(now, expiresIn);
      return { drive, made: { kind: "upload", fileId: null, path, maxSize, expiresAt } };
    });
  }

  /** A link that shows a file or a folder. Throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED. */
  async createShare(caller: Caller, wanted: ShareRequest, within?: Within<CreatedLink>) {
    const expiresAt = this.#expiry(wanted.expiresAt);
    // First: hashing takes long, so nobody should have it done in vain.
    this.#shown(caller, wanted);
    const { password } = wanted;
    const hash = (given: string) => this.parts.linkPasswords.hash(given, LINK_PASSWORD_CHARACTERS);
    const passwordHash = password === undefined ? null : await hash(password);
    return this.#create(caller, within, () => {
      const { drive, target } = this.#shown(caller, wanted);
      return { drive, made: { ...target, passwordHash, expiresAt } };
    });
  }

  /** The link with this token, if it is of one of these kinds and its creator may still do something; else null. */
  find<K extends LinkKind>(token: string, ...kinds: K[]): FoundLink<K> | null {
    const link = this.parts.tables.links.byHash(hashSecret(token));
    if (link === null || !isOf(link, kinds)) return null;
    const reach = this.parts.access.reachOf(link);
    return reach && { link, reach };
  }

  /**
   * A link with its token, for a person who may revoke it: what a key could learn here would outlive the key. Throws
   * NOT_FOUND, also if the token was not kept.
   */
  opened(caller: SessionCaller, reference: string): CreatedLink {
    const { link } = this.#managed(caller, reference);
    const token = link.sealedToken === null ? null : this.#unsealed(link.sealedToken);
    if (token === null) throw new CofferError("NOT_FOUND", NOT_KEPT);
    return { link, token };
  }

  /** Ends a link at once. Throws NOT_FOUND for one that the caller may not see. */
  revoke(caller: Caller, reference: string, within?: Within<LinkId>): Promise<LinkId> {
    const { access, tables } = this.parts;
    return access.writeFromReserve(caller, within, () => {
      const { link, drive } = this.#managed(caller, reference);
      tables.links.remove(link.id);
      this.#record("link.revoked", caller, drive, link);
      return link.id;
    });
  }

  /** A link that the caller made, or of a drive that it manages. Throws NOT_FOUND. */
  #managed(caller: Caller, reference: string): { readonly link: Link; readonly drive: Drive } {
    const id = parseId<LinkId>(reference);
    const link = id === null ? null : this.parts.tables.links.byId(id);
    const drive = link === null ? null : this.parts.access.findDrive(caller, link.driveId);
    if (link === null || drive === null) throw notFound("link");
    if (drive.role !== "owner" && !isMadeBy(link, caller)) throw notFound("link");
    return { link, drive };
  }

  /** Null if the server's own secret is another one by now. */
  #unsealed(sealed: Uint8Array): string | null {
    try {
      return new TextDecoder().decode(unseal(this.parts.linkKey(), sealed));
    } catch {
      return null;
    }
  }

  #create(
    caller: Caller,
    within: Within<CreatedLink> | undefined,
    leadTo: (now: number) => { readonly drive: Drive; readonly made: Made },
  ): Promise<CreatedLink> {
    const { access, tables, clock, quota } = this.parts;
    return access.write(caller, within, () => {
      const now = clock.now();
      const { drive, made } = leadTo(now);
      const { secret, hash } = newLinkToken(made.kind);
      const id = newId<LinkId>(now);
      const sealedToken = seal(this.parts.linkKey(), new TextEncoder().encode(secret));
      const facts = { id, hash, driveId: drive.id, createdAt: now, sealedToken };
      tables.links.insert({ ...made, ...makerOf(caller), ...facts });
      const link = present(tables.links.byId(id), "a new link");
      this.#record("link.created", caller, drive, link);
      quota.requireRecordRoom(drive);
      return { link, token: secret };
    });
  }

  /** Tells the feed and the audit log of a link that shows something. The others work for a day at most, and programs make many. */
  #record(type: "link.created" | "link.revoked", caller: Caller, drive: Drive, link: Link): void {
    if (!isOf(link, SHOWING)) return;
    const stamp = stampOf(caller, this.parts.clock.now());
    this.parts.changes.add({ drive: drive.pk, type, path: link.path, ref: link.id, stamp });
    this.parts.audit.add(caller, {
      action: type,
      subject: { kind: "link", id: link.id, name: link.path },
      driveId: drive.id,
      detail: { drive: drive.name, password: link.passwordHash !== null },
    });
  }

  #expiry(sent: string | undefined): number {
    const now = this.parts.clock.now();
    const expiresAt = parseExpiry("expires_at", sent ?? null, now) ?? now + SHARE_LINK_DAYS.default * DAY_MS;
    if (expiresAt > now + LONGEST_SHARE_MS)
      throw invalid("expires_at", `must be at most ${SHARE_LINK_DAYS.most} days from now`);
    return expiresAt;
  }

  /** What is at a path. A folder is found also without the slash at its end. */
  #shown(caller: Caller, wanted: ShareRequest): { drive: Drive; target: LinkTarget } {
    const place = parsePlace("path", wanted.path);
    const drive = this.parts.access.driveToWrite(caller, wanted.drive, place);
    if (!isFolderPath(place)) {
      const file = this.parts.access.findFile(caller, { drive: drive.id, path: place });
      if (file !== null) return { drive, target: { kind: "file", fileId: file.id, path: file.path } };
    }
    const folder = isFolderPath(place) ? place : asFolderPath(place);
    if (this.parts.tables.folders.byPath(drive.pk, folder) === null)
      throw notFound(isFolderPath(place) ? "folder" : "file");
    return { drive, target: { kind: "folder", fileId: null, path: folder } };
  }
}

function endOf(now: number, seconds: number = LINK_SECONDS.default): number {
  return now + seconds * 1000;
}
