import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { OAuthError } from "../../domain/oauth-error.ts";
import { ParameterReader } from "../../domain/oauth-request.ts";
import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../log.ts";
import type { Authorizations } from "../../services/oauth/authorizations.ts";
import type { LinkBase } from "../gate/link-base.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { isNavigation } from "../sign-in/turn-back.ts";
import { protocolRoute, takeTurn, UNCACHED } from "./protocol-route.ts";

/** What the authorization endpoint needs. */
export interface AuthorizeOptions {
  readonly authorizations: Authorizations;
  readonly linkBase: LinkBase;
  readonly clock: Clock;
  readonly log: Log;
}

/** How many requests one client address may begin in a window, so that it cannot push others out of memory. */
const STARTS = 60;
const WINDOW_SECONDS = 600;

const HEADERS = { ...UNCACHED, "referrer-policy": "no-referrer", "x-frame-options": "DENY" };

/**
 * The authorization endpoint (RFC 6749, 3.1): redirects the browser to our page, where a person decides. Until it is
 * sure who asks and where the answer goes, an error is for the person: it never redirects to the client.
 */
export function authorize({ authorizations, linkBase, clock, log }: AuthorizeOptions) {
  const starts = new RateLimiter({ clock, windowSeconds: WINDOW_SECONDS });
  const begin = async (context: RequestContext, base: string): Promise<string> => {
    takeTurn(starts, context, STARTS);
    const begun = await authorizations.begin(new ParameterReader(new URLSearchParams(context.query)), base);
    return "ticket" in begun ? `${base}/oauth/consent?request=${begun.ticket}` : begun.redirectTo;
  };
  return new Elysia({ name: "oauth-authorize" }).get(
    ...protocolRoute("/oauth/authorize", async (request, context) => {
      const base = linkBase(context);
      try {
        return redirect(await begin(context, base));
      } catch (error) {
        if (!(error instanceof CofferError) || !isNavigation(request)) throw error;
        log.info("an application's request was refused", { request_id: context.id, reason: error.message });
        return redirect(`${base}/oauth/consent?problem=${problemOf(error)}`);
      }
    }),
  );
}

/** What our page is to explain: it shows no sentence out of an address, which anybody can make. */
function problemOf(error: CofferError): "client" | "redirect" | "busy" | "request" {
  if (error.code === "RATE_LIMITED") return "busy";
  if (!(error instanceof OAuthError)) return "request";
  if (error.oauthCode === "invalid_client" || error.oauthCode === "invalid_client_metadata") return "client";
  return error.oauthCode === "invalid_redirect_uri" ? "redirect" : "request";
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}
