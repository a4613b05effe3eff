import { CofferError } from "../../domain/errors.ts";
import { basePathOf, withoutBasePath } from "../../domain/network/base-path.ts";
import type { Log } from "../../process/log.ts";
import { discardUnread } from "../connection/body.ts";
import { errorResponse } from "./errors.ts";
import { usedAddress } from "./link-base.ts";
import type { Handler } from "./pipeline.ts";

/** Where an authority asks for the answers to its challenges (RFC 8555, 8.3). */
const CHALLENGES = "/.well-known/acme-challenge/";

interface RedirectOptions {
  /** The address of this server that is configured: a URL without a trailing slash; null if none is. */
  readonly baseUrl: string | null;
  /** The https address at a host name that a caller used, without a trailing slash. */
  readonly addressAt: (host: string) => string;
  /** The https address for who names no host. */
  readonly ownUrl: () => string;
  /** The answer to a challenge by its token, null if it is not asked for; null if no authority asks anything. */
  readonly challengeAnswer: ((token: string) => string | null) | null;
  readonly log: Log;
}

/**
 * Answers plain HTTP: what asks for a page is sent to the https address. All else is refused, as is what brings a key:
 * that must not travel in the clear a second time, and would if a redirect made it work.
 */
export function httpsRedirect({
  baseUrl,
  addressAt,
  ownUrl,
  challengeAnswer,
  log,
}: RedirectOptions): Handler {
  const addressFor = ({ headers }: Request): string => {
    if (baseUrl !== null) return baseUrl;
    const used = usedAddress(headers, false);
    return used === null ? ownUrl() : addressAt(new URL(used).hostname);
  };
  const answer = (request: Request): Response => {
    const base = addressFor(request);
    const bringsKey = request.headers.has("authorization");
    if (bringsKey || (request.method !== "GET" && request.method !== "HEAD")) {
      const advice = bringsKey ? " The key was sent readable for others on the way: make another one." : "";
      const message = `This port speaks plain HTTP, and only redirects. Use ${base}.${advice}`;
      const id = crypto.randomUUID();
      const refused = errorResponse(new CofferError("FORBIDDEN", message), id, log);
      refused.headers.set("x-request-id", id);
      // Nothing more is to be sent here.
      refused.headers.set("connection", "close");
      return refused;
    }
    const { pathname, search } = targetOf(request);
    const path = withoutBasePath(pathname, basePathOf(base));
    return new Response(null, { status: 308, headers: { location: base + path + search } });
  };
  return (request) => {
    const challenge = challengeAnswer === null ? null : answerToChallenge(request, challengeAnswer);
    if (challenge !== null) return challenge;
    const unread = discardUnread(request);
    return unread === null ? answer(request) : unread.then(() => answer(request));
  };
}

/** The answer to who looks whether a name leads here; null if the request is no such. */
function answerToChallenge(request: Request, answerFor: (token: string) => string | null): Response | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const { pathname } = targetOf(request);
  if (!pathname.startsWith(CHALLENGES)) return null;
  const found = answerFor(pathname.slice(CHALLENGES.length));
  return new Response(found ?? "This is not asked for now.\n", {
    status: found === null ? 404 : 200,
    headers: {
      "content-type": "text/plain",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}

/** What is asked for. Without a usable Host the runtime gives the target alone, and with a bad one no valid URL. */
function targetOf({ url }: Request): URL {
  return new URL(`http://localhost${url.replace(/^https?:\/\/[^/?#]*/, "")}`);
}
