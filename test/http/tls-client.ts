import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

/** A keep-alive client of HTTPS, which sends one request after another, and sees how its connection ends. */
export class TlsClient {
  readonly #socket: TLSSocket;
  #received = "";
  /** Whether the last answer said that no other comes. */
  isLast = false;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => (this.#received += text));
  }

  /** Resolves once both have agreed on how to encrypt. Rejects if the connection is refused or reset. */
  static async to(port: number): Promise<TlsClient> {
    // Any certificate: which one it is, is what tests ask.
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    return new TlsClient(socket);
  }

  /** The subject of the server's certificate. */
  get name(): string {
    return String(this.#socket.getPeerCertificate().subject.CN);
  }

  /** The server's certificate. */
  get certificate(): X509Certificate {
    return new X509Certificate(this.#socket.getPeerCertificate().raw);
  }

  /** Sends a request, and returns the body, which must have a length. Rejects if the connection ends before. */
  async get(path = "/"): Promise<string> {
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const head = await this.until(/^[^]*?\r\n\r\n/);
    this.isLast = /^connection: close/im.test(head);
    const length = /^content-length: (\d+)/im.exec(head)?.[1] ?? "0";
    return this.until(new RegExp(`^[^]{${length}}`));
  }

  /** Waits until what was received begins with this, and takes it. */
  async until(beginning: RegExp): Promise<string> {
    for (;;) {
      const found = beginning.exec(this.#received)?.[0];
      if (found !== undefined) {
        this.#received = this.#received.slice(found.length);
        return found;
      }
      const gone = new AbortController();
      const { signal } = gone;
      const event = await Promise.race([
        once(this.#socket, "data", { signal }).then(() => "data"),
        once(this.#socket, "close", { signal }).then(() => "close"),
      ]);
      gone.abort();
      if (event === "close" && beginning.exec(this.#received) === null)
        throw new Error(`the connection ended after ${JSON.stringify(this.#received)}`);
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The subject of the certificate that new connections have. */
export async function nameAt(port: number): Promise<string> {
  const client = await TlsClient.to(port);
  const { name } = client;
  client.close();
  return name;
}

/** The certificate that new connections have. */
export async function certificateAt(port: number): Promise<X509Certificate> {
  const client = await TlsClient.to(port);
  const { certificate } = client;
  client.close();
  return certificate;
}
