import type { Socket } from "node:net";

/** More than any head that a test sends. */
const HEAD_BYTES = 64 * 1024;
/** What follows on a head. */
export const END_OF_HEAD = "\r\n\r\n";

/** Bytes, piece by piece. */
export type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

/** What arrives over a socket: the heads of messages (RFC 9112), and bodies as they are sent. */
export class Incoming {
  readonly #pieces: AsyncIterator<Buffer>;
  #arrived: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#pieces = socket[Symbol.asyncIterator]();
  }

  /** The next head, without the empty line at its end; null at the end of the connection. */
  async head(): Promise<string | null> {
    for (;;) {
      const end = this.#arrived.indexOf(END_OF_HEAD);
      if (end !== -1) {
        const head = this.#arrived.toString("latin1", 0, end);
        this.#arrived = this.#arrived.subarray(end + END_OF_HEAD.length);
        return head;
      }
      if (this.#arrived.length > HEAD_BYTES) throw new Error("the head of a message has no end");
      const next = await this.#pieces.next();
      if (next.done === true) return null;
      this.#arrived = Buffer.concat([this.#arrived, next.value]);
    }
  }

  /** The next bytes, so many of them; null for all until the end of the connection. Fewer if that comes before. */
  async *body(length: number | null): AsyncGenerator<Buffer> {
    let left = length ?? Infinity;
    while (left > 0) {
      // The iterator is not given back at the end: that would close the socket.
      if (this.#arrived.length === 0) {
        const next = await this.#pieces.next();
        if (next.done === true) return;
        this.#arrived = next.value;
      }
      const piece = this.#arrived.subarray(0, Math.min(left, this.#arrived.length));
      this.#arrived = this.#arrived.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}

export function bytesOfHead(head: string): Buffer {
  return Buffer.from(head + END_OF_HEAD, "latin1");
}

/** The words of a head's first line: of a request the method and the target, of an answer the version and the status. */
export function firstWords(head: string): [first: string, second: string] {
  const [first = "", second = ""] = head.split(" ", 2);
  return [first, second];
}

/** The value of a field; null if there is none. @param name in small letters */
export function fieldOf(head: string, name: string): string | null {
  const line = head.split("\r\n").find((each) => nameOf(each) === name);
  return line?.slice(name.length + 1).trim() ?? null;
}

/** A head with these fields, whatever it had before. @param fields by names in small letters; null for none */
export function withFields(head: string, fields: Readonly<Record<string, string | null>>): string {
  const kept = head.split("\r\n").filter((line) => !(nameOf(line) in fields));
  const added = Object.entries(fields).filter(([, value]) => value !== null);
  return [...kept, ...added.map(([name, value]) => `${name}: ${value}`)].join("\r\n");
}

/** A head without the fields with such names. */
export function withoutFields(head: string, names: RegExp): string {
  const [first = "", ...fields] = head.split("\r\n");
  return [first, ...fields.filter((line) => !names.test(nameOf(line)))].join("\r\n");
}

function nameOf(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(":"))).toLowerCase();
}

/** How many bytes a message's body has; null if only its end tells. */
export function bodyLength(head: string, otherwise: number | null): number | null {
  const length = fieldOf(head, "content-length");
  if (length !== null) return Number(length);
  return fieldOf(head, "transfer-encoding") === null ? otherwise : null;
}

/** The first bytes of a body, so many of them. */
export async function* upTo(pieces: Pieces, length: number): AsyncGenerator<Buffer> {
  let left = length;
  if (left === 0) return;
  for await (const piece of pieces) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** A body with one bit changed, in its byte at this offset. */
export async function* flippedAt(pieces: Pieces, offset: number): AsyncGenerator<Buffer> {
  let from = 0;
  for await (const piece of pieces) {
    const at = offset - from;
    const copy = Buffer.from(piece);
    if (at >= 0 && at < copy.length) copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    from += piece.length;
    yield copy;
  }
}

/** A body in pieces of so many bytes at most, with so many milliseconds before each. */
export async function* slowed(pieces: Pieces, bytes: number, ms: number): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += bytes) {
      await Bun.sleep(ms);
      yield piece.subarray(at, at + bytes);
    }
  }
}

/** A chunked body (RFC 9112, section 7.1); null if the last chunk is missing. */
export function unchunked(body: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf("\r\n", at);
    if (end === -1) return null;
    const length = Number.parseInt(body.toString("latin1", at, end), 16);
    if (length === 0) return Buffer.concat(pieces);
    if (end + 2 + length > body.length) return null;
    pieces.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
