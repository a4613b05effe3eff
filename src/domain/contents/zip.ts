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
  const extra = Buffer.concat([timestamp(entry), ...(isLarge ? [zip64([size, size])] : [])]);
  const sizes = [sum, short, short, entry.name.length, extra.length];
  return packed("42222244422", [0x04034b50, ...common(entry, isLarge), ...sizes], entry.name, extra);
}

/** The record after the content that is described after (4.3.9). */
export function dataDescriptor({ size }: ZipEntry, crc: number): Uint8Array {
  return packed(size >= FULL_32 ? "4488" : "4444", [0x08074b50, crc, size, size]);
}

/** An entry of the directory at the archive's end (4.3.12). @param offset of its local header */
export function centralHeader(entry: ZipEntry, crc: number, offset: number): Uint8Array {
  const { name, size, isFolder } = entry;
  const isLarge = size >= FULL_32;
  const large = [...(isLarge ? [size, size] : []), ...(offset >= FULL_32 ? [offset] : [])];
  const extra = Buffer.concat([timestamp(entry), ...(large.length > 0 ? [zip64(large)] : [])]);
  const short = isLarge ? FULL_32 : size;
  const sizes = [crc, short, short, name.length, extra.length];
  // No comment, the first disk, no text flag.
  const rest = [0, 0, 0, isFolder ? FOLDER_ATTRIBUTES : FILE_ATTRIBUTES, Math.min(offset, FULL_32)];
  const numbers = [0x02014b50, MADE_BY, ...common(entry, large.length > 0), ...sizes, ...rest];
  return packed("42222224442222244", numbers, name, extra);
}

/** The records after the directory (4.3.14 to 4.3.16): its number of entries, its offset, and its size in bytes. */
export function endOfArchive(directory: { count: number; offset: number; size: number }): Uint8Array {
  const { count, offset, size } = directory;
  const isLarge = count >= FULL_16 || offset >= FULL_32 || size >= FULL_32;
  const short = Math.min(count, FULL_16);
  const numbers = [0x06054b50, 0, 0, short, short, Math.min(size, FULL_32), Math.min(offset, FULL_32), 0];
  return Buffer.concat([...(isLarge ? [endOfZip64(count, offset, size)] : []), packed("42222442", numbers)]);
}

function endOfZip64(count: number, offset: number, size: number): Uint8Array {
  // Its second field is the size of the rest of this record.
  const record = [0x06064b50, 44, MADE_BY, NEEDS_ZIP64, 0, 0, count, count, size, offset];
  const locator = [0x07064b50, 0, offset + size, 1];
  return packed("48224488884484", [...record, ...locator]);
}

/** The fields that local and central headers share: version, flags, method and time, each of two bytes. */
function common(entry: ZipEntry, needsZip64: boolean): number[] {
  const { time, date } = dosTime(entry.modifiedAt);
  const flags = NAME_IS_UTF8 | (entry.isDescribedAfter ? HAS_DESCRIPTOR : 0);
  return [needsZip64 ? NEEDS_ZIP64 : NEEDS_FOLDERS, flags, STORED, time, date];
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
function timestamp({ modifiedAt }: ZipEntry): Uint8Array {
  const seconds = Math.floor(modifiedAt / 1000);
  return seconds < 0 || seconds > 0x7fffffff ? Buffer.of() : packed("2214", [0x5455, 5, 1, seconds]);
}

/** The extra field for values that do not fit into 32 bits (4.5.3). */
function zip64(values: readonly number[]): Uint8Array {
  return packed(`22${"8".repeat(values.length)}`, [0x0001, 8 * values.length, ...values]);
}

/** A record: numbers, little-endian, of so many bytes each as the digits of `layout` say, then bytes as they are. */
function packed(layout: string, numbers: readonly number[], ...rest: readonly Uint8Array[]): Uint8Array {
  const fields = Array.from(layout, Number);
  const record = Buffer.alloc(fields.reduce((sum, bytes) => sum + bytes, 0));
  let at = 0;
  for (const [index, bytes] of fields.entries()) {
    const value = numbers[index] ?? 0;
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return Buffer.concat([record, ...rest]);
}
