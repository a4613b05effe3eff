import { Type } from "@sinclair/typebox";
import { OAuthError } from "../../domain/oauth/oauth-client.ts";
import { ParameterReader } from "../../domain/oauth/oauth-request.ts";
import { CofferError } from "../../domain/errors.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { isNavigation } from "../sign-in/turn-back.ts";
import { NO_STORE, UNCACHED } from "../sign-in/auth.ts";
import {
  countRequest,
  type OAuthOptions,
  optionalText,
  type ProtocolOperation,
  protocolRoute,
} from "./protocol-route.ts";

/** How many requests one client address may begin in a window, so that it cannot push others out of memory. */
const STARTS = 60;
const WINDOW_SECONDS = 600;

const HEADERS = { ...NO_STORE, "referrer-policy": "no-referrer", "x-frame-options": "DENY" };

const AUTHORIZE: ProtocolOperation = {
  operationId: "authorize",
  summary: "Ask a person for access",
  description: `For browsers: redirects to the page where a person signs in and decides. If the \`client_id\` is not known, or the \`redirect_uri\` not one of the application's, the page explains that (a program gets the error). Anything else that is wrong goes to the \`redirect_uri\`, as \`error\` with \`state\` and \`iss\`. At most ${STARTS} times in ${WINDOW_SECONDS / 60} minutes from one client address. A server without https is accepted by few applications, unless it is on the same computer.`,
  query: Type.Object({
    response_type: optionalText("`code`"),
    client_id: optionalText(
      "From `POST /oauth/register`, or the https URL of the application's metadata document.",
    ),
    redirect_uri: optionalText(
      "One that the application registered, exactly; `http` on the same computer may have any port.",
    ),
    code_challenge: optionalText("Required (PKCE, RFC 7636)."),
    code_challenge_method: optionalText("`S256`"),
    scope: optionalText("`read`, `write` or both; default both. The person can allow less."),
    state: optionalText("Given back as it is."),
    resource: optionalText("The address of this server's MCP endpoint; the default."),
  }),
  answers: [
    {
      status: 303,
      description: "Redirects to the page, or back to the application with an error.",
      headers: {
        ...UNCACHED,
        Location: "The next address.",
        "Referrer-Policy": "`no-referrer`",
        "X-Frame-Options": "`DENY`",
      },
    },
  ],
  errors: ["RATE_LIMITED"],
};

/**
 * The authorization endpoint (RFC 6749, 3.1): redirects the browser to our page, where a person decides. Until it is
 * sure who asks and where the answer goes, an error is for the person: it never redirects to the client.
 */
export function authorize({ authorizations, linkBase, clock, log }: OAuthOptions) {
  const starts = new RateLimiter({ clock, windowSeconds: WINDOW_SECONDS });
  const begin = async (context: RequestContext, base: string): Promise<string> => {
    countRequest(starts, context, STARTS);
    const begun = await authorizations.begin(new ParameterReader(new URLSearchParams(context.query)), base);
    return "ticket" in begun ? `${base}/oauth/consent?request=${begun.ticket}` : begun.redirectTo;
  };
  return protocolRoute("GET", "/oauth/authorize", AUTHORIZE, async (request, context) => {
    const base = linkBase(context);
    try {
      return redirect(await begin(context, base));
    } catch (error) {
      if (!(error instanceof CofferError) || !isNavigation(request)) throw error;
      log.info("an application's request was refused", { request_id: context.id, reason: error.message });
      return redirect(`${base}/oauth/consent?problem=${problemOf(error)}`);
    }
  });
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
