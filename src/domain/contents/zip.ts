/**
 * The records of a ZIP archive with uncompressed contents, as in PKWARE's APPNOTE.TXT 6.3.10 (section numbers
 * below). Values of more than 32 bits use ZIP64. `zipStream` says why no package writes them.
 */

export interface ZipEntry {
  /** UTF-8; a folder's ends in `/`. */
  readonly name: Uint8Array;
  readonly isFolder: boolean;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Whether the CRC follows the content, in a data descriptor. */
  readonly isDescribedAfter: boolean;
}

/** Placeholders in fields of 16 and 32 bits for values that are in the ZIP64 field. */
const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

const NAME_IS_UTF8 = 0x0800;
const HAS_DESCRIPTOR = 0x0008;
const STORED = 0;
const NEEDS_FOLDERS = 20;
const NEEDS_ZIP64 = 45;
/** Unix (how to read the external attributes), and the version of the format. */
const MADE_BY = (3 << 8) | NEEDS_ZIP64;
/** Unix mode bits of a file and a folder; the folder also has MS-DOS's folder bit. */
const FILE_ATTRIBUTES = 0o100644 * 0x10000;
const FOLDER_ATTRIBUTES = 0o040755 * 0x10000 + 0x10;

/** The header before the content (4.3.7). @param crc of the content; ignored if it is described after */
export function localHeader(entry: ZipEntry, crc: number): Uint8Array {
  const isLarge = entry.size >= FULL_32;
  const [sum, size] = entry.isDescribedAfter ? [0, 0] : [crc, entry.size];
  const short = isLarge ? FULL_32 : size;
  const extra = [...timestamp(entry), ...(isLarge ? zip64([size, size]) : [])];
  return packed(
    [4, 0x04034b50],
    ...common(entry, isLarge),
    [4, sum],
    [4, short],
    [4, short],
    [2, entry.name.length],
    [2, lengthOf(extra)],
    entry.name,
    ...extra,
  );
}

/** The record after the content that is described after (4.3.9). */
export function dataDescriptor({ size }: ZipEntry, crc: number): Uint8Array {
  const bytes = size >= FULL_32 ? 8 : 4;
  return packed([4, 0x08074b50], [4, crc], [bytes, size], [bytes, size]);
}

/** An entry of the directory at the archive's end (4.3.12). @param offset of its local header */
export function centralHeader(entry: ZipEntry, crc: number, offset: number): Uint8Array {
  const { name, size, isFolder } = entry;
  const isLarge = size >= FULL_32;
  const large = [...(isLarge ? [size, size] : []), ...(offset >= FULL_32 ? [offset] : [])];
  const extra = [...timestamp(entry), ...(large.length > 0 ? zip64(large) : [])];
  const short = isLarge ? FULL_32 : size;
  return packed(
    [4, 0x02014b50],
    [2, MADE_BY],
    ...common(entry, large.length > 0),
    [4, crc],
    [4, short],
    [4, short],
    [2, name.length],
    [2, lengthOf(extra)],
    // No comment, the first disk, no text flag.
    [2, 0],
    [2, 0],
    [2, 0],
    [4, isFolder ? FOLDER_ATTRIBUTES : FILE_ATTRIBUTES],
    [4, Math.min(offset, FULL_32)],
    name,
    ...extra,
  );
}

/**
 * The records after the directory (4.3.14 to 4.3.16).
 *
 * @param directory its number of entries, its offset, and its size in bytes
 */
export function endOfArchive(directory: { count: number; offset: number; size: number }): Uint8Array {
  const { count, offset, size } = directory;
  const isLarge = count >= FULL_16 || offset >= FULL_32 || size >= FULL_32;
  const shortCount = Math.min(count, FULL_16);
  return packed(
    ...(isLarge ? endOfZip64(count, offset, size) : []),
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, shortCount],
    [2, shortCount],
    [4, Math.min(size, FULL_32)],
    [4, Math.min(offset, FULL_32)],
    [2, 0],
  );
}

function endOfZip64(count: number, offset: number, size: number): Field[] {
  return [
    [4, 0x06064b50],
    // The size of the rest of this record.
    [8, 44],
    [2, MADE_BY],
    [2, NEEDS_ZIP64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, offset],
    // The ZIP64 locator.
    [4, 0x07064b50],
    [4, 0],
    [8, offset + size],
    [4, 1],
  ];
}

/** The fields that local and central headers share: version, flags, method and time. */
function common(entry: ZipEntry, needsZip64: boolean): Field[] {
  const { time, date } = dosTime(entry.modifiedAt);
  return [
    [2, needsZip64 ? NEEDS_ZIP64 : NEEDS_FOLDERS],
    [2, NAME_IS_UTF8 | (entry.isDescribedAfter ? HAS_DESCRIPTOR : 0)],
    [2, STORED],
    [2, time],
    [2, date],
  ];
}

/** MS-DOS's time, in steps of two seconds and without a zone; here UTC. The extra field has the exact time. */
function dosTime(instant: number): { time: number; date: number } {
  const at = new Date(Math.min(Math.max(instant, DOS_FIRST), DOS_LAST));
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

const DOS_FIRST = Date.UTC(1980, 0, 1);
const DOS_LAST = Date.UTC(2107, 11, 31, 23, 59, 58);

/** Info-ZIP's extended timestamp: seconds in UTC, if they fit into 32 bits with a sign. */
function timestamp({ modifiedAt }: ZipEntry): Field[] {
  const seconds = Math.floor(modifiedAt / 1000);
  if (seconds < 0 || seconds > 0x7fffffff) return [];
  return [
    [2, 0x5455],
    [2, 5],
    [1, 1],
    [4, seconds],
  ];
}

/** The extra field for values that do not fit into 32 bits (4.5.3). */
function zip64(values: readonly number[]): Field[] {
  return [[2, 0x0001], [2, 8 * values.length], ...values.map((value): Field => [8, value])];
}

/** A number in this many bytes, little-endian; or bytes as they are. */
type Field = readonly [bytes: 1 | 2 | 4 | 8, value: number] | Uint8Array;

function lengthOf(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + (field instanceof Uint8Array ? field.length : field[0]), 0);
}

function packed(...fields: readonly Field[]): Uint8Array {
  const record = Buffer.alloc(lengthOf(fields));
  let at = 0;
  for (const field of fields) {
    if (field instanceof Uint8Array) {
      record.set(field, at);
      at += field.length;
    } else {
      const [bytes, value] = field;
      if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
      else record.writeUIntLE(value, at, bytes);
      at += bytes;
    }
  }
  return record;
}
