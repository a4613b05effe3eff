import { DamagedBlob, OpenBlob, requireBytes } from "../../blobs/blob-file.ts";
import { UnavailableBlob } from "../../blobs/blob-place.ts";
import { openStored } from "../../blobs/open-stored.ts";
import type { StoredBlobs } from "../../blobs/stored-blobs.ts";
import { type GrepFile, GrepFiles } from "../../db/grep/grep-files.ts";
import { firstAfter, rangeFrom } from "../../db/files/files.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import { Glob } from "../../domain/files/glob.ts";
import { mayBeText } from "../../domain/contents/media-type.ts";
import { BadPattern, Budget, FILE_START, FileScan, Pattern, type ScanParts } from "./file-scan.ts";
import type { StorePlaces } from "../parts.ts";
import type { GrepFound, GrepPosition, GrepRequest, MatchedFile } from "./request.ts";

/** Searches the lines of files, one file after another. In a thread of its own. */
export class GrepWork {
  #opened: {
    readonly files: GrepFiles;
    readonly contents: StoredBlobs;
    readonly stop: Int32Array;
  } | null = null;

  /** Must come first. @param stop one cell: what is running stops once it is not 0 */
  async open({ database, blobs }: StorePlaces, stop: Int32Array): Promise<void> {
    this.#opened = { files: new GrepFiles(database), contents: await openStored(blobs), stop };
  }

  /** Returns what it found; or why the pattern is none, to complete the sentence "pattern ...". */
  async find(request: GrepRequest): Promise<GrepFound | { readonly problem: string }> {
    try {
      return await this.#find(request, new Pattern(request));
    } catch (error) {
      if (error instanceof BadPattern) return { problem: error.message };
      throw error;
    }
  }

  close(): void {
    this.#parts.files.close();
  }

  get #parts() {
    if (this.#opened === null) throw new Error("the search of lines is not open");
    return this.#opened;
  }

  async #find(request: GrepRequest, pattern: Pattern): Promise<GrepFound> {
    const budget = new Budget({ bounds: request.bounds, stop: this.#parts.stop });
    const files: MatchedFile[] = [];
    const unread: FileFacts[] = [];
    let done: GrepPosition | null = null;
    const glob = request.glob && new Glob(request.glob.pattern);
    const below = request.glob?.below.length ?? 0;
    for (const { facts, bytes, isDamaged } of this.#candidates(request)) {
      if (done !== null && (files.length >= request.limit || budget.isSpent)) {
        return { files, next: done, unread };
      }
      const from = startIn(facts, request.from);
      done = { drive: facts.driveId, path: facts.path, inside: null };
      if (glob?.matches(facts.path.slice(below)) === false) continue;
      if (facts.size === 0 || !mayBeText(facts.mimeType)) continue;
      const { context, bounds } = request;
      const parts = { pattern, budget, context, blockBytes: bounds.blockBytes, from };
      const scanned = isDamaged ? "unread" : await this.#scan(facts, bytes, parts);
      if (scanned === "unread") unread.push(facts);
      if (scanned === "unread" || scanned === null) continue;
      const { matches, hasMore, rest } = scanned;
      if (matches.length > 0) files.push({ file: facts, matches, hasMore });
      if (rest !== null) {
        return { files, next: { ...done, inside: { digest: facts.digest, ...rest } }, unread };
      }
    }
    return { files, next: null, unread };
  }

  /** The files of all drives, from where the search goes on. */
  *#candidates({ drives, paths, from, now }: GrepRequest): Generator<GrepFile> {
    for (const { id, pk } of drives) {
      if (from !== null && id < from.drive) continue;
      const isFirst = id === from?.drive && from.path !== "";
      const start = from?.inside === null ? firstAfter(from.path) : from?.path;
      const left = isFirst && start !== undefined ? rangeFrom(paths, start) : paths;
      yield* this.#parts.files.files(pk, left, now);
    }
  }

  async #scan(facts: FileFacts, bytes: GrepFile["bytes"], parts: Omit<ScanParts, "source">) {
    try {
      if (bytes !== null) {
        requireBytes("the database", bytes, facts);
        const read = (offset: number, length: number) => bytes.subarray(offset, offset + length);
        return await new FileScan({ ...parts, source: { size: bytes.length, read } }).run();
      }
      await using content = await this.#parts.contents.find(facts, (path) => OpenBlob.at(path, facts));
      const read = (offset: number, length: number) => content.read(offset, length);
      return await new FileScan({ ...parts, source: { size: facts.size, read } }).run();
    } catch (error) {
      if (error instanceof DamagedBlob || error instanceof UnavailableBlob) return "unread";
      throw error;
    }
  }
}

/** Where the search of a file begins: elsewhere only if it goes on in the same content. */
function startIn({ driveId, path, digest }: FileFacts, from: GrepPosition | null): ScanParts["from"] {
  const isHere = from !== null && from.drive === driveId && from.path === path;
  return isHere && from.inside?.digest === digest ? from.inside : FILE_START;
}
