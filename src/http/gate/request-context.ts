import { bucketOf, type Caller } from "../../domain/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import {
  IDEMPOTENCY_KEY,
  parseAnonymousIdempotencyKey,
  parseIdempotencyKey,
} from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";
import type { ClientOf } from "./client-address.ts";
import { usedAddress } from "./used-address.ts";
import type { RateLimitState } from "./rate-limiter.ts";

/** What a request handler may ask of the server about the connection a request came by. */
export interface Connections {
  requestIP(request: Request): { readonly address: string } | null;
  timeout(request: Request, seconds: number): void;
}

/** Whom and what requests come from, and where their answers are kept. */
export interface ContextParts {
  readonly clientOf: ClientOf;
  readonly isTrustedPeer: (peer: string | undefined) => boolean;
  readonly beginAttempt: BeginAttempt;
}

/** See `Idempotency.begin`. */
export type BeginAttempt = (scope: string, idempotencyKey: string) => Attempt;

/** Seconds without a byte in either direction after which a connection is cut. */
export const IDLE_SECONDS = 30;

/** The same for a download, whose socket buffers may take a slow reader minutes; the runtime's longest. */
const READER_SECONDS = 255;

const CLIENT_REQUEST_ID = /^[!-~]{1,128}$/;

/** What is known about one request besides the request itself. */
export class RequestContext {
  readonly id: string;
  /** As sent; the request that routes see has GET in the place of HEAD. */
  readonly method: string;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number = performance.now();
  /** The path as sent, percent-encoded, starting with `/`; empty for a target without one (CONNECT). */
  readonly path: string;
  /** The query as sent, without its `?`. */
  readonly query: string;
  /** Who asks; null for a request without a valid key. */
  caller: Caller | null = null;
  /** The template of the route that answers, such as `/v0/files/:id`; null while there is none. */
  route: string | null = null;
  /** What the caller has left; null outside `/v0`. */
  rateLimit: RateLimitState | null = null;
  readonly #request: Request;
  readonly #connections: Connections;
  readonly #parts: ContextParts;
  #patience: NodeJS.Timeout | undefined;

  constructor(request: Request, connections: Connections, parts: ContextParts) {
    const sentId = request.headers.get("x-request-id");
    this.id = sentId !== null && CLIENT_REQUEST_ID.test(sentId) ? sentId : crypto.randomUUID();
    const url = request.url;
    // A request without a usable Host has its target alone as its URL.
    const schemeEnd = url.startsWith("/") ? 0 : url.indexOf("://") + 3;
    const pathStart = schemeEnd === 2 ? -1 : url.indexOf("/", schemeEnd);
    const queryStart = url.indexOf("?", schemeEnd);
    const pathEnd = queryStart === -1 ? url.length : queryStart;
    this.path = pathStart === -1 ? "" : url.slice(pathStart, pathEnd);
    this.query = queryStart === -1 ? "" : url.slice(queryStart + 1);
    this.method = request.method;
    this.#request = request;
    this.#connections = connections;
    this.#parts = parts;
  }

  /** The client's address as it is counted: an IPv4 address or an IPv6 /64. */
  get client(): string {
    return this.#parts.clientOf(this.#peer, this.#request.headers.get("x-forwarded-for"));
  }

  /** See `usedAddress`: for links in the answer to this request, and for nothing else. */
  get usedAddress(): string | null {
    return usedAddress(this.#request.headers, this.#parts.isTrustedPeer(this.#peer));
  }

  get #peer(): string | undefined {
    return this.#connections.requestIP(this.#request)?.address;
  }

  /**
   * Begins a write under its Idempotency-Key; null where it has none. Whoever calls this ends it.
   *
   * @throws CofferError VALIDATION_ERROR, IDEMPOTENCY_IN_PROGRESS
   */
  beginAttempt(): Attempt | null {
    const key = this.#request.headers.get(IDEMPOTENCY_KEY);
    if (key === null) return null;
    // The scope is whom the key belongs to: the same key from somebody else names another request.
    return this.caller === null
      ? this.#parts.beginAttempt(`client ${this.client}`, parseAnonymousIdempotencyKey(key))
      : this.#parts.beginAttempt(`caller ${bucketOf(this.caller)}`, parseIdempotencyKey(key));
  }

  /** Gives the connection another `IDLE_SECONDS`; streams call it for each piece they move. */
  keepAlive(): void {
    this.#connections.timeout(this.#request, IDLE_SECONDS);
  }

  /**
   * Bears with a client that takes a large answer slowly. The runtime starts its own count when it begins
   * to send, so ours is set a little later: what is sent before then fits into the socket's buffers.
   */
  allowSlowReader(): void {
    this.#patience = setTimeout(() => this.#connections.timeout(this.#request, READER_SECONDS), 1000);
    this.#patience.unref();
  }

  /**
   * Closes the connection of a client that takes nothing of its answer, within a few seconds: the runtime has
   * no other way to end a body that it waits to send. The client is left with an answer that has no end.
   */
  breakOff(): void {
    clearTimeout(this.#patience);
    this.#connections.timeout(this.#request, 1);
  }

  /** Keeps the connection while we work and nothing moves: making a large content durable takes time. */
  suspendIdleTimeout(): void {
    this.#connections.timeout(this.#request, 0);
  }
}

/** Holds nothing by itself: an entry lives exactly as long as its request. */
const contexts = new WeakMap<Request, RequestContext>();

/** Ties a context to the request that routes will see. */
export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

/** The context of a request that came through the pipeline. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error("the request did not come through the pipeline");
  return context;
}

/** Who asks; throws UNAUTHORIZED for a request without a valid key. */
export function callerOf(request: Request): Caller {
  const { caller } = contextOf(request);
  if (caller === null) throw unauthorized();
  return caller;
}

/** The one refusal for no key, an unknown key and a revoked key. */
export function unauthorized(): CofferError {
  return new CofferError("UNAUTHORIZED", "Send a valid API key as `Authorization: Bearer <key>`.");
}
