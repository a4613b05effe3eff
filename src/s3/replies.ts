import type { Exchange } from "./exchange.ts";
import { readXml, textOf } from "./xml.ts";

/** How much of what a store says is repeated, in characters. */
const SAID_CHARACTERS = 200;

/** A successful answer, whose body is still to be read. */
export class S3Reply {
  readonly headers: Headers;
  readonly status: number;
  readonly #body: ReadableStream<Uint8Array> | null;
  readonly #exchange: Exchange;
  readonly #stallMs: number;

  constructor(response: Response, exchange: Exchange, stallMs: number) {
    this.headers = response.headers;
    this.status = response.status;
    this.#body = response.body;
    this.#exchange = exchange;
    this.#stallMs = stallMs;
  }

  /** The body. Throws PassingFailure if it is cut off, or if nothing comes for too long while it is waited for. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const reader = this.#body?.getReader();
    if (reader === undefined) return;
    let isWhole = false;
    try {
      for (;;) {
        const { done, value } = await this.#exchange.step(reader.read(), this.#stallMs);
        isWhole = done;
        if (done) return;
        yield value;
      }
    } finally {
      if (!isWhole) this.#exchange.end();
    }
  }

  /** Ends the answer before its end. */
  end(): void {
    this.#exchange.end();
  }
}

/** An answer that is an error. */
export class S3ErrorReply {
  readonly status: number;
  /** Such as `NoSuchKey`; empty if the answer does not say it. */
  readonly code: string;
  readonly message: string;
  /** The region that the bucket is in, if the answer says it. */
  readonly region: string | null;
  /** What the store's clock says; empty if it does not. */
  readonly date: string;
  /** How long the store asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number;

  /** Whether its meaning should stand in its body, and does not: that may have been lost on the way. */
  readonly isUnclear: boolean;

  private constructor(
    reply: S3Reply,
    said: { code: string; message: string; region: string | null; hasBody: boolean },
  ) {
    this.status = reply.status;
    this.isUnclear = said.hasBody && isUnclear(reply.status, said.code);
    this.code = said.code;
    this.message = said.message.slice(0, SAID_CHARACTERS);
    this.region = reply.headers.get("x-amz-bucket-region") ?? said.region;
    this.date = reply.headers.get("date") ?? "";
    const seconds = Number(reply.headers.get("retry-after") ?? 0);
    this.retryAfterMs = seconds > 0 ? seconds * 1000 : 0;
  }

  /** Reads an answer. One that is no XML, as of a proxy, is known by its status alone. @param method of the request */
  static async read(reply: S3Reply, method: string): Promise<S3ErrorReply> {
    const hasBody = method !== "HEAD";
    try {
      const xml = await readXml(reply.pieces());
      const [code, message] = [textOf(xml, "Code") ?? "", textOf(xml, "Message") ?? ""];
      return new S3ErrorReply(reply, { code, message, region: textOf(xml, "Region"), hasBody });
    } catch {
      return new S3ErrorReply(reply, { code: "", message: "", region: null, hasBody });
    }
  }

  /** Whether there is no such object or upload. Other servers answer 404 too, and so does a missing bucket. */
  get isMissing(): boolean {
    return this.code === "NoSuchKey" || this.code === "NoSuchUpload";
  }

  /** Whether the same request may be answered otherwise soon. */
  get isPassing(): boolean {
    return PASSING_STATUSES.includes(this.status) || PASSING_CODES.includes(this.code);
  }

  /** Whether what arrived at the store is not what its digest names. */
  get isMismatch(): boolean {
    return MISMATCH_CODES.includes(this.code);
  }

  /** In words. */
  get said(): string {
    return [`it answered ${this.status}`, this.code, this.message].filter((text) => text !== "").join(" ");
  }
}

function isUnclear(status: number, code: string): boolean {
  return status === 404 ? !MISSING_CODES.includes(code) : code === "" && EXPLAINED_STATUSES.includes(status);
}

/** Those that say too little without a code. */
const EXPLAINED_STATUSES: readonly number[] = [400, 403, 409];
/** What can be missing. */
const MISSING_CODES: readonly string[] = ["NoSuchBucket", "NoSuchKey", "NoSuchUpload"];
const MISMATCH_CODES: readonly string[] = [
  "BadDigest",
  "XAmzContentChecksumMismatch",
  "XAmzContentSHA256Mismatch",
];
const PASSING_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];
/** Those that stand in answers of other statuses. */
const PASSING_CODES: readonly string[] = [
  "ConditionalRequestConflict",
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
];
