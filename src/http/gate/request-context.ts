import { bucketOf, type Caller } from "../../domain/accounts/caller.ts";
import { USER_AGENT_CHARACTERS } from "../../domain/accounts/sign-in.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import { CofferError } from "../../domain/errors.ts";
import {
  IDEMPOTENCY_KEY,
  parseAnonymousIdempotencyKey,
  parseIdempotencyKey,
} from "../../domain/idempotency.ts";
import { withoutBasePath } from "../../domain/network/base-path.ts";
import type { Attempt } from "../../services/idempotency.ts";
import type { Span } from "../../tracing/span.ts";
import type { AddressOf, ClientOf } from "../connection/client-address.ts";
import { usedAddress } from "./link-base.ts";
import type { CutSocket, Peer } from "../connection/socket-cut.ts";

export interface Connections {
  requestIP(request: Request): Peer | null;
  timeout(request: Request, seconds: number): void;
}

export interface ContextParts {
  /** See `basePathOf`. */
  readonly basePath: string;
  readonly clientOf: ClientOf;
  readonly addressOf: AddressOf;
  readonly isTrustedPeer: (peer: string | undefined) => boolean;
  /** See `Idempotency.begin`. */
  readonly beginAttempt: (scope: string, idempotencyKey: string, caller: Caller | null) => Attempt;
  readonly cutSocket: CutSocket;
}

/** What is left of a window, after this request. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface Sending {
  /** Asked twice a second until all is sent. */
  readonly mayGoOn: () => boolean;
  /** Asked at the end: whether the runtime has sent less than it announced, so that the client waits for the rest. */
  readonly isCutShort?: () => boolean;
}

/** A route, by what it was made for; one object for each. */
export interface RouteName {
  readonly method: string;
  /** A template, such as `/v0/files/:id`. */
  readonly path: string;
  /** Absent for a route that is not in the API description. */
  readonly spec?: { readonly administrators?: boolean };
}

/** A connection without a byte in either direction for this long is closed, in seconds. */
export const IDLE_SECONDS = 30;

/** The same for a slow client that sends a short body or empties the socket buffers: the most that the runtime takes. */
const SLOW_SECONDS = 255;

/** How often what is being sent is looked at, in milliseconds. */
const LOOK_MS = 500;

const CLIENT_REQUEST_ID = /^[!-~]{1,128}$/;

export class RequestContext {
  readonly id: string;
  /** As sent; the request that routes see has GET in the place of HEAD. */
  readonly method: string;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number = performance.now();
  /**
   * The path, percent-encoded, starting with `/`, without the base path; empty for a target without one (CONNECT). All
   * that decides anything by the path takes this one.
   */
  readonly path: string;
  /** Whether the path was sent with the base path. */
  readonly hadBasePath: boolean;
  /** The query as sent, without its `?`. */
  readonly query: string;
  /** Null for a request without a valid key or session. */
  caller: Caller | null = null;
  /** Makes the holder of a key in the body the caller, and counts it. Throws RATE_LIMITED. Null where none can come. */
  bringKey: ((rawKey: string) => void) | null = null;
  /**
   * Why a message of an MCP client is refused that is read all the same, up to the length of one without a key: a tool
   * call has its refusal as a result, which its model reads. All else that goes wrong with it is told as this.
   */
  refusal: CofferError | null = null;
  /** The route that handles it; null while there is none. */
  route: RouteName | null = null;
  /** What an MCP message asks for, such as `tools/call read_file`, for the log; null for other requests. */
  call: string | null = null;
  /** The span of the trace that it belongs to; null if that is not recorded. */
  span: Span | null = null;
  /** Whether errors have the shape that OAuth gives them. */
  hasOAuthErrors = false;
  /** The conditions of a write that were sent as parameters or fields, in place of headers; null where absent. */
  readonly sentConditions: Record<"ifMatch" | "ifNoneMatch", string | null> = {
    ifMatch: null,
    ifNoneMatch: null,
  };
  /** Why the changes of this request are made, as it says; undefined if it does not. */
  message: string | undefined;
  /** Whether something unknown in it was passed over, as it prefers; the response says so. */
  isLenient = false;
  /** What the caller has left; null outside `/v0` and `/mcp`. */
  rateLimit: RateLimitState | null = null;
  readonly #request: Request;
  readonly #connections: Connections;
  readonly #parts: ContextParts;
  #prefersLenience: boolean | undefined;
  #origin: Origin | undefined;
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
    const sentPath = pathStart === -1 ? "" : url.slice(pathStart, pathEnd);
    this.path = withoutBasePath(sentPath, parts.basePath);
    this.hadBasePath = this.path !== sentPath;
    this.query = queryStart === -1 ? "" : url.slice(queryStart + 1);
    this.method = request.method;
    this.#request = request;
    this.#connections = connections;
    this.#parts = parts;
  }

  /** The client's address for counting: an IPv4 address or an IPv6 /64. */
  get client(): string {
    return this.#parts.clientOf(this.peer, this.#request.headers.get("x-forwarded-for"));
  }

  /** Where the request came from. Ask for it before the body is read: a closed connection has no address. */
  get origin(): Origin {
    return (this.#origin ??= this.#readOrigin());
  }

  /** Lets the caller know where the request came from, for the audit log. */
  noteOrigin(): void {
    const { origin, caller } = this;
    if (caller !== null) this.caller = { ...caller, origin };
  }

  #readOrigin(): Origin {
    const { headers } = this.#request;
    const userAgent = headers.get("user-agent");
    return {
      address: this.#parts.addressOf(this.peer, headers.get("x-forwarded-for")),
      userAgent: userAgent === null ? null : userAgent.slice(0, USER_AGENT_CHARACTERS).toWellFormed(),
      requestId: this.id,
    };
  }

  /** See `usedAddress`: only for links in the response to this request. */
  get usedAddress(): string | null {
    const { headers, url } = this.#request;
    return usedAddress(
      headers,
      this.#parts.isTrustedPeer(this.peer),
      url.startsWith("https:") ? "https" : "http",
    );
  }

  /** The address of the other end of the connection, which may be a proxy; undefined once it is closed. */
  get peer(): string | undefined {
    return this.#connections.requestIP(this.#request)?.address;
  }

  /**
   * A write with its Idempotency-Key, to be ended; null without one. Throws VALIDATION_ERROR, IDEMPOTENCY_IN_PROGRESS,
   * QUOTA_EXCEEDED.
   */
  beginAttempt(): Attempt | null {
    const key = this.#request.headers.get(IDEMPOTENCY_KEY);
    if (key === null) return null;
    const { caller } = this;
    // The scope is the owner of the key: the same key from another caller names another request.
    return caller === null
      ? this.#parts.beginAttempt(`client ${this.client}`, parseAnonymousIdempotencyKey(key), null)
      : this.#parts.beginAttempt(`caller ${bucketOf(caller)}`, parseIdempotencyKey(key), caller);
  }

  /** Whether something unknown in the request is to be passed over, because it prefers that. */
  passesOver(): boolean {
    this.#prefersLenience ??= prefersLenience(this.#request.headers);
    if (this.#prefersLenience) this.isLenient = true;
    return this.#prefersLenience;
  }

  /** Gives the connection another `IDLE_SECONDS`; streams call it for each piece. */
  keepAlive(): void {
    this.#connections.timeout(this.#request, IDLE_SECONDS);
  }

  /** Allows a client to send a body slowly that is read at once: nobody learns of its pieces. */
  allowSlowWriter(): void {
    this.#connections.timeout(this.#request, SLOW_SECONDS);
  }

  /**
   * Allows a client to read a large response slowly, a little after the runtime, when it begins to send, has set its own
   * timeout. `sending` is for what the runtime sends by itself: once it says no, the connection is closed.
   */
  allowSlowReader(sending?: Sending): void {
    const peer = this.#connections.requestIP(this.#request);
    this.#patience = setTimeout(() => {
      this.#connections.timeout(this.#request, SLOW_SECONDS);
      if (sending !== undefined && peer !== null) this.#watch(sending, peer);
    }, LOOK_MS);
    this.#patience.unref();
  }

  #watch(sending: Sending, peer: Peer): void {
    // A request whose response has been sent has no connection.
    if (this.#connections.requestIP(this.#request) === null) {
      if (sending.isCutShort?.() === true) this.#parts.cutSocket(peer);
      return;
    }
    if (!sending.mayGoOn()) return this.breakOff();
    this.#patience = setTimeout(() => this.#watch(sending, peer), LOOK_MS);
    this.#patience.unref();
  }

  /** Closes the connection, also of a client that reads nothing. The client gets a truncated response. */
  breakOff(): void {
    clearTimeout(this.#patience);
    const peer = this.#connections.requestIP(this.#request);
    // Otherwise within a few seconds: the runtime has no other way to end a body that waits to be sent.
    if (peer === null || !this.#parts.cutSocket(peer)) this.#connections.timeout(this.#request, 1);
  }

  /** Keeps the connection open while no bytes move: syncing a large content takes time. */
  suspendIdleTimeout(): void {
    this.#connections.timeout(this.#request, 0);
  }
}

const contexts = new WeakMap<Request, RequestContext>();

export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error("the request did not come through the pipeline");
  return context;
}

/** The caller; throws UNAUTHORIZED for a request without a valid key or session. */
export function callerOf(request: Request): Caller {
  const { caller } = contextOf(request);
  if (caller === null) throw unauthorized(false);
  return caller;
}

/** The same error for no key, an unknown key and a revoked key. @param provisioning whether anybody may have a drive */
export function unauthorized(provisioning: boolean): CofferError {
  const alone = provisioning
    ? 'Without one, send `POST /v0/drives/provision` with {"name": "My drive"}: it needs no account, and returns a drive and its key. '
    : "";
  return new CofferError(
    "UNAUTHORIZED",
    `This needs a valid API key: send it as \`Authorization: Bearer <key>\`. ${alone}People make keys on the dashboard, at /keys.`,
  );
}

/** A token, perhaps a value (a token, or a string in quotes), perhaps parameters. */
const PREFERENCE =
  /^[\t ]*([\w!#$%&'*+.^`|~-]+)(?:[\t ]*=[\t ]*([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?[\t ]*(?:;|$)/;

/** A longer header is not read: the time must be bounded, whatever is sent. */
const LONGEST = 1024;

/** Commas and semicolons in quotes separate nothing. */
const PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

/** Whether what is not understood is to be passed over (RFC 7240, 4.4). Of two preferences the first counts. */
function prefersLenience(headers: Headers): boolean {
  const sent = headers.get("prefer");
  if (sent === null || sent.length > LONGEST) return false;
  for (const [part] of sent.matchAll(PARTS)) {
    const [, name = "", value = ""] = PREFERENCE.exec(part) ?? [];
    if (name.toLowerCase() === "handling") return value.replaceAll('"', "").toLowerCase() === "lenient";
  }
  return false;
}
