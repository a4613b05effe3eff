import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Digest } from "../domain/digest.ts";
import { centralHeader, dataDescriptor, endOfArchive, localHeader, type ZipEntry } from "../domain/zip.ts";

/** A file to pack, or a folder, whose digest is null. */
export interface ZipSource {
  /** Counts from 1, in the order of the archive. */
  readonly number: number;
  /** UTF-8. */
  readonly name: Uint8Array;
  readonly digest: Digest | null;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: number;
}

/** What to pack. It is gone through twice, and must be the same both times. */
export interface ZipSources extends Iterable<ZipSource> {
  readonly count: number;
}

/** The content of a file to pack. */
export type ZipContent = ZipSource & { readonly digest: Digest };

/** Where contents come from: exactly `size` bytes of each, or an error. */
export interface ZipContents {
  /** One in memory; for those of up to `HELD_BYTES`. */
  whole(content: ZipContent): Uint8Array | Promise<Uint8Array>;
  pieces(content: ZipContent): AsyncIterable<Uint8Array>;
}

/** Contents up to this many bytes are read before their headers, which then need no descriptors behind. */
const HELD_BYTES = 64 * 1024;

/** What is sent at once at least, so that small files do not go out one by one. */
const SENT_BYTES = 64 * 1024;

/** After so many entries others have their turn: all of them may come out of memory. */
const TURN = 100;

/**
 * A ZIP archive of these sources, in pieces that are made as they are asked for. What it remembers of each
 * until the directory at the end are twelve bytes; their names it then asks for again.
 */
export async function* zipStream(sources: ZipSources, contents: ZipContents): AsyncGenerator<Uint8Array> {
  const sums = new Uint32Array(sources.count);
  const offsets = new Float64Array(sources.count);
  const out = new Gathered();
  for (const source of sources) {
    const at = source.number - 1;
    offsets[at] = out.total;
    const entry = entryOf(source);
    sums[at] = entry.isDescribedAfter
      ? yield* addPieces(out, source, entry, contents)
      : await addWhole(out, source, entry, contents);
    if (out.isEnough) yield out.take();
    if (source.number % TURN === 0) await nextTurn();
  }
  const start = out.total;
  for (const source of sources) {
    const at = source.number - 1;
    out.add(centralHeader(entryOf(source), sums[at] ?? 0, offsets[at] ?? 0));
    if (out.isEnough) yield out.take();
    if (source.number % TURN === 0) await nextTurn();
  }
  out.add(endOfArchive({ count: sources.count, offset: start, size: out.total - start }));
  yield out.take();
}

/** Adds a folder or a small file; its CRC. */
async function addWhole(
  out: Gathered,
  source: ZipSource,
  entry: ZipEntry,
  contents: ZipContents,
): Promise<number> {
  const content = isContent(source) ? await contents.whole(source) : new Uint8Array();
  const crc = crc32(content);
  out.add(localHeader(entry, crc));
  out.add(content);
  return crc;
}

/** Adds a large file, and gives what has gathered on the way; its CRC. */
async function* addPieces(
  out: Gathered,
  source: ZipSource,
  entry: ZipEntry,
  contents: ZipContents,
): AsyncGenerator<Uint8Array, number> {
  if (!isContent(source)) throw new Error("a folder has no content");
  out.add(localHeader(entry, 0));
  let crc = 0;
  for await (const piece of contents.pieces(source)) {
    crc = crc32(piece, crc);
    out.add(piece);
    if (out.isEnough) yield out.take();
  }
  out.add(dataDescriptor(entry, crc));
  return crc;
}

function isContent(source: ZipSource): source is ZipContent {
  return source.digest !== null;
}

function entryOf({ name, digest, size, modifiedAt }: ZipSource): ZipEntry {
  return { name, isFolder: digest === null, size, modifiedAt, isDescribedAfter: size > HELD_BYTES };
}

/** Bytes that wait until they are worth sending. */
class Gathered {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #taken = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  get isEnough(): boolean {
    return this.#bytes >= SENT_BYTES;
  }

  /** All bytes there ever were. */
  get total(): number {
    return this.#taken + this.#bytes;
  }

  /** Takes what there is. */
  take(): Uint8Array {
    const [first] = this.#pieces;
    const taken = first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#taken += this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    return taken;
  }
}
