import { piecesOf } from "../../blobs/blob-body.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, notFound } from "../../domain/errors.ts";
import { hasExpired } from "../../domain/files/file.ts";
import { ARCHIVE_LIMITS } from "../../domain/limits.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import { isFolderPath, parentFolder, parsePlace, ROOT } from "../../domain/files/path.ts";
import type { SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import type { Reach } from "../access.ts";
import { Service } from "../service.ts";
import type { Parts } from "../parts.ts";
import { holderOf, type SlotHolder, Slots } from "../slots.ts";
import { type ZipContent, zipStream } from "./zip-stream.ts";

type Place = FilePath | FolderPath;

interface Source {
  readonly drive: Drive;
  readonly at: SnapshotNumber | null;
  readonly caller: Caller | null;
}

export interface Archive {
  readonly filename: string;
  /**
   * Each is made on request; read it to the end, or call `return()`. The first throws RATE_LIMITED, and NOT_FOUND if a
   * file is gone. A later error truncates the archive.
   */
  pieces(): AsyncGenerator<Uint8Array>;
}

const PIECE_BYTES = 256 * 1024;

export class Archives extends Service<
  Pick<Parts, "tables" | "blobs" | "damaged" | "access" | "clock" | "usage">
> {
  readonly #slots = new Slots({ limits: ARCHIVE_LIMITS, noun: "archives" });

  /**
   * Some files and folders; without paths all that the caller sees. Names are relative to the innermost folder of all.
   * Throws NOT_FOUND, VALIDATION_ERROR. @param snapshot for what the drive held when it was taken
   */
  open(caller: Caller, client: string, driveId: string, paths: readonly string[], snapshot?: string) {
    return this.openFor({ reach: caller, holder: holderOf(caller), client }, driveId, paths, snapshot);
  }

  /** Whether an archive may still be sent to a caller who has begun it. @param drive an id or slug */
  mayGoOn(caller: Caller, drive: string): boolean {
    return this.parts.access.mayGoOn(caller, [drive]);
  }

  /** Like `open`, for somebody with a link. */
  openFor(
    { reach, holder, client }: { reach: Reach; holder: SlotHolder; client: string },
    driveId: string,
    paths: readonly string[],
    snapshot?: string,
  ): Archive {
    const seen =
      snapshot === undefined
        ? { drive: this.parts.access.drive(reach, driveId), at: null }
        : this.parts.access.view(reach, driveId, snapshot);
    const source = { ...seen, caller: holder.caller ?? null };
    const { drive } = source;
    const prefix = this.parts.access.prefixOf(reach, drive);
    const places = paths.length === 0 ? [prefix] : paths.map((path) => parsePlace("path", path));
    for (const place of places) {
      this.parts.access.requireInside(reach, drive, place);
      this.#requirePresent(source, place);
    }
    const outermost = withoutInner(places);
    const base = commonFolder(outermost);
    return {
      filename: `${titleOf(drive, outermost, base)}.zip`,
      pieces: () => this.#pieces(() => this.#slots.take(holder, client), source, outermost, base),
    };
  }

  async *#pieces(
    takeSlot: () => Disposable,
    source: Source,
    places: readonly Place[],
    base: FolderPath,
  ): AsyncGenerator<Uint8Array> {
    const { drive, at } = source;
    using _ = takeSlot();
    using list = this.parts.tables.archiveLists.open();
    const count = await list.collect({ drive: drive.pk, at, now: this.parts.clock.now() }, places);
    if (count === null)
      throw new CofferError("NOT_FOUND", "The files to download no longer exist. List the folder again.");
    const sources = {
      count,
      *[Symbol.iterator]() {
        for (const { path, ...row } of list.rows())
          yield { ...row, name: Buffer.from(path.slice(base.length)) };
      },
    };
    // Both count as use, and throw if the content is not complete.
    yield* zipStream(sources, {
      whole: (content) => this.#read(source, base, content, () => this.parts.blobs.readAll(content)),
      pieces: (content) => this.#inPieces(source, base, content),
    });
  }

  #read<T>(
    { drive, caller }: Source,
    base: FolderPath,
    { name, size }: ZipContent,
    read: () => T | Promise<T>,
  ) {
    this.parts.usage.countSent(caller, drive.id, size);
    const path = base + new TextDecoder().decode(name);
    return this.parts.damaged.readFor({ driveId: drive.id, path }, read);
  }

  async *#inPieces(source: Source, base: FolderPath, content: ZipContent): AsyncGenerator<Uint8Array> {
    const { digest, size } = content;
    const body = await this.#read(source, base, content, () => this.parts.blobs.read(content));
    const hash = new Bun.CryptoHasher("sha256");
    let length = 0;
    for await (const piece of piecesOf(body, PIECE_BYTES)) {
      hash.update(piece);
      length += piece.length;
      if (length === size && hash.digest("hex") !== digest) {
        // Remembers the damage. The archive ends before the last piece is sent.
        await this.parts.damaged.check(content);
        throw new Error(`the content ${digest} does not match its SHA-256`);
      }
      yield piece;
    }
    // It was complete when it was opened.
    if (length !== size) throw new Error(`the content ${digest} is not as long as it was`);
  }

  #requirePresent({ drive, at }: Source, place: Place): void {
    const { folders, files, snapshotLists } = this.parts.tables;
    const now = this.parts.clock.now();
    const scope = at === null ? null : { drive: drive.pk, at, now };
    if (isFolderPath(place)) {
      const folder = scope === null ? folders.byPath(drive.pk, place) : snapshotLists.folderAt(scope, place);
      if (folder === null) throw notFound("folder");
      return;
    }
    const file = scope === null ? files.byPath(drive.pk, place) : snapshotLists.fileAt(scope, place);
    if (file === null || hasExpired(file, now)) throw notFound("file");
  }
}

/** The places in path order (UTF-8 bytes), without duplicates and those inside another. */
function withoutInner(places: readonly Place[]): Place[] {
  const outermost: Place[] = [];
  for (const place of places.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    const last = outermost.at(-1);
    const isInner = last !== undefined && (last === place || (isFolderPath(last) && place.startsWith(last)));
    if (!isInner) outermost.push(place);
  }
  return outermost;
}

/** The innermost folder that holds all places; for the root, the root. */
function commonFolder(places: readonly Place[]): FolderPath {
  let common = parentOf(places[0] ?? ROOT);
  for (const place of places) while (!parentOf(place).startsWith(common)) common = parentFolder(common);
  return common;
}

function parentOf(place: Place): FolderPath {
  return place === ROOT ? ROOT : parentFolder(place);
}

/** The name of the only folder, else of the folder that holds all places, else of the drive. */
function titleOf(drive: Drive, places: readonly Place[], base: FolderPath): string {
  const [only = ROOT, ...others] = places;
  const folder = others.length === 0 && isFolderPath(only) ? only : base;
  // A drive's name may contain characters that a filename cannot.
  return folder === ROOT ? drive.name.replaceAll(/[/\\]/g, "-") : (folder.split("/").at(-2) ?? drive.name);
}
