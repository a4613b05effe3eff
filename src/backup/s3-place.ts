import { type BlobFacts, requireBlob } from "../blobs/blob-file.ts";
import { BackupError, type BackupPlace } from "./place.ts";

/** Larger files are uploaded in parts: servers take up to 5 GiB at once. */
const WHOLE_BYTES = 1024 ** 3;
/** Bytes. 10,000 parts are allowed, so a file may have 640 GB. */
const PART_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 4;
/** The pause before the second attempt, in milliseconds; it doubles each time. */
const PAUSE_MS = 250;
/** How long a signed address is valid, in seconds: also for a large file and a slow line. */
const SIGNED_S = 24 * 60 * 60;

/** An answer that would be the same the next time. */
class Refused extends BackupError {}

/** A part of a bucket. Bun takes the endpoint, the region and the credentials from its own environment variables. */
export class S3Place implements BackupPlace {
  readonly #client: Bun.S3Client;
  readonly #where: string;
  readonly #prefix: string;

  /** @param prefix empty, or ends in a slash */
  constructor({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) {
    this.#client = new Bun.S3Client({ bucket });
    this.#prefix = prefix;
    this.#where = `the bucket ${bucket}`;
  }

  async *list(prefix: string): ReturnType<BackupPlace["list"]> {
    const from = `${this.#prefix}${prefix}`;
    for (let continuationToken: string | undefined; ;) {
      const token = continuationToken === undefined ? {} : { continuationToken };
      const page = await this.#attempt("listed", () => this.#client.list({ prefix: from, ...token }));
      for (const { key, size = 0 } of page.contents ?? []) {
        yield { name: key.slice(this.#prefix.length), size };
      }
      if (page.isTruncated !== true || page.nextContinuationToken === undefined) return;
      // Otherwise it would be asked for the same page for ever.
      if (page.nextContinuationToken === continuationToken) {
        throw new BackupError(`${this.#where} cannot be listed: it answers the same page again and again.`);
      }
      continuationToken = page.nextContinuationToken;
    }
  }

  async read(name: string): Promise<AsyncIterable<Uint8Array> | null> {
    // A reader of the runtime's own would hold what nobody has taken yet.
    const response = await this.#send("GET", name);
    if (response.status === 404) return null;
    return response.body ?? new Blob([]).stream();
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    await requireBlob(path, content);
    await this.put(name, Bun.file(path));
  }

  async put(name: string, bytes: Blob): Promise<void> {
    if (bytes.size > WHOLE_BYTES) await this.#attempt("written", () => this.#putInParts(name, bytes));
    else await this.#send("PUT", name, bytes);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#send("DELETE", name);
  }

  /** An object is durable once it was accepted. */
  async sync(): Promise<void> {}

  async #putInParts(name: string, bytes: Blob): Promise<void> {
    const writer = this.#client.file(this.#prefix + name).writer({ partSize: PART_BYTES, queueSize: 1 });
    try {
      for (let at = 0; at < bytes.size; at += PART_BYTES) {
        await writer.write(await bytes.slice(at, at + PART_BYTES).bytes());
        // Without this, it keeps all that was written in memory.
        await writer.flush();
      }
      await writer.end();
    } catch (error) {
      await writer.end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Sends a file as it is on the disk, without reading it into memory. */
  #send(method: "GET" | "PUT" | "DELETE", name: string, body?: Blob): Promise<Response> {
    return this.#attempt(name, async () => {
      const url = this.#client.presign(this.#prefix + name, { method, expiresIn: SIGNED_S });
      const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
      if (response.ok || (response.status === 404 && method !== "PUT")) return response;
      const text = (await response.text()).slice(0, 300);
      const Failure = response.status >= 500 || response.status === 429 ? BackupError : Refused;
      throw new Failure(`${this.#where} answered ${response.status} to ${method} ${name}: ${text}`);
    });
  }

  /** Tries again what may pass: a lost connection, a server that is busy. */
  async #attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await action();
      } catch (error) {
        if (error instanceof Refused || attempt === ATTEMPTS) throw this.#explained(what, error);
        await Bun.sleep(PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }

  #explained(what: string, error: unknown): Error {
    if (error instanceof BackupError) return error;
    const why = error instanceof Error ? error.message : String(error);
    return new BackupError(
      `${this.#where} cannot be used (${what}): ${why}. Check S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and ` +
        "S3_SECRET_ACCESS_KEY.",
      { cause: error },
    );
  }
}
