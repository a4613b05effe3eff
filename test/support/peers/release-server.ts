import { generateKeyPairSync } from "node:crypto";
import { tar } from "../../../src/release/archives.ts";
import { publicKeyOf, signatureOf } from "../../../src/release/minisign.ts";

/** Who makes releases: a key of minisign without a password. */
export class Publisher {
  readonly #id = crypto.getRandomValues(Buffer.alloc(8));
  readonly #seed: Uint8Array;
  /** The public key, in one line. */
  readonly key: string;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.#seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
    const point = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    this.key = publicKeyOf({ id: this.#id, point });
  }

  /** What stands in `SHA256SUMS.minisig`. */
  sign(sums: string, comment: string): string {
    return signatureOf(Buffer.from(sums), { id: this.#id, seed: this.#seed }, comment);
  }
}

/** A release of one platform. */
export interface Published {
  readonly version: string;
  readonly platform: string;
  /** The executable. */
  readonly bytes: Uint8Array;
  readonly by: Publisher;
}

/** A place of releases on this machine, over HTTP. */
export class ReleaseServer implements AsyncDisposable {
  /** What it has, by name; a test may spoil it. */
  readonly files = new Map<string, Uint8Array | string>();
  /** What it answers with instead, by name. */
  readonly answers = new Map<string, () => Response>();
  /** What it was asked. */
  readonly asked: { method: string; url: string; headers: Record<string, string> }[] = [];
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => this.#answer(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/releases`;
  }

  /** Puts a signed release in the place of the one before. */
  publish({ version, platform, bytes, by }: Published): void {
    const inside = `coffer-${version}-${platform}`;
    const entries = [
      { name: `${inside}/README.md`, bytes: Buffer.from("read me") },
      { name: `${inside}/coffer`, bytes, isExecutable: true },
    ];
    const archive = Bun.gzipSync(Buffer.from(tar(entries, 0)), { level: 1 });
    const sums = `${Bun.SHA256.hash(archive, "hex")}  ${inside}.tar.gz\n`;
    this.files.set("latest.json", JSON.stringify({ version }));
    this.files.set(`${inside}.tar.gz`, archive);
    this.files.set("SHA256SUMS", sums);
    this.files.set("SHA256SUMS.minisig", by.sign(sums, `coffer ${version}`));
  }

  #answer(request: Request): Response {
    const { method, url, headers } = request;
    this.asked.push({ method, url, headers: headers.toJSON() });
    const name = new URL(url).pathname.replace(/^\/releases\//, "");
    const file = this.files.get(name);
    return (
      this.answers.get(name)?.() ??
      (file === undefined ? new Response("none", { status: 404 }) : new Response(file))
    );
  }

  /** Closes all connections, whatever is on its way. */
  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
