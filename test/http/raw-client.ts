import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A TCP client that sends what no HTTP library would; closed at the end of its scope. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  #received = "";
  readonly #gone = new AbortController();
  /** Resolves when something has arrived, or nothing more will. */
  #next = Promise.withResolvers<void>();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (piece) => this.#wake(piece.toString("latin1")));
    for (const end of ["error", "close"]) {
      socket.on(end, () => {
        this.#gone.abort();
        this.#wake("");
      });
    }
  }

  static async to(port: number): Promise<RawClient> {
    const client = new RawClient(connect(port, "127.0.0.1"));
    await once(client.socket, "connect");
    return client;
  }

  /** Whether the connection is gone. */
  get isClosed(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Resolves when the system has taken the bytes, or the connection is gone. */
  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.isClosed || this.socket.write(bytes)) return;
    await once(this.socket, "drain", { signal: this.#gone.signal }).catch(() => {});
  }

  /** Everything received until `pattern` was seen or the connection closed; forgets it. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const end = pattern.exec(this.#received);
      if (end !== null || this.isClosed) {
        const length = end === null ? this.#received.length : end.index + end[0].length;
        const text = this.#received.slice(0, length);
        this.#received = this.#received.slice(length);
        return text;
      }
      await this.#next.promise;
    }
  }

  /** One response that has a Content-Length and a JSON body. */
  async response(): Promise<{ status: number; headers: Map<string, string>; body: unknown }> {
    const head = await this.until(/\r\n\r\n/);
    const [statusLine = "", ...lines] = head.trimEnd().split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers.get("content-length") ?? 0);
    const text = length === 0 ? "" : await this.until(new RegExp(`^[^]{${length}}`));
    const status = Number(statusLine.split(" ")[1] ?? 0);
    return { status, headers, body: text === "" ? null : JSON.parse(text) };
  }

  close(): void {
    this.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #wake(piece: string): void {
    this.#received += piece;
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
