import { readMachO, type Segment } from "./mach-o.ts";

/*
 * The code signature of an executable of macOS: a "super blob" of blobs, whose code directory has the hash of each page
 * of the file up to the signature. All its numbers are big-endian. After Apple's `cs_blobs.h` (of its kernel, XNU).
 */

const SUPER_BLOB = 0xfade_0cc0;
const CODE_DIRECTORY = 0xfade_0c02;

/** Of a blob in the index of a super blob: that it is the code directory. */
const CODE_DIRECTORY_SLOT = 0;

/** The first version of the code directory that has the main segment, which macOS wants to know since 10.14. */
const VERSION = 0x2_0400;
/** How many bytes a code directory of that version has before its identifier. */
const DIRECTORY_BYTES = 88;
/** Before the code directory: what the super blob has, with an index of one blob. */
const SUPER_BLOB_BYTES = 20;

/** Nobody vouches for it: it only says that the file is whole. */
const AD_HOC = 0x2;
const SHA256 = 2;
const HASH_BYTES = 32;
/** As a power of two. */
const PAGE_SHIFT = 12;
const PAGE_BYTES = 1 << PAGE_SHIFT;
/** Of the segment with the code: that it is that of a program, not of a library. */
const MAIN_BINARY = 1n;

/** To what the signature, and the last segment in memory, are rounded up. */
const SIGNATURE_ALIGNMENT = 16;
const SEGMENT_ALIGNMENT = 0x4000;

/**
 * What is wrong in the signature of an executable of macOS, for people; null if nothing is. It must be an ad hoc one, of
 * an identifier, and have the SHA-256 of each page. Throws Error if the file is no Mach-O of 64 bits, or cut off.
 */
export function wrongInSignature(file: Uint8Array): string | null {
  const { signature } = readMachO(file);
  if (signature === null) return "there is none";
  if (signature.end !== file.length) return "it is not the end of the file";
  const directory = codeDirectoryOf(file.subarray(signature.start));
  if (directory === null) return "it has no code directory";
  const view = viewOf(directory);
  if (view.getUint32(8) < VERSION) return "its code directory is of an old version";
  if ((view.getUint32(12) & AD_HOC) === 0) return "it is not ad hoc";
  if (identifierOf(directory) === "") return "it has no identifier";
  if (view.getUint32(32) !== signature.start) return "it is not of the whole file";
  if (view.getUint8(36) !== HASH_BYTES || view.getUint8(37) !== SHA256 || view.getUint8(39) !== PAGE_SHIFT)
    return "its hashes are not SHA-256 of pages of 4096 bytes";
  return wrongPage(file.subarray(0, signature.start), directory);
}

/** The first blob of a super blob that is a code directory; null if there is none, or one that is cut off. */
function codeDirectoryOf(bytes: Uint8Array): Uint8Array | null {
  const view = viewOf(bytes);
  if (bytes.length < SUPER_BLOB_BYTES || view.getUint32(0) !== SUPER_BLOB) return null;
  const count = view.getUint32(8);
  for (let at = 12; at < 12 + count * 8 && at + 8 <= bytes.length; at += 8) {
    if (view.getUint32(at) !== CODE_DIRECTORY_SLOT) continue;
    const start = view.getUint32(at + 4);
    if (start + DIRECTORY_BYTES > bytes.length || view.getUint32(start) !== CODE_DIRECTORY) return null;
    const length = view.getUint32(start + 4);
    const isWhole = length >= DIRECTORY_BYTES && start + length <= bytes.length;
    return isWhole ? bytes.subarray(start, start + length) : null;
  }
  return null;
}

function identifierOf(directory: Uint8Array): string {
  const start = viewOf(directory).getUint32(20);
  const end = directory.indexOf(0, start);
  return start < DIRECTORY_BYTES || end === -1
    ? ""
    : Buffer.from(directory.subarray(start, end)).toString("utf8");
}

function wrongPage(content: Uint8Array, directory: Uint8Array): string | null {
  const view = viewOf(directory);
  const pages = Math.ceil(content.length / PAGE_BYTES);
  const hashesAt = view.getUint32(16);
  if (view.getUint32(28) !== pages || hashesAt + pages * HASH_BYTES > directory.length)
    return "it has not as many hashes as there are pages";
  const hashes = directory.subarray(hashesAt, hashesAt + pages * HASH_BYTES);
  const found = hashesOf(content);
  if (Buffer.compare(hashes, found) === 0) return null;
  const at = hashes.findIndex((byte, index) => byte !== found[index]);
  return `page ${Math.floor(at / HASH_BYTES)} of ${pages} has another hash`;
}

/** The SHA-256 of each page, one after another. The last page may be shorter. */
function hashesOf(content: Uint8Array): Buffer {
  const hashes = Buffer.alloc(Math.ceil(content.length / PAGE_BYTES) * HASH_BYTES);
  for (let page = 0; page * PAGE_BYTES < content.length; page++) {
    const start = page * PAGE_BYTES;
    const hash = hashes.subarray(page * HASH_BYTES, (page + 1) * HASH_BYTES);
    Bun.SHA256.hash(content.subarray(start, start + PAGE_BYTES), hash);
  }
  return hashes;
}

/**
 * A copy of an executable of macOS with an ad hoc signature in the place of the one that it has, which must be at its
 * end. The same arguments give the same bytes. Throws Error if the file has none to replace, or is no Mach-O of 64 bits.
 * @param identifier what the program is called in the signature
 */
export function signed(file: Uint8Array, identifier: string): Uint8Array {
  const { signature, text, linkEdit } = readMachO(file);
  if (signature === null || signature.end !== file.length || linkEdit.start > signature.start)
    throw new Error("The executable has no signature at its end that could be replaced.");
  const limit = signature.start;
  const blobBytes =
    SUPER_BLOB_BYTES + directoryBytes(identifier) + Math.ceil(limit / PAGE_BYTES) * HASH_BYTES;
  const size = roundedUp(blobBytes, SIGNATURE_ALIGNMENT);
  const copy = new Uint8Array(limit + size);
  copy.set(file.subarray(0, limit));

  // The header is hashed with the rest, so it comes first. It is little-endian.
  const header = viewOf(copy);
  header.setUint32(signature.command + 12, size, true);
  const inFile = limit + size - linkEdit.start;
  header.setBigUint64(linkEdit.command + 32, BigInt(roundedUp(inFile, SEGMENT_ALIGNMENT)), true);
  header.setBigUint64(linkEdit.command + 48, BigInt(inFile), true);
  copy.set(superBlob(copy.subarray(0, limit), { text, identifier }), limit);
  return copy;
}

/** How many bytes a code directory has before its hashes. */
function directoryBytes(identifier: string): number {
  return DIRECTORY_BYTES + Buffer.byteLength(identifier) + 1;
}

interface SignedParts {
  readonly text: Segment;
  readonly identifier: string;
}

function superBlob(content: Uint8Array, { text, identifier }: SignedParts): Uint8Array {
  const hashes = hashesOf(content);
  const head = Buffer.alloc(SUPER_BLOB_BYTES + directoryBytes(identifier));
  const blob = Buffer.concat([head, hashes]);
  blob.writeUInt32BE(SUPER_BLOB, 0);
  blob.writeUInt32BE(blob.length, 4);
  blob.writeUInt32BE(1, 8);
  blob.writeUInt32BE(CODE_DIRECTORY_SLOT, 12);
  blob.writeUInt32BE(SUPER_BLOB_BYTES, 16);

  const directory = blob.subarray(SUPER_BLOB_BYTES);
  directory.writeUInt32BE(CODE_DIRECTORY, 0);
  directory.writeUInt32BE(directory.length, 4);
  directory.writeUInt32BE(VERSION, 8);
  directory.writeUInt32BE(AD_HOC, 12);
  directory.writeUInt32BE(directoryBytes(identifier), 16);
  directory.writeUInt32BE(DIRECTORY_BYTES, 20);
  directory.writeUInt32BE(hashes.length / HASH_BYTES, 28);
  directory.writeUInt32BE(content.length, 32);
  directory.writeUInt8(HASH_BYTES, 36);
  directory.writeUInt8(SHA256, 37);
  directory.writeUInt8(PAGE_SHIFT, 39);
  directory.writeBigUInt64BE(BigInt(text.start), 64);
  directory.writeBigUInt64BE(BigInt(text.end - text.start), 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(identifier, DIRECTORY_BYTES);
  return blob;
}

function roundedUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
