import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type BlobFacts, DamagedBlob } from "../../../src/blobs/blob-file.ts";
import type { RemoteBlobs } from "../../../src/blobs/cache/remote-blobs.ts";
import { type ByteRange, type Digest, parseDigest } from "../../../src/domain/contents/content.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { digestOf } from "../samples/blob-store-contract.ts";

/** How a server sends the bytes of a range: in these pieces. What throws cuts the connection. */
export type Sending = (bytes: Uint8Array<ArrayBuffer>) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** How many bytes it sends at once, where nothing else is said. */
const PIECE_BYTES = 100_000;

/** A server of contents over HTTP, and its client. It sends what it is told to, in the way it is told to. */
export class BlobServer implements RemoteBlobs, AsyncDisposable {
  /** What was asked for, in this order. */
  readonly asked: ByteRange[] = [];
  /** How the next answers are sent, one after another; then as usual. */
  readonly next: Sending[] = [];
  isAway = false;
  readonly #contents = new Map<Digest, Uint8Array<ArrayBuffer>>();
  // Of Node's servers a connection can be cut.
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #listening = once(this.#server.listen(0, "127.0.0.1"), "listening");

  put(bytes: Uint8Array<ArrayBuffer>): BlobFacts {
    const digest = digestOf(bytes);
    this.#contents.set(digest, bytes);
    return { digest, size: bytes.length };
  }

  remove({ digest }: BlobFacts): void {
    this.#contents.delete(digest);
  }

  async open({ digest, size }: BlobFacts, range: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const headers = { range: `bytes=${range.start}-${range.end - 1}` };
    const answer = await fetch(`${await this.#base()}/${digest}`, { headers });
    if (answer.status === 503) throw new CofferError("UNAVAILABLE", "The contents are away.");
    if (answer.body === null || answer.headers.get("x-size") !== String(size)) {
      throw new DamagedBlob("the object", digest, "is missing", { isMissing: true });
    }
    return answer.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #base(): Promise<string> {
    await this.#listening;
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("a server without a port");
    return `http://127.0.0.1:${address.port}`;
  }

  async #answer({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const digest = parseDigest(url?.slice(1) ?? "");
    const bytes = digest === null ? undefined : this.#contents.get(digest);
    if (this.isAway || bytes === undefined) {
      response.writeHead(this.isAway ? 503 : 404).end();
      return;
    }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    const range = { start: Number(first), end: Number(last) + 1 };
    this.asked.push(range);
    const send = this.next.shift() ?? inPieces;
    response.writeHead(206, { "x-size": bytes.length });
    const closed = once(response, "close");
    try {
      for await (const piece of send(bytes.slice(range.start, range.end))) {
        if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
        if (response.destroyed) return;
      }
      response.end();
    } catch {
      response.destroy();
    }
  }
}

/** In pieces of 100,000 bytes. */
export function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.slice(at, at + PIECE_BYTES);
}

/** Cuts the connection after so many bytes. */
export function cutAfter(length: number): Sending {
  return function* send(bytes) {
    yield* inPieces(bytes.subarray(0, length));
    throw new Error("cut");
  };
}

/** Ends the answer after so many bytes, as if these were all. */
export function endAfter(length: number): Sending {
  return (bytes) => inPieces(bytes.subarray(0, length));
}

/** Sends more than was asked for. */
export function withMore(more: Uint8Array): Sending {
  return function* send(bytes) {
    yield* inPieces(bytes);
    yield more;
  };
}

/** Changes one byte. */
export function withWrong(at: number): Sending {
  return (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return inPieces(bytes);
  };
}

/** Sends so many bytes, and the rest once `go` resolves. */
export function heldAfter(length: number, go: Promise<void>): Sending {
  return async function* send(bytes) {
    yield* inPieces(bytes.subarray(0, length));
    await go;
    yield* inPieces(bytes.subarray(length));
  };
}
