import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { address } from "../samples/archives.ts";
import type { Client } from "../server/client.ts";
import type { OwnDrive } from "../server/scenario.ts";
import { unchunked } from "./http-messages.ts";

const MIB = 1024 * 1024;

/** More than fits into all buffers to a client that does not read. */
export const LARGE = Buffer.alloc(24 * MIB, "what the client does not read ");

/** Sends a request over a connection of its own, whose answer is read as the test likes. A key is the client's. */
export function rawGet(
  { base, key }: Pick<Client, "base" | "key">,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Socket {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  socket.on("error", () => {});
  const sent = { host: "x", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${[`GET ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  return socket;
}

/** Requests an archive, or what is at another path, and reads only its start, until the rest is wanted. */
export class SlowReader implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #received: Buffer[] = [];
  readonly #closed = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (piece) => void this.#received.push(Buffer.from(piece)));
    socket.on("close", () => this.#closed.resolve());
  }

  /** @param headers additional ones */
  static async of(
    { id, client }: Pick<OwnDrive, "id" | "client">,
    headers: Readonly<Record<string, string>> = {},
    path = address(id),
  ): Promise<SlowReader> {
    const socket = rawGet(client, path, { connection: "close", ...headers });
    const reader = new SlowReader(socket);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    return reader;
  }

  /** All that comes until the connection is closed. */
  async answer(): Promise<{ head: string; body: Buffer }> {
    this.#socket.resume();
    await this.#closed.promise;
    const answer = Buffer.concat(this.#received);
    const bodyAt = answer.indexOf("\r\n\r\n") + 4;
    return { head: answer.toString("latin1", 0, bodyAt), body: answer.subarray(bodyAt) };
  }

  /** The complete archive; null if the connection was closed before its end. */
  async rest(): Promise<Buffer | null> {
    return unchunked((await this.answer()).body);
  }

  /** Whether the server still has the connection open; null if the system does not tell (proc(5)). */
  get isHeld(): boolean | null {
    try {
      const ends = `0100007F:${hex(this.#socket.remotePort)} 0100007F:${hex(this.#socket.localPort)}`;
      // 01 is TCP_ESTABLISHED.
      return readFileSync("/proc/net/tcp", "latin1").includes(`${ends} 01 `);
    } catch {
      return null;
    }
  }

  leave(): void {
    this.#socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.#closed.promise;
  }
}

/** A port as proc(5) writes it. */
function hex(port = 0): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
