/** Where a part of a Mach-O file is, and the load command that says so. */
export interface Segment {
  /** Where its load command begins. */
  readonly command: number;
  /** Its first byte, and that after its last one. */
  readonly start: number;
  readonly end: number;
}

/** What signatures need of a Mach-O file. */
export interface MachO {
  /** The segment with the code. */
  readonly text: Segment;
  /** The last segment, which has the signature at its end. */
  readonly linkEdit: Segment;
  /** Null if the file has none. */
  readonly signature: Segment | null;
}

const MAGIC = 0xfeed_facf;
const HEADER_BYTES = 32;
/** The kinds of load commands that count here. */
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;

const CUT_OFF = "The Mach-O file is cut off.";

/**
 * Reads the load commands of a Mach-O file of 64 bits, little-endian, after Apple's `mach-o/loader.h`. Throws Error if it
 * is none, lacks a segment that every program has, or names bytes that it does not have.
 */
export function readMachO(file: Uint8Array): MachO {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new Error("This is no Mach-O file of 64 bits.");
  const segments = new Map<string, Segment>();
  let signature: Segment | null = null;
  let command = HEADER_BYTES;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const kind = numberAt(view, command);
    const size = numberAt(view, command + 4);
    if (kind === LC_SEGMENT_64) {
      const start = Number(longAt(view, command + 40));
      const end = start + Number(longAt(view, command + 48));
      segments.set(nameAt(file, command + 8), within(file, { command, start, end }));
    }
    if (kind === LC_CODE_SIGNATURE) {
      const start = numberAt(view, command + 8);
      signature = within(file, { command, start, end: start + numberAt(view, command + 12) });
    }
    command += size;
  }
  const text = segments.get("__TEXT");
  const linkEdit = segments.get("__LINKEDIT");
  if (text === undefined || linkEdit === undefined) throw new Error("The Mach-O file is no program.");
  return { text, linkEdit, signature };
}

function numberAt(view: DataView, at: number): number {
  if (at + 4 > view.byteLength) throw new Error(CUT_OFF);
  return view.getUint32(at, true);
}

function longAt(view: DataView, at: number): bigint {
  if (at + 8 > view.byteLength) throw new Error(CUT_OFF);
  return view.getBigUint64(at, true);
}

function within(file: Uint8Array, segment: Segment): Segment {
  if (segment.end > file.length) throw new Error(CUT_OFF);
  return segment;
}

/** A name of at most 16 bytes, which zeros end. */
function nameAt(file: Uint8Array, at: number): string {
  return Buffer.from(file.subarray(at, at + 16))
    .toString("latin1")
    .replace(/\0.*$/, "");
}
