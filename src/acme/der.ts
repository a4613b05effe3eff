// The Distinguished Encoding Rules of ASN.1 (X.690), as far as certificates and requests for them need them.

/** A value as it was read: its tag and what it holds. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

export const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value with a tag, that holds these parts one after another. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...parts);
}

/** An object identifier in its encoded form, in hexadecimal. */
export function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, "hex"));
}

/** A positive integer of these bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  return der(TAG.integer, isNegative ? Buffer.from([0]) : Buffer.alloc(0), bytes);
}

/** A string of whole bytes, as keys and signatures are. */
export function bits(bytes: Uint8Array): Buffer {
  return der(TAG.bits, Buffer.from([0]), bytes);
}

/** A time to the second, in milliseconds since the epoch. From 2050 on it has another form (RFC 5280, 4.1.2.5). */
export function time(instant: number): Buffer {
  const digits = `${new Date(instant).toISOString().slice(0, 19).replaceAll(/\D/g, "")}Z`;
  const isLate = digits >= "2050";
  return der(isLate ? TAG.generalizedTime : TAG.utcTime, Buffer.from(isLate ? digits : digits.slice(2)));
}

/** A tag of a context: 0 for `[0]`. @param isConstructed whether it holds other values */
export function contextTag(number: number, isConstructed = true): number {
  return (isConstructed ? 0xa0 : 0x80) | number;
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  const needed = bytes.slice(length > 0xffff ? 0 : length > 0xff ? 1 : 2);
  return [0x80 | needed.length, ...needed];
}

/** The values that some bytes hold, one after another. Throws a RangeError if they end amid one. */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const size = first < 0x80 ? 0 : first & 0x7f;
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, size);
    const start = at + 2 + size;
    if (start + length > bytes.length) throw new RangeError("a value is cut off");
    values.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return values;
}
