import type { Clock } from "../../process/clock.ts";
import { bucketOf, type Caller, isSession, isUnclaimed, ownerOf } from "../../domain/accounts/caller.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { CofferError } from "../../domain/errors.ts";
import { SESSION_REQUESTS, SHARED_FACTOR } from "../../domain/limits.ts";
import { rateLimited } from "./errors.ts";
import { foreignOrigin, type OriginOf, refuseForeign } from "./origins.ts";
import { type RateLimitState, type RequestContext, unauthorized } from "./request-context.ts";
import { isMcpPath, type RouteTable } from "./route-table.ts";
import { SESSION_COOKIE, tokenIn } from "./session-cookie.ts";
import type { KeyId } from "../../domain/id.ts";
import type { LinkBase } from "./link-base.ts";

export interface GateOptions {
  readonly clock: Clock;
  readonly authenticate: (rawKey: string) => Caller | null;
  readonly authenticateSession: (token: string) => Caller | null;
  readonly originOf: OriginOf;
  /** The same for the MCP server: see `surelyOwnOrigin`. */
  readonly mcpOriginOf: OriginOf;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  readonly isPublic: RouteTable["isPublic"];
  readonly isByLink: RouteTable["isByLink"];
  /** Whether a caller without an account can have a drive and its key. */
  readonly provisioning: boolean;
}

const BEARER = /^bearer +(\S+) *$/i;

interface Taken {
  readonly state: RateLimitState;
  /** Whether this is the window that all keys of one owner share. */
  readonly isShared: boolean;
}

export type Gate = ReturnType<typeof createGate>;

/** Makes what decides who may continue at `/v0` and `/mcp`; it sets the caller, and what is left, even if it throws. */
export function createGate(gate: GateOptions) {
  const { clock, authenticate, originOf, rateLimits, provisioning } = gate;
  const options = { clock, windowSeconds: 60 };
  const callers = new RateLimiter(options);
  /** Windows that all keys of one owner share, with `SHARED_FACTOR` times the limit. */
  const owners = new RateLimiter(options);
  // Separate, so that a flood of requests without keys cannot push out the windows of callers with keys.
  const clients = new RateLimiter(options);

  /** Counts a request in both windows of its key, or in neither if one refuses it. Sessions have one of their own. */
  const take = (caller: Caller): Taken => {
    const [bucket, owner, limit] = [bucketOf(caller), ownerOf(caller), rateLimits[caller.plan]];
    if (isSession(caller)) {
      return { state: callers.take(bucket, Math.max(SESSION_REQUESTS, limit)), isShared: false };
    }
    const own = callers.take(bucket, limit);
    const shared = owners.take(owner, SHARED_FACTOR * limit);
    if (own.allowed && !shared.allowed) callers.refund(bucket);
    if (shared.allowed && !own.allowed) owners.refund(owner);
    return tighter(own, shared);
  };

  const count = (caller: Caller | null, context: RequestContext): void => {
    context.caller = caller;
    const taken =
      caller === null
        ? { state: clients.take(context.client, rateLimits.free), isShared: false }
        : take(caller);
    context.rateLimit = taken.state;
    const { allowed, limit, resetSeconds } = taken.state;
    if (allowed) return;
    throw rateLimited(
      `Too many requests ${whatCounted(caller, taken.isShared)}: ${limit} a minute are allowed. Try again in ${resetSeconds} s.`,
      resetSeconds,
    );
  };

  /** Counts a message of an MCP client; see `RequestContext.refusal`. */
  const countMessage = (caller: Caller | null, request: Request, context: RequestContext): void => {
    try {
      count(caller, context);
    } catch (error) {
      // Who opens a stream has no model that reads.
      if (request.method !== "POST" || !(error instanceof CofferError)) throw error;
      context.refusal = error;
    }
  };

  const bringKey = (rawKey: string, context: RequestContext): void => {
    const caller = authenticate(rawKey);
    if (caller === null) return;
    // Until now it counted as one without a key.
    clients.refund(context.client);
    count(caller, context);
  };

  return (request: Request, context: RequestContext): void => {
    const rawKey = bearerToken(request.headers.get("authorization"));
    const isMcp = isMcpPath(context.path);
    // An Authorization header, even an invalid one, disables the cookie: programs must not depend on a browser's
    // cookies. A read that names a foreign origin has no session: the response may be shown to that origin's page.
    // MCP clients are always programs.
    const isForeignRead =
      isRead(request.method) && request.headers.has("origin") && originOf(request) === "foreign";
    const token = rawKey === null && !isMcp && !isForeignRead ? tokenIn(request, SESSION_COOKIE) : null;
    const caller =
      rawKey !== null ? authenticate(rawKey) : token !== null ? gate.authenticateSession(token) : null;
    if (isMcp) {
      countMessage(caller, request, context);
      // What a caller may do there depends on the message: see `http/mcp/`.
      if (caller !== null) return;
      if (request.headers.has("authorization")) throw unauthorized(provisioning);
      refuseForeign(request, gate.mcpOriginOf);
      context.bringKey = (brought) => bringKey(brought, context);
      return;
    }
    count(caller, context);
    if (caller === null) {
      if (!gate.isPublic(request.method, context.path)) throw unauthorized(provisioning);
      // What a page sends counts for the address of whoever looks at it. A link names its own limits.
      const isLinked = gate.isByLink(request.method, context.path);
      if (!isRead(request.method) && !isLinked) refuseForeign(request, originOf);
    } else if (isRead(request.method)) {
      return;
    } else if (rawKey === null && originOf(request) !== "own") {
      // Browsers send cookies also with requests from other sites' pages.
      throw foreignOrigin();
    } else if (caller.scope === "read-only") {
      throw new CofferError(
        "FORBIDDEN",
        "This key is read-only: it can only use GET and HEAD. Use a key with the scope read-write.",
      );
    }
  };
}

/** The window of a caller that has less left or, if equal, ends later; one that refuses, if only one does. */
function tighter(own: RateLimitState, shared: RateLimitState): Taken {
  const difference =
    Number(own.allowed) - Number(shared.allowed) ||
    own.remaining - shared.remaining ||
    shared.resetSeconds - own.resetSeconds;
  return difference > 0 ? { state: shared, isShared: true } : { state: own, isShared: false };
}

function whatCounted(caller: Caller | null, isShared: boolean): string {
  if (caller === null) return "from your address without a valid key";
  if (isShared) return `with all keys of this ${isUnclaimed(caller) ? "drive" : "account"} together`;
  return isSession(caller) ? "by those signed in to this account" : "with this key";
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The token of an `Authorization` header (RFC 6750, 2.1); null unless it is exactly one Bearer token. */
export function bearerToken(header: string | null): string | null {
  return (header && BEARER.exec(header)?.[1]) || null;
}

export type Challenge = ReturnType<typeof createChallenge>;

interface ChallengeOptions {
  readonly isPossible: () => boolean;
  readonly isGrant: (keyId: KeyId) => boolean;
  readonly linkBase: LinkBase;
}

/** Makes what tells MCP clients, in a refusal, how to get in, by `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1). */
export function createChallenge({ isPossible, isGrant, linkBase }: ChallengeOptions) {
  return (response: Response, request: Request, context: RequestContext): void => {
    if (!isMcpPath(context.path)) return;
    const error = errorOf(response, request, context, isGrant);
    if (error === null || !isPossible()) return;
    const metadata = `resource_metadata="${linkBase(context)}/.well-known/oauth-protected-resource/mcp"`;
    response.headers.set(
      "www-authenticate",
      `Bearer ${[...error, metadata, 'scope="read write"'].join(", ")}`,
    );
  };
}

/** What is wrong with the key; null if another does not help, or a client might drop a valid one that it was given. */
function errorOf(
  { status }: Response,
  { headers }: Request,
  { caller }: RequestContext,
  isGrant: ChallengeOptions["isGrant"],
): string[] | null {
  if (status === 401) return headers.has("authorization") ? ['error="invalid_token"'] : [];
  if (status !== 403 || caller === null || caller.keyId === null || caller.scope !== "read-only") return null;
  return isGrant(caller.keyId) ? ['error="insufficient_scope"'] : null;
}

interface Window {
  readonly startedAt: number;
  used: number;
}

/** Fixed windows, each starting at its bucket's first request. All are equally long, so the map's first end first. */
export class RateLimiter {
  readonly #options;
  readonly #windowMs: number;
  readonly #windows = new Map<string, Window>();

  /** Beyond `capacity` windows the oldest are dropped: memory is limited during a flood of requests. */
  constructor(options: { clock: Clock; windowSeconds: number; capacity?: number }) {
    this.#options = { capacity: 100_000, ...options };
    this.#windowMs = options.windowSeconds * 1000;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts one request of `bucket`, which may send `limit` in a window. */
  take(bucket: string, limit: number): RateLimitState {
    const now = this.#options.clock.now();
    let window = this.#windows.get(bucket);
    if (window === undefined || this.#hasEnded(window, now)) {
      this.#windows.delete(bucket);
      this.#makeRoom(now);
      window = { startedAt: now, used: 0 };
      this.#windows.set(bucket, window);
    }
    const allowed = window.used < limit;
    if (allowed) window.used += 1;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.startedAt + this.#windowMs - now) / 1000)),
    };
  }

  /** Like `take`; throws RATE_LIMITED if there are none left. In the message `{seconds}` is when to try again. */
  require(bucket: string, limit: number, message: string): void {
    const { allowed, resetSeconds } = this.take(bucket, limit);
    if (!allowed) throw rateLimited(message.replace("{seconds}", String(resetSeconds)), resetSeconds);
  }

  refund(bucket: string): void {
    const window = this.#windows.get(bucket);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  /** A window that starts in the future is from before the clock was set back. */
  #hasEnded(window: Window, now: number): boolean {
    return now >= window.startedAt + this.#windowMs || now < window.startedAt;
  }

  #makeRoom(now: number): void {
    for (const [bucket, window] of this.#windows) {
      if (this.#windows.size < this.#options.capacity && !this.#hasEnded(window, now)) return;
      this.#windows.delete(bucket);
    }
  }
}
