import type { ByteRange, Digest } from "../domain/contents/content.ts";
import { inParallel } from "../process/in-parallel.ts";
import { checksumOf, Dialect } from "./dialect.ts";
import { Gate } from "./gate.ts";
import { listObjects, listUploads } from "./listing.ts";
import { abortUpload, putInParts } from "./multipart.ts";
import { factsOf, type ObjectFacts, readObject, type S3Content } from "./reading.ts";
import { S3ErrorReply } from "./replies.ts";
import type { S3Figures } from "./meter.ts";
import { type S3Options, S3Requests, takeHead, takeXml } from "./requests.ts";

/** Up to this, in bytes, it costs little to send a body that is not taken. */
const CHEAP_BYTES = 64 * 1024;
/** Bytes of a part; a smaller object is sent whole. */
export const PART_BYTES = 16 * 1024 * 1024;
/** How many parts of all objects are on their way at once: each takes about 2 MiB of memory. */
const PARTS_AT_ONCE = 12;
/** How many objects are removed at once. */
const REMOVALS = 8;

export interface S3Object extends ObjectFacts {
  /** Without the prefix. */
  readonly name: string;
}

/** With which headers a client gets an object, whatever the store has kept of it. */
export type ShownAs = Readonly<
  Partial<Record<"cache-control" | "content-disposition" | "content-type", string>>
>;

interface Put {
  readonly key: string;
  readonly body: Blob;
  readonly sha256: Digest;
  readonly onlyIfAbsent: boolean;
}

/**
 * The objects under a prefix of a bucket. Every method throws S3Unavailable if the store is away, slow or overloaded, or
 * was so lately, and S3Refused if it will answer the same again.
 */
export class S3Bucket {
  readonly #requests: S3Requests;
  readonly #prefix: string;
  readonly #partBytes: number;
  readonly #dialect = new Dialect();
  readonly #gate = new Gate(PARTS_AT_ONCE);

  /** Throws S3Refused for an endpoint that is no address. */
  constructor(options: S3Options) {
    this.#requests = new S3Requests(options);
    this.#prefix = options.prefix;
    this.#partBytes = options.partBytes ?? PART_BYTES;
  }

  /** What came of all requests so far. */
  get figures(): S3Figures {
    return this.#requests.figures;
  }

  /** What is under a name; null if there is nothing. */
  async head(name: string): Promise<S3Object | null> {
    const found = await this.#factsOf(this.#prefix + name);
    if (found !== null) return { name, ...found };
    // An answer to HEAD has no body that could say that it is the bucket that is missing.
    const query = { "list-type": "2", "max-keys": "1" };
    await this.#requests.ask({ method: "GET", name: "", query }, takeXml);
    return null;
  }

  /** Of an object, by its name in the bucket; null if it is missing, or the bucket. */
  async #factsOf(key: string): Promise<ObjectFacts | null> {
    const request = { method: "HEAD", name: key } as const;
    const answer = await this.#requests.try(request, takeHead);
    if (!(answer instanceof S3ErrorReply)) return factsOf(answer);
    if (answer.status === 404) return null;
    throw this.#requests.refusal(request, answer);
  }

  /** Reads an object, or some of its bytes, fewer if it ends before; null if there is nothing under the name. */
  async get(name: string, range?: ByteRange): Promise<S3Content | null> {
    const isEmpty = range !== undefined && range.end <= range.start;
    const content = isEmpty ? "outside" : await readObject(this.#requests, this.#prefix + name, range);
    if (content !== "outside") return content;
    const found = await this.head(name);
    return found && { body: new Blob([]).stream(), size: 0, etag: found.etag, total: found.size };
  }

  /**
   * Writes an object, whole or not at all; it is durable then. A large one is sent in parts. Throws S3Refused for bytes
   * that do not match their digest, and what reading the body throws.
   *
   * @param options.onlyIfAbsent leaves what is there, and returns "present". Of several writers at once one succeeds, if
   *   the store takes conditions and the object is not sent in parts. After a lost answer, what is present may be what
   *   this call has written.
   */
  async put(
    name: string,
    body: Blob,
    { sha256, onlyIfAbsent = false }: { readonly sha256: Digest; readonly onlyIfAbsent?: boolean },
  ): Promise<"written" | "present"> {
    const put = { key: this.#prefix + name, body, sha256, onlyIfAbsent };
    const asksFirst = this.#dialect.conditions !== "kept" || body.size > CHEAP_BYTES;
    if (onlyIfAbsent && asksFirst && (await this.#factsOf(put.key)) !== null) return "present";
    if (body.size <= this.#partBytes) return this.#putWhole(put);
    const [partBytes, gate] = [this.#partBytes, this.#gate];
    await putInParts({ requests: this.#requests, dialect: this.#dialect, gate, partBytes, ...put });
    return "written";
  }

  async #putWhole(put: Put): Promise<"written" | "present"> {
    const { key, body, sha256, onlyIfAbsent } = put;
    const dialect = this.#dialect;
    const sent = {
      checksum: dialect.takesChecksums,
      condition: onlyIfAbsent && dialect.conditions !== "ignored",
    };
    const headers = {
      ...(sent.checksum ? checksumOf(sha256) : {}),
      ...(sent.condition ? { "if-none-match": "*" } : {}),
    };
    const request = { method: "PUT", name: key, headers, body, sha256 } as const;
    const answer = await this.#requests.try(request, takeHead);
    if (answer instanceof S3ErrorReply) {
      if (answer.status === 412 && sent.condition) {
        dialect.conditions = "kept";
        return "present";
      }
      if (dialect.learnsFrom(answer, sent)) return this.#putWhole(put);
      throw this.#requests.refusal(request, answer);
    }
    // What was just written must be refused now: else the store ignores conditions.
    if (sent.condition && dialect.conditions === "unknown" && body.size <= CHEAP_BYTES) {
      const again = await this.#requests.try(request, takeHead);
      dialect.conditions = again instanceof S3ErrorReply && again.status === 412 ? "kept" : "ignored";
    }
    return "written";
  }

  /** The objects whose names begin with `prefix`, in the order of their names' bytes, from after a name on. */
  async *list(prefix: string, startAfter = ""): AsyncGenerator<S3Object> {
    const after = startAfter === "" ? "" : this.#prefix + startAfter;
    for await (const { key, ...object } of listObjects(this.#requests, this.#prefix + prefix, after)) {
      yield { name: key.slice(this.#prefix.length), ...object };
    }
  }

  /** Removes objects; no error for one that is not there. */
  async remove(names: readonly string[]): Promise<void> {
    // One by one: not every store removes many by one request.
    await inParallel(names, REMOVALS, async (name) => {
      const request = { method: "DELETE", name: this.#prefix + name } as const;
      const answer = await this.#requests.try(request, takeHead);
      if (answer instanceof S3ErrorReply && !answer.isMissing) throw this.#requests.refusal(request, answer);
    });
  }

  /**
   * Aborts uploads in parts, as a crash leaves them. Returns how many.
   *
   * @param startedBefore milliseconds since the epoch, by the clock of the store
   */
  async abortUploads(startedBefore: number): Promise<number> {
    const stale = [];
    for await (const upload of listUploads(this.#requests, this.#prefix)) {
      if (upload.startedAt < startedBefore) stale.push(upload);
    }
    await inParallel(stale, REMOVALS, ({ key, uploadId }) => abortUpload(this.#requests, key, uploadId));
    return stale.length;
  }

  /** An address at which anybody can read an object for some seconds. It is secret: whoever has it can read. */
  presignedGet(name: string, seconds: number, shownAs: ShownAs = {}): Promise<string> {
    const said = Object.entries(shownAs).map(([header, value]) => [`response-${header}`, value] as const);
    const request = { method: "GET", name: this.#prefix + name, query: Object.fromEntries(said) } as const;
    return this.#requests.addressOf(request, seconds);
  }
}
