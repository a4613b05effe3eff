import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, notFound, orNotFound } from "../../domain/errors.ts";
import type { File, FileFacts, ListPosition } from "../../domain/files/file.ts";
import type { LinkId } from "../../domain/id.ts";
import { isPassFor, passFor, requireUsable, SHOWING } from "../../domain/links/link.ts";
import { UNLOCKED_MS } from "../../domain/limits.ts";
import {
  type FolderPath,
  lastSegment,
  parentFolder,
  parseFolderOrRoot,
  parsePathOfFile,
  relocated,
  ROOT,
} from "../../domain/files/path.ts";
import type { Reach } from "../access.ts";
import { Service } from "../service.ts";
import type { Archive, Archives } from "../contents/archives.ts";
import type { Extract, Extracts } from "../contents/extracts.ts";
import type { Folders } from "../folders/folders.ts";
import type { Parts } from "../parts.ts";
import type { Links } from "./links.ts";
import type { Listing, ListRequest, Listings } from "../files/listings.ts";
import type { SlotHolder } from "../slots.ts";
import type { Passwords } from "../accounts/passwords.ts";
import type { Thumbnails } from "../contents/thumbnails.ts";
import type { ThumbnailSize } from "../../domain/contents/thumbnail.ts";

/** What a link shows, to somebody who may see it. */
export interface Shared {
  readonly linkId: LinkId;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** What the creator of the link may read. */
  readonly reach: Reach;
  readonly drive: Drive;
  /** Paths that are shown are relative to it. */
  readonly folder: FolderPath;
  /** The only file that is shown; null for all in the folder. */
  readonly file: File | null;
}

/** A request for a page of what is directly in a folder. The prefix is relative to what the link shows. */
type SharedRequest = Pick<ListRequest, "prefix" | "limit" | "after">;

/** What links show to people without an account: what the creator may read now. */
export class SharedThings extends Service<
  Pick<Parts, "tables" | "access" | "clock"> & {
    listings: Listings;
    folders: Folders;
    archives: Archives;
    extracts: Extracts;
    thumbnails: Thumbnails;
    linkPasswords: Passwords;
    links: Links;
    secret: Uint8Array;
  }
> {
  /** Throws NOT_FOUND, GONE, and UNAUTHORIZED for a link with a password without the `pass` of `unlock`. */
  open(token: string, pass: string | null): Shared {
    const { access, clock, secret, tables } = this.parts;
    const { link, reach, drive } = this.#find(token);
    const { id, passwordHash } = link;
    const isOpen =
      passwordHash === null || (pass !== null && isPassFor({ id, passwordHash }, pass, clock.now(), secret));
    if (!isOpen) {
      throw new CofferError(
        "UNAUTHORIZED",
        "This link has a password. Send it to `POST /v0/shared/{token}/unlock`, and come back with the cookie of the response.",
      );
    }
    const shown = { linkId: id, expiresAt: link.expiresAt, reach };
    if (link.kind === "folder") {
      const isThere = tables.folders.byPath(drive.pk, link.path) !== null;
      if (!isThere || !link.path.startsWith(access.prefixOf(reach, drive))) throw notFound("link");
      return { ...shown, drive, folder: link.path, file: null };
    }
    const file = access.findFile(reach, { id: link.fileId });
    const home = file === null ? null : access.findDrive(reach, file.driveId);
    if (file === null || home === null) throw notFound("link");
    return { ...shown, drive: home, folder: parentFolder(file.path), file };
  }

  idOf(token: string): LinkId {
    return this.#find(token).link.id;
  }

  /** Whether what a link has begun to send may go on: it may be over since. */
  mayGoOn(token: string): boolean {
    return this.#findAny(token) !== null;
  }

  /** A pass for the browser. Throws NOT_FOUND, GONE, and UNAUTHORIZED. A link without a password takes any. */
  async unlock(token: string, password: string) {
    const { id, passwordHash, expiresAt } = this.#find(token).link;
    const { linkPasswords, clock, secret } = this.parts;
    const isRight = passwordHash === null || (await linkPasswords.matches(password, passwordHash));
    if (!isRight) throw new CofferError("UNAUTHORIZED", "The password is wrong.", "password");
    const until = Math.min(clock.now() + UNLOCKED_MS, expiresAt);
    return { pass: passFor({ id, passwordHash: passwordHash ?? "" }, until, secret), until };
  }

  /** Of the file, the folder or the drive; `file` is the only one, with its relative path, or null. */
  facts({ drive, reach, folder, file }: Shared) {
    if (file !== null) {
      const name = lastSegment(file.path);
      return { name, fileCount: 1, totalSize: file.size, file: relative(file, folder) };
    }
    if (folder === ROOT) return { ...drive, file: null };
    const { fileCount, totalSize } = this.parts.folders.get(reach, drive.id, folder).folder;
    return { name: folder.split("/").at(-2) ?? "", fileCount, totalSize, file: null };
  }

  /** What is directly in a folder, with relative paths. Throws NOT_FOUND, VALIDATION_ERROR. */
  list({ reach, drive, folder, file }: Shared, { prefix, limit, after }: SharedRequest): Listing {
    const inside = parseFolderOrRoot("prefix", prefix);
    if (file !== null) {
      if (inside !== ROOT) throw notFound("folder");
      const level = { folders: [], total: 0 };
      return { files: [relative(file, folder)], total: 1, level, nextAfter: null };
    }
    const listing = this.parts.listings.list(reach, {
      driveId: drive.id,
      prefix: this.parts.folders.get(reach, drive.id, folder + inside).folder.path,
      grouped: true,
      tags: [],
      sort: "name",
      page: 1,
      limit,
      after: after && moved(after, (path) => folder + path),
    });
    const { files, level, nextAfter } = listing;
    return {
      ...listing,
      files: files.map((each) => relative(each, folder)),
      level: level && { ...level, folders: level.folders.map((path) => relocated(path, folder, ROOT)) },
      nextAfter: nextAfter && moved(nextAfter, (path) => path.slice(folder.length)),
    };
  }

  /** A file that the link shows. Throws NOT_FOUND, VALIDATION_ERROR. @param path relative; not needed for a link to a file */
  file({ reach, drive, folder, file: only }: Shared, path: string | undefined): File {
    if (path === undefined) {
      if (only !== null) return only;
      const message = "The link shows a folder: say with `path` which file.";
      throw new CofferError("VALIDATION_ERROR", message, "path");
    }
    const wanted = folder + parsePathOfFile("path", path);
    const file = this.parts.access.findFile(reach, { drive: drive.id, path: wanted });
    if (file === null || (only !== null && only.pk !== file.pk)) throw notFound("file");
    return file;
  }

  /** The text of a file that the link shows. Throws like `file` and `Extracts.extract`. */
  extract(shared: Shared, path: string | undefined, signal: AbortSignal): Promise<Extract> {
    return this.parts.extracts.extractOf(this.file(shared, path), holderOf(shared), signal);
  }

  /** A thumbnail of a file that the link shows. Throws like `Thumbnails.thumbnailOf`. */
  thumbnail(shared: Shared, file: File, size: ThumbnailSize, signal: AbortSignal) {
    return this.parts.thumbnails.thumbnailOf(file, size, holderOf(shared), signal);
  }

  /** One archive; of all that the link shows if there are no paths. Throws NOT_FOUND, VALIDATION_ERROR. */
  archive(shared: Shared, client: string, paths: readonly string[]): Archive {
    const { reach, drive, folder, file } = shared;
    const all = file === null ? [folder] : [file.path];
    if (file !== null && paths.length > 0) paths.forEach((path) => this.file(shared, path));
    const wanted =
      paths.length === 0 || file !== null ? all : paths.map((path) => folder + path.replace(/^\//, ""));
    return this.parts.archives.openFor({ reach, holder: holderOf(shared), client }, drive.id, wanted);
  }

  #find(token: string) {
    const found = orNotFound(this.#findAny(token), "link");
    requireUsable(found.link, this.parts.clock.now());
    return found;
  }

  /** Also one that has expired. */
  #findAny(token: string) {
    const found = this.parts.links.find(token, ...SHOWING);
    const drive = found && this.parts.access.findDrive(found.reach, found.link.driveId);
    return found && drive && { ...found, drive };
  }
}

/** Whoever has links cannot take the turns of those with keys. */
function holderOf({ linkId }: Shared): SlotHolder {
  return { owner: linkId, isUnclaimed: true };
}

function relative(file: FileFacts, folder: FolderPath): FileFacts {
  return { ...file, path: relocated(file.path, folder, ROOT) };
}

function moved({ file, folder }: ListPosition, path: (path: string) => string): ListPosition {
  return {
    file: file !== null && "path" in file ? { ...file, path: path(file.path) } : file,
    folder: folder === null ? null : path(folder),
  };
}
