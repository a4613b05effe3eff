import type { TObject, TSchema } from "@sinclair/typebox";
import { ParameterReader } from "../../domain/oauth/oauth-request.ts";
import { OAuthError } from "../../domain/oauth/oauth-client.ts";
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type { Services } from "../../services/services.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { RateLimiter } from "../gate/gate.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { Method, Route } from "../operation/route.ts";
import type { ContentOperation, Operation } from "../operation/spec.ts";
import { ANONYMOUS_BYTES, readBody, refuseCodedBody, refuseLongBody } from "../json/json-body.ts";

export const FORM = "application/x-www-form-urlencoded";

export interface OAuthOptions extends Pick<
  Services,
  "apiKeys" | "authorizations" | "oauthClients" | "oauthGrants"
> {
  readonly linkBase: LinkBase;
  /** The configured address; null if there is none. */
  readonly baseUrl: string | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the description of every route of the protocol has. */
type Facts = "tag" | "public" | "isOAuth";

/** An operation of the OAuth protocol. Its schemas are only shown: what is wrong is told as the protocol has it. */
export type ProtocolOperation =
  Omit<Operation<TObject, TObject, TSchema>, Facts> | Omit<ContentOperation<TObject, TObject>, Facts>;

/** A route of the OAuth protocol: its errors have the shape of RFC 6749, section 5.2. */
export function protocolRoute(
  method: Method,
  path: string,
  spec: ProtocolOperation,
  handle: (request: Request, context: RequestContext) => Promise<Response>,
): Route {
  const facts = { tag: "Applications", public: true, isOAuth: true } as const;
  return {
    method,
    path,
    spec: { ...spec, ...facts },
    answer: ({ request }, context) => {
      context.hasOAuthErrors = true;
      return handle(request, context);
    },
  };
}

/** Counts a request for its client's address. Throws RATE_LIMITED. */
export function countRequest(limiter: RateLimiter, { client }: RequestContext, limit: number): void {
  limiter.require(client, limit, "Too many requests from one address. Try again later.");
}

/** Reads a form or a client's metadata. Throws PAYLOAD_TOO_LARGE and UNSUPPORTED_MEDIA_TYPE. */
export async function readSmallBody(request: Request): Promise<Uint8Array> {
  refuseLongBody(request, ANONYMOUS_BYTES);
  refuseCodedBody(request);
  return readBody(request, ANONYMOUS_BYTES);
}

/** Reads the parameters of a form. Throws OAuthError for any other body, and as `readSmallBody`. */
export async function readForm(request: Request): Promise<ParameterReader> {
  const body = await readSmallBody(request);
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new OAuthError("invalid_request", "The body must be application/x-www-form-urlencoded.");
  }
  return new ParameterReader(new URLSearchParams(new TextDecoder().decode(body)));
}
