import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../process/clock.ts";
import type { Within } from "../../db/engine/database.ts";
import type { ShareTarget } from "../../db/links/share-links.ts";
import type { Tables } from "../../db/tables.ts";
import { actorOf } from "../../domain/changes/actor.ts";
import { newShareToken } from "../../domain/accounts/api-key.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { invalid, notFound } from "../../domain/errors.ts";
import { parseExpiry } from "../../domain/files/file.ts";
import { type LinkId, newId, parseId } from "../../domain/id.ts";
import { LINK_PASSWORD_CHARACTERS, SHARE_LINK_DAYS } from "../../domain/limits.ts";
import {
  isMadeBy,
  type LinkPosition,
  type ListedLink,
  LONGEST_SHARE_MS,
  makerOf,
} from "../../domain/links/link.ts";
import { asFolderPath, type FolderPath, isFolderPath, parsePlace, ROOT } from "../../domain/files/path.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Access } from "../access.ts";
import type { Changes } from "../changes/changes.ts";
import type { LinkUses } from "./link-uses.ts";
import type { Passwords } from "../accounts/passwords.ts";
import type { Quota } from "../quota.ts";

/** A request for a link that shows something, as sent. */
export interface ShareRequest {
  /** An id or slug. */
  readonly drive: string;
  /** Of a file or a folder. */
  readonly path: string;
  readonly password: string | undefined;
  readonly expiresAt: string | undefined;
}

/** A new link. The token is shown only once. */
export interface CreatedShare {
  readonly link: ListedLink;
  readonly token: string;
}

/** A request for a page of links, newest first. */
export interface LinksRequest {
  /** An id or slug; undefined for all drives. */
  readonly drive: string | undefined;
  readonly limit: number;
  readonly after: LinkPosition | null;
}

export interface LinksPage {
  readonly links: readonly ListedLink[];
  /** Where the next page starts; null on the last one. */
  readonly nextAfter: LinkPosition | null;
}

/** How many links are read of a drive at once: few at first, as there may be many drives. */
const CHUNK = { first: 4, most: 256 };
/** A page ends after so many links: not all are shown. Other requests have a turn after each step. */
const SCANNED = { most: 10_000, step: 500 };

/** Links of all kinds: makes those that show something, lists and revokes all. */
export class Links {
  readonly #parts;
  readonly #passwords: Passwords;
  readonly #uses: LinkUses;

  constructor(parts: {
    tables: Tables;
    access: Access;
    quota: Quota;
    changes: Changes;
    linkPasswords: Passwords;
    linkUses: LinkUses;
    clock: Clock;
  }) {
    this.#parts = parts;
    this.#passwords = parts.linkPasswords;
    this.#uses = parts.linkUses;
  }

  /** Throws NOT_FOUND for the drive, and for what is not at the path; FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED. */
  async create(caller: Caller, wanted: ShareRequest, within?: Within<CreatedShare>): Promise<CreatedShare> {
    const expiresAt = this.#expiry(wanted.expiresAt);
    // First: hashing takes long, so nobody should have it done in vain.
    this.#target(caller, wanted);
    const passwordHash = await this.#hash(wanted.password);
    const { secret, hash } = newShareToken();
    return this.#parts.access.write(caller, within, () => {
      const now = this.#parts.clock.now();
      const { drive, target } = this.#target(caller, wanted);
      const id = newId<LinkId>(now);
      const maker = makerOf(caller);
      const link = { id, hash, drive: drive.id, target, passwordHash, maker, expiresAt, createdAt: now };
      this.#parts.tables.shareLinks.insert(link);
      this.#record("link.created", caller, drive, this.#existing(id));
      this.#parts.quota.requireRecordRoom(drive);
      return { link: this.#existing(id), token: secret };
    });
  }

  /**
   * The links of a drive, or of all that the caller may see: all where the caller may manage the drive, else the
   * caller's own. Rejects with NOT_FOUND for the drive.
   */
  async list(caller: Caller, { drive, limit, after }: LinksRequest): Promise<LinksPage> {
    const drives =
      drive === undefined ? this.#parts.access.drives(caller) : [this.#parts.access.drive(caller, drive)];
    const now = this.#parts.clock.now();
    const managed = new Set(drives.filter((each) => this.#manages(caller, each)).map(({ id }) => id));
    const prefixes = new Map(drives.map((each) => [each.id, this.#parts.access.prefixOf(caller, each)]));
    const links: ListedLink[] = [];
    let last = after;
    let scanned = 0;
    for (const link of newestOf(drives.map((each) => this.#linksOf(each, after)))) {
      if (links.length === limit || scanned === SCANNED.most) return { links, nextAfter: last };
      scanned += 1;
      if (scanned % SCANNED.step === 0) await nextTurn();
      last = link;
      if (link.expiresAt > now && (managed.has(link.driveId) || isMadeBy(link, caller)))
        links.push(seenFrom(prefixes.get(link.driveId) ?? ROOT, this.#uses.counted(link)));
    }
    return { links, nextAfter: null };
  }

  /** Ends a link at once. Throws NOT_FOUND for one that the caller may not see. */
  revoke(caller: Caller, reference: string, within?: Within<LinkId>): Promise<LinkId> {
    return this.#parts.access.writeFromReserve(caller, within, () => {
      const id = parseId<LinkId>(reference);
      const link = id === null ? null : this.#parts.tables.links.byId(id);
      const drive = link === null ? null : this.#parts.access.findDrive(caller, link.driveId);
      if (link === null || drive === null) throw notFound("link");
      if (!this.#manages(caller, drive) && !isMadeBy(link, caller)) throw notFound("link");
      this.#parts.tables.links.remove(link.id);
      this.#record("link.revoked", caller, drive, link);
      return link.id;
    });
  }

  /** Writes how often links were used. */
  flushUse(): Promise<void> {
    return this.#uses.flush();
  }

  #manages(caller: Caller, drive: Drive): boolean {
    return this.#parts.access.roleIn(caller, drive) === "owner";
  }

  *#linksOf(drive: Drive, start: LinkPosition | null): Generator<ListedLink, void> {
    let after = start;
    for (let size = CHUNK.first; ; size = Math.min(2 * size, CHUNK.most)) {
      const chunk = this.#parts.tables.links.page(drive.id, after, size);
      yield* chunk;
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < size) return;
      after = last;
    }
  }

  /** Tells the feed of a link that shows something. The others work for a day at most, and programs make many. */
  #record(type: "link.created" | "link.revoked", caller: Caller, drive: Drive, link: ListedLink): void {
    if (link.kind === "presigned" || link.kind === "upload") return;
    const stamp = { now: this.#parts.clock.now(), by: actorOf(caller) };
    this.#parts.changes.add({ drive: drive.pk, type, path: link.path ?? ROOT, ref: link.id, stamp });
  }

  #existing(id: LinkId): ListedLink {
    const link = this.#parts.tables.links.byId(id);
    if (link === null) throw new Error("a new link is missing");
    return link;
  }

  #expiry(sent: string | undefined): number {
    const now = this.#parts.clock.now();
    const expiresAt = parseExpiry("expires_at", sent ?? null, now) ?? now + SHARE_LINK_DAYS.default * DAY_MS;
    if (expiresAt > now + LONGEST_SHARE_MS)
      throw invalid("expires_at", `must be at most ${SHARE_LINK_DAYS.most} days from now`);
    return expiresAt;
  }

  async #hash(password: string | undefined): Promise<string | null> {
    return password === undefined ? null : this.#passwords.hash(password, LINK_PASSWORD_CHARACTERS);
  }

  /** What is at a path. A folder is found also without the slash at its end. */
  #target(caller: Caller, wanted: ShareRequest): { drive: Drive; target: ShareTarget } {
    const place = parsePlace("path", wanted.path);
    const drive = this.#parts.access.driveToWrite(caller, wanted.drive, place);
    if (!isFolderPath(place)) {
      const file = this.#parts.access.findFile(caller, { drive: drive.id, path: place });
      if (file !== null) return { drive, target: { kind: "file", fileId: file.id, path: file.path } };
    }
    const folder = isFolderPath(place) ? place : asFolderPath(place);
    if (this.#parts.tables.folders.byPath(drive.pk, folder) !== null) {
      return { drive, target: { kind: "folder", path: folder } };
    }
    throw notFound(isFolderPath(place) ? "folder" : "file");
  }
}

/** A link as somebody sees it who is limited to a folder: not where its file has moved to outside. */
function seenFrom(prefix: FolderPath, link: ListedLink): ListedLink {
  return link.path?.startsWith(prefix) === false ? { ...link, path: null } : link;
}

/** All links of several lists, newest first, as each of the lists is. */
function* newestOf(lists: readonly Generator<ListedLink, void>[]): Generator<ListedLink> {
  const heads = lists.map((list) => ({ list, link: nextOf(list) }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) if (isNewer(head.link, first?.link ?? null)) first = head;
    if (first === null || first.link === null) return;
    yield first.link;
    first.link = nextOf(first.list);
  }
}

function nextOf(list: Generator<ListedLink, void>): ListedLink | null {
  const next = list.next();
  return next.done === true ? null : next.value;
}

function isNewer(a: ListedLink | null, b: ListedLink | null): boolean {
  if (a === null || b === null) return a !== null;
  return a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.id > b.id);
}
