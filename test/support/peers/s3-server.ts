import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { failure, type S3Answer, S3Objects, type S3Traits } from "./s3-objects.ts";
import { refusalOfSignature } from "./s3-signature.ts";

/** What goes wrong with a request. Bodies are cut or changed after `after` bytes. */
export type S3Fault =
  /** This is answered, and it is not done. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly code: string;
      readonly headers?: S3Answer["headers"];
      /** Instead of the error. */
      readonly body?: S3Answer["body"];
    }
  /** The connection is cut before it is done. */
  | { readonly kind: "cut" }
  /** The connection is cut before its body is read. */
  | { readonly kind: "cut-early" }
  /** It is done, and the connection is cut before the answer. */
  | { readonly kind: "lost" }
  /** It is never answered. */
  | { readonly kind: "silent" }
  /** It is answered later. */
  | { readonly kind: "late"; readonly until: Promise<void> }
  /** The connection is cut in the answer's body. */
  | { readonly kind: "cut-body"; readonly after: number }
  /** Nothing comes any more in the answer's body. */
  | { readonly kind: "stall"; readonly after: number }
  /** One byte of the request's body is another one. */
  | { readonly kind: "wrong-upload"; readonly at: number }
  /** One byte of the answer's body is another one. */
  | { readonly kind: "wrong-byte"; readonly after: number }
  /** The answer says, and has, fewer bytes than the object. */
  | { readonly kind: "short"; readonly after: number };

export const SLOW_DOWN: S3Fault = { kind: "answer", status: 503, code: "SlowDown" };

interface ServerOptions extends Partial<Omit<S3Traits, "isStuck">> {
  readonly region?: string;
  readonly keys?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly clock?: { now(): number };
}

/** An S3 server that keeps its objects in memory, checks all that AWS checks, and lists three objects a page. */
export class S3Server implements AsyncDisposable {
  /** What it was asked, such as `PUT some/where?partNumber=1`, in order. */
  readonly asked: string[] = [];
  /** What is to go wrong with a request. */
  fault: (asked: string) => S3Fault | null = () => null;
  readonly traits: S3Traits;
  readonly #bucket: string;
  readonly #store: S3Objects;
  readonly #options;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  private constructor(bucket: string, options: ServerOptions) {
    this.#bucket = bucket;
    const keys = { accessKeyId: "key", secretAccessKey: "secret" };
    this.#options = { region: "us-east-1", keys, clock: { now: () => Date.now() }, ...options };
    this.traits = { conditions: "kept", checksums: "taken", isStuck: false, ...options };
    this.#store = new S3Objects(this.traits, () => this.#options.clock.now());
  }

  static async start(bucket: string, options: ServerOptions = {}): Promise<S3Server> {
    const server = new S3Server(bucket, options);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return server;
  }

  /** By their names. */
  get objects(): Map<string, Uint8Array> {
    return this.#store.objects;
  }

  /** When objects were written, if not now; milliseconds since the epoch. */
  get writtenAt(): Map<string, number> {
    return this.#store.writtenAt;
  }

  /** How many uploads in parts have begun and not ended. */
  get openUploads(): number {
    return this.#store.uploads.size;
  }

  /** What a client needs to reach it, as settings have it. */
  get settings() {
    const { region, keys } = this.#options;
    return { endpoint: this.url, region, ...keys };
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the server does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** The same, in the environment. */
  get env(): Readonly<Record<string, string>> {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.settings;
    return {
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "" } = request;
    const url = new URL(path, this.url);
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const [, where = "", ...rest] = url.pathname.split("/").map(decodeURIComponent);
    const name = rest.join("/");
    const said = `${method} ${name}${url.search}`;
    this.asked.push(said);
    const fault = this.fault(said);
    if (fault?.kind === "cut-early") return void response.destroy();
    const pieces = await Array.fromAsync(request as AsyncIterable<Uint8Array>).catch(() => null);
    if (pieces === null) return;
    if (fault?.kind === "cut") return void response.destroy();
    if (fault?.kind === "silent") return;
    if (fault?.kind === "late") await fault.until;
    const body = Buffer.concat(pieces);
    if (fault?.kind === "wrong-upload") body[fault.at] = (body[fault.at] ?? 0) ^ 1;
    const answer = this.#answer({ method, url, headers, where, name, body }, fault);
    if (fault?.kind === "lost") return void response.destroy();
    send(response, method, answer, fault);
  }

  #answer(
    {
      url,
      where,
      ...asked
    }: {
      readonly method: string;
      readonly url: URL;
      readonly headers: Headers;
      readonly where: string;
      readonly name: string;
      readonly body: Uint8Array;
    },
    fault: S3Fault | null,
  ): S3Answer {
    if (fault?.kind === "answer") {
      const { status, code, headers: said = {}, body } = fault;
      return body === undefined
        ? { ...failure(status, code), headers: said }
        : { status, headers: said, body };
    }
    const { region, keys, clock } = this.#options;
    const { method, headers } = asked;
    const refusal = refusalOfSignature({ method, url, headers, region, now: clock.now() }, keys);
    if (refusal !== null) {
      const [status, code, more] = refusal;
      return { ...failure(status, code, "", more), headers: { date: new Date(clock.now()).toUTCString() } };
    }
    if (where !== this.#bucket) return failure(404, "NoSuchBucket");
    if (asked.body.length > 0 && headers.get("content-length") === null)
      return failure(411, "MissingContentLength");
    return this.#store.answer({ ...asked, query: url.searchParams });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }
}

function send(response: ServerResponse, method: string, answer: S3Answer, fault: S3Fault | null): void {
  const { status, headers = {}, body = "" } = answer;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const after = fault !== null && "after" in fault ? fault.after : bytes.length;
  if (fault?.kind === "wrong-byte") bytes[after] = (bytes[after] ?? 0) ^ 1;
  const length = fault?.kind === "short" ? Math.min(after, bytes.length) : bytes.length;
  response.writeHead(status, { ...headers, "content-length": length });
  if (method === "HEAD") return void response.end();
  response.flushHeaders();
  if (fault?.kind === "stall") return void response.write(bytes.subarray(0, after));
  if (fault?.kind === "cut-body") {
    return void response.write(bytes.subarray(0, after), () => response.destroy());
  }
  response.end(bytes.subarray(0, length));
}

/** A fault for each request that matches. */
export function always(fault: S3Fault, pattern = /(?:)/): (asked: string) => S3Fault | null {
  return (asked) => (pattern.test(asked) ? fault : null);
}

/** A fault for the request of this number, from 1. */
export function nth(number: number, fault: S3Fault): (asked: string) => S3Fault | null {
  let count = 0;
  return () => (++count === number ? fault : null);
}

/** A fault for the first so many requests that match. */
export function times(count: number, fault: S3Fault, pattern = /(?:)/): (asked: string) => S3Fault | null {
  let left = count;
  return (asked) => (pattern.test(asked) && left-- > 0 ? fault : null);
}
