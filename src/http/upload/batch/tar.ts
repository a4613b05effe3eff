import { invalid } from "../../../domain/errors.ts";
import { archiveEntry, type BatchEntry } from "./entry.ts";
import { type ByteSource, FixedLength, type Packed, skip } from "./byte-source.ts";

const BLOCK = 512;
/** Of names and attributes that do not fit into a header. */
const LONG_BYTES = 64 * 1024;

/** What comes before an entry, and is said of it. */
interface Said {
  readonly name?: Uint8Array;
  readonly size?: number;
}

/**
 * The entries of a tar archive (POSIX.1-2024, pax, "ustar" and pax headers; and GNU's long names), as it comes.
 *
 * By hand: `@remix-run/tar-parser` 0.7 keeps whatever comes while its entries are not read, and names of any length;
 * Bun's own reader wants the whole archive. Throws VALIDATION_ERROR where it is malformed.
 */
export async function* tarEntries(source: ByteSource): AsyncGenerator<BatchEntry> {
  let said: Said = {};
  for (;;) {
    const header = await source.block(BLOCK);
    if (header === null || header.every((byte) => byte === 0)) return;
    requireSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = numberAt(header, 124);
    if ("LKxg".includes(type)) {
      const more = await longField(source, size);
      if (type === "L") said = { ...said, name: upToZero(more) };
      if (type === "x") said = { ...said, ...paxFields(more) };
      continue;
    }
    const isFolder = type === "5";
    const length = isFolder ? 0 : (said.size ?? size);
    const content = new FixedLength(source, length);
    const isFile = type === "0" || type === "7" || type === "\0";
    const problem =
      isFile || isFolder ? null : invalid("path", "is a link or a device: only files and folders are taken");
    yield archiveEntry(said.name ?? nameIn(header), isFolder, problem, () => piecesOf(content));
    await skip(content);
    await skip(new FixedLength(source, paddingOf(length)));
    said = {};
  }
}

export async function* piecesOf(packed: Packed): AsyncGenerator<Uint8Array> {
  for (let piece = await packed.next(); piece !== null; piece = await packed.next()) yield piece;
}

async function longField(source: ByteSource, size: number): Promise<Uint8Array> {
  if (size > LONG_BYTES) throw malformed(`a name is longer than ${LONG_BYTES} bytes`);
  const field = await source.rest(size);
  await skip(new FixedLength(source, paddingOf(size)));
  return field;
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** Throws VALIDATION_ERROR unless the sum of a header, with blanks in the place of the sum, is what it says. */
function requireSum(header: Uint8Array): void {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  if (sum !== numberAt(header, 148, 8)) throw malformed("a header has a wrong checksum");
}

/** A number in octal, or, after a first bit, in binary. */
function numberAt(header: Uint8Array, at: number, length = 12): number {
  const field = header.subarray(at, at + length);
  if ((field[0] ?? 0) === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    if (Number.isSafeInteger(value)) return value;
  }
  const text = Buffer.from(upToZero(field)).toString("latin1").trim();
  if (!/^[0-7]*$/.test(text)) throw malformed("a header has a malformed number");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

/** The name in a header: with the part that `ustar` puts before it. */
function nameIn(header: Uint8Array): Uint8Array {
  const name = upToZero(header.subarray(0, 100));
  const isUstar = Buffer.from(header.subarray(257, 263)).toString("latin1") === "ustar\0";
  const before = isUstar ? upToZero(header.subarray(345, 500)) : new Uint8Array(0);
  return before.length === 0 ? name : Buffer.concat([before, Buffer.from("/"), name]);
}

/** The fields that count of records such as `18 path=some/name\n`. */
function paxFields(records: Uint8Array): Said {
  let said: Said = {};
  for (let at = 0; at < records.length;) {
    const blank = records.indexOf(0x20, at);
    const length = Number(Buffer.from(records.subarray(at, blank)).toString("latin1"));
    const end = at + length;
    const equals = records.indexOf(0x3d, blank);
    if (blank === -1 || !(length > 0) || end > records.length || equals === -1 || equals >= end)
      throw malformed("a header has malformed attributes");
    const key = Buffer.from(records.subarray(blank + 1, equals)).toString("latin1");
    const value = records.subarray(equals + 1, end - 1);
    if (key === "path") said = { ...said, name: value };
    if (key === "size") said = { ...said, size: decimal(value) };
    at = end;
  }
  return said;
}

function decimal(value: Uint8Array): number {
  const text = Buffer.from(value).toString("latin1");
  if (!/^\d{1,15}$/.test(text)) throw malformed("a header has a malformed size");
  return Number(text);
}

function upToZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

function malformed(what: string) {
  return invalid("body", `is a malformed tar archive: ${what}`);
}
