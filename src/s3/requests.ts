import type { SteadyClock } from "../process/clock.ts";
import { traced } from "../tracing/traced.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { BucketAddress, type BucketPlace, type Query } from "./address.ts";
import { Circuit, type CircuitChange } from "./circuit.ts";
import { CredentialsReader, type CredentialsSource } from "./credentials.ts";
import { PassingFailure, S3Refused, S3Unavailable } from "./errors.ts";
import { Exchange } from "./exchange.ts";
import { S3ErrorReply, S3Reply } from "./replies.ts";
import { type S3Figures, S3Meter } from "./meter.ts";
import { EMPTY_SHA256, Signer } from "./signer.ts";
import { BadAnswer, readXml, type XmlElement } from "./xml.ts";

/** How long a store is waited for. */
export interface Patience {
  /** To take the next bytes of a request, or to begin its answer, in milliseconds. */
  readonly answerMs: number;
  /** For the next bytes of an answer, in milliseconds. */
  readonly stallMs: number;
  /** How often a request is sent before it has failed. */
  readonly attempts: number;
}

const PATIENCE: Patience = { answerMs: 30_000, stallMs: 30_000, attempts: 4 };

/** The pause before the second attempt is at most this, in milliseconds; it doubles each time. */
const PAUSE_MS = 250;
/** A store that asks for a longer pause is not asked again. */
const LONGEST_PAUSE_MS = 20_000;

/** How much of a body that nobody needs is read, in bytes. */
const UNREAD_BYTES = 64 * 1024;

/** Where a bucket is, and who may use it: what the configuration says. */
export interface S3Settings extends Omit<BucketPlace, "bucket"> {
  /** Null if none are given. */
  readonly credentials: CredentialsSource | null;
}

/** A part of a bucket, and how it is used. What is left out is as usual; tests say it. */
export interface S3Options extends S3Settings {
  readonly bucket: string;
  /** What all names begin with in the bucket: empty, or ends in a slash. */
  readonly prefix: string;
  readonly clock: SteadyClock;
  /** Records the requests, of which the store is told nothing; absent if no traces are recorded. */
  readonly tracer?: Tracer | null;
  /** Bytes of a part of a large object; stores take no less than 5 MiB. */
  readonly partBytes?: number;
  readonly patience?: Partial<Patience>;
  /** Is told once when the store is no longer asked, and once when it answers again. */
  readonly onCircuit?: (change: CircuitChange) => void;
  /** Waits for some milliseconds. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** From 0 to 1, exclusive. */
  readonly random?: () => number;
}

/** A request for an object, or for the bucket if the name is empty. */
export interface S3Request {
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT";
  /** In the bucket, with the prefix. */
  readonly name: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** Of the body; the store refuses bytes that do not match it. */
  readonly sha256?: string;
  /** How long this answer may take to begin, in milliseconds, if not as usual. */
  readonly answerMs?: number;
}

/** Sends signed requests to a bucket, again where that may help. */
export class S3Requests {
  readonly #options: S3Options;
  readonly #address: BucketAddress;
  readonly #signer: Signer;
  readonly #circuit: Circuit;
  readonly #patience: Patience;
  readonly #meter = new S3Meter();

  constructor(options: S3Options) {
    const { clock, region, onCircuit = () => {} } = options;
    this.#options = options;
    this.#address = new BucketAddress(options);
    this.#signer = new Signer({ clock, region, credentials: new CredentialsReader(options.credentials) });
    this.#circuit = new Circuit({ clock, onChange: onCircuit });
    this.#patience = { ...PATIENCE, ...options.patience };
  }

  /** What came of all requests so far. */
  get figures(): S3Figures {
    return this.#meter.figures(this.#circuit.isOpen);
  }

  /** An address by which anybody can do what the request does, for some seconds. Throws S3Refused. */
  addressOf({ method, name, query }: Pick<S3Request, "method" | "name" | "query">, seconds: number) {
    return this.#signer.addressOf(method, this.#address.urlOf(name, query), seconds);
  }

  /** What `take` makes of the answer. Throws as `try`, and S3Refused for an answer that is an error. */
  async ask<T>(request: S3Request, take: (reply: S3Reply) => Promise<T>): Promise<T> {
    const answer = await this.try(request, take);
    if (answer instanceof S3ErrorReply) throw this.refusal(request, answer);
    return answer;
  }

  /**
   * What `take` makes of the answer, or the error that it is. Throws S3Unavailable, S3Refused if nothing can be asked, and
   * what reading the body throws.
   */
  try<T>(request: S3Request, take: (reply: S3Reply) => Promise<T>): Promise<T | S3ErrorReply> {
    const { tracer = null } = this.#options;
    return traced(tracer, `s3 ${request.method}`, async (span) => {
      span?.set({ "http.request.method": request.method }, "client");
      const answer = await this.#try(request, take, () => span?.note("retry"));
      if (answer instanceof S3ErrorReply) span?.set({ "http.response.status_code": answer.status });
      return answer;
    });
  }

  async #try<T>(
    request: S3Request,
    take: (reply: S3Reply) => Promise<T>,
    noteRetry: () => void,
  ): Promise<T | S3ErrorReply> {
    const { sleep = Bun.sleep } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= this.#patience.attempts;
      if (attempt > 1) {
        this.#meter.countRetry();
        noteRetry();
      }
      try {
        const answer = await this.#circuit.run(() =>
          this.#meter.count(request, this.#attempt(request, take)),
        );
        if (isLast || !isDoubtful(answer)) return answer;
        await sleep(this.#pauseAfter(attempt, 0));
      } catch (error) {
        if (!(error instanceof PassingFailure)) throw error;
        const pause = this.#pauseAfter(attempt, error.retryAfterMs);
        if (isLast || pause > LONGEST_PAUSE_MS) {
          throw this.unavailable(request, error, pause);
        }
        await sleep(pause);
      }
    }
  }

  /** For a store that fails again and again. */
  unavailable(request: Pick<S3Request, "method" | "name">, cause: Error, retryAfterMs = 1000): S3Unavailable {
    const message = `The bucket ${this.#options.bucket} is not available: ${cause.message} (${nameOf(request)}). Check S3_ENDPOINT, and the server there.`;
    return new S3Unavailable(message, Math.max(retryAfterMs, 1000), { cause });
  }

  /** For an answer that stays the same. */
  refusal(request: S3Request, reply: S3ErrorReply): S3Refused {
    return new S3Refused(
      `The bucket ${this.#options.bucket} cannot be used: ${reply.said} (${nameOf(request)}). ${this.#adviceFor(reply)}`,
    );
  }

  async #attempt<T>(request: S3Request, take: (reply: S3Reply) => Promise<T>): Promise<T | S3ErrorReply> {
    const reply = await this.#send(request);
    if (reply.status >= 200 && reply.status < 300) return taken(reply, take);
    const error = await S3ErrorReply.read(reply, request.method);
    if (error.isPassing) throw new PassingFailure(error.said, error.retryAfterMs);
    return error;
  }

  async #send({ method, name, query, body, sha256 = EMPTY_SHA256, ...request }: S3Request): Promise<S3Reply> {
    const { stallMs, answerMs } = this.#patience;
    const url = this.#address.urlOf(name, query);
    const own = { ...request.headers, "x-amz-content-sha256": sha256 };
    const headers = await this.#signer.headersOf(method, url, own);
    const exchange = new Exchange();
    // A stream and its length: a file that is given as such is read whole into memory where there is TLS.
    if (body !== undefined) headers.set("content-length", String(body.size));
    const asked = fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: exchange.stream(body) }),
      // Nobody else may get what is signed.
      redirect: "manual",
      // The bytes are counted, and those of a packed object are its content.
      decompress: false,
      signal: exchange.signal,
    });
    return new S3Reply(await exchange.step(asked, request.answerMs ?? answerMs), exchange, stallMs);
  }

  /** Somewhere up to a bound, so that many do not come again all at once. In milliseconds. */
  #pauseAfter(attempt: number, retryAfterMs: number): number {
    const { random = Math.random } = this.#options;
    return Math.max(retryAfterMs, random() * PAUSE_MS * 2 ** (attempt - 1));
  }

  #adviceFor({ status, code, region, date, isMismatch, isUnclear }: S3ErrorReply): string {
    if (region !== null && region !== this.#options.region) {
      return `It is in the region ${region}: set S3_REGION, and S3_ENDPOINT if that names a region.`;
    }
    if (status >= 300 && status < 400)
      return "It is elsewhere, and redirects are not followed. Set S3_ENDPOINT.";
    if (code === "RequestTimeTooSkewed") {
      const own = new Date(this.#options.clock.now()).toUTCString();
      return `The clock of this machine says ${own}, that of the store ${date}. Set it right.`;
    }
    if (isMismatch) {
      return "What arrived does not match its SHA-256, each time it was sent. Something on the way changes it, or the file has changed.";
    }
    if (status === 404 && isUnclear) {
      return "It does not say what is missing, as an S3 server does. Check S3_ENDPOINT, and what is on the way there.";
    }
    if (code === "NoSuchUpload")
      return "Somebody else, or a rule of the bucket, has ended this upload. Try again.";
    if (status === 404) return "Make the bucket, or check S3_ENDPOINT and the name of the bucket.";
    if (status === 401 || status === 403) {
      return "Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or the file of credentials, and what they may do.";
    }
    return "Check S3_ENDPOINT and S3_REGION.";
  }
}

function nameOf({ method, name }: Pick<S3Request, "method" | "name">): string {
  return `${method} ${name === "" ? "of the bucket" : name}`;
}

/** Whether bytes may have changed on the way, there or back: the store works, and may answer otherwise. */
function isDoubtful(answer: unknown): boolean {
  return answer instanceof S3ErrorReply && (answer.isMismatch || answer.isUnclear);
}

async function taken<T>(reply: S3Reply, take: (reply: S3Reply) => Promise<T>): Promise<T> {
  try {
    return await take(reply);
  } catch (error) {
    reply.end();
    throw error instanceof BadAnswer ? new PassingFailure(error.message, 0, { cause: error }) : error;
  }
}

/** Takes an answer of whose body nothing is needed, and not more than is read to use the connection again. */
export async function takeHead(reply: S3Reply): Promise<S3Reply> {
  let bytes = 0;
  for await (const piece of reply.pieces()) if ((bytes += piece.length) > UNREAD_BYTES) break;
  return reply;
}

/** Takes an answer in XML. */
export function takeXml(reply: S3Reply): Promise<XmlElement> {
  return readXml(reply.pieces());
}
