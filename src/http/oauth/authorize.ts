import { Type } from "@sinclair/typebox";
import { OAuthError, redirectTarget } from "../../domain/oauth/oauth-client.ts";
import { type AuthorizationRequest, ParameterReader } from "../../domain/oauth/oauth-request.ts";
import { CofferError } from "../../domain/errors.ts";
import { RateLimiter } from "../gate/gate.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { isNavigation } from "../gate/origins.ts";
import { NO_STORE, UNCACHED } from "../sign-in/auth.ts";
import type { OAuthOptions, ProtocolOperation } from "./protocol-route.ts";
import { countRequest, protocolRoute } from "./protocol-route.ts";
import { documentHost } from "../../domain/oauth/client-id.ts";
import { type Authorizations, REQUEST_LIFETIME_MS } from "../../services/oauth/authorizations.ts";
import { operation, tagged } from "../operation/route.ts";
import { type AuthorizationRecord, authorizationSchema } from "../records/account-schemas.ts";
import { driveRef, nullable, optionalText, scope, text } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

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
  answers: {
    status: 303,
    description: "Redirects to the page, or back to the application with an error.",
    headers: {
      ...UNCACHED,
      Location: "The next address.",
      "Referrer-Policy": "`no-referrer`",
      "X-Frame-Options": "`DENY`",
    },
  },
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
    const location = await begin(context, base).catch((error: unknown) => {
      if (!(error instanceof CofferError) || !isNavigation(request)) throw error;
      log.info("an application's request was refused", { request_id: context.id, reason: error.message });
      return `${base}/oauth/consent?problem=${problemOf(error)}`;
    });
    return new Response(null, { status: 303, headers: { ...HEADERS, location } });
  });
}

/** What our page is to explain: it shows no sentence out of an address, which anybody can make. */
function problemOf(error: CofferError): "client" | "redirect" | "busy" | "request" {
  if (error.code === "RATE_LIMITED") return "busy";
  if (!(error instanceof OAuthError)) return "request";
  if (error.oauthCode === "invalid_client" || error.oauthCode === "invalid_client_metadata") return "client";
  return error.oauthCode === "invalid_redirect_uri" ? "redirect" : "request";
}

const params = Type.Object({
  id: Type.String({ description: "The `request` in the address of the page.", maxLength: 128 }),
});

const exampleAuthorization: AuthorizationRecord = {
  client_id: "https://app.example.com/client.json",
  client_name: "Example App",
  client_host: "app.example.com",
  redirect: { kind: "site", name: "app.example.com" },
  scope: "read-write",
};

function authorizationRecord(request: AuthorizationRequest): AuthorizationRecord {
  const target = redirectTarget(request.redirectUri);
  if (target === null) throw new Error("a registered redirect URI leads nowhere");
  return {
    client_id: request.clientId,
    client_name: request.clientName,
    client_host: documentHost(request.clientId),
    redirect: target,
    scope: request.scope,
  };
}

export function consent(authorizations: Authorizations) {
  return tagged("Applications", [
    operation("GET", "/v0/oauth/requests/:id", {
      operationId: "getAuthorizationRequest",
      summary: "Show what an application asks for",
      description: `For the page that asks the person. An application begins a request at \`/oauth/authorize\`; it can be decided for ${REQUEST_LIFETIME_MS / 60_000} minutes.`,
      signedIn: true,
      params,
      answers: {
        description: "The request.",
        json: Type.Object({ data: authorizationSchema }),
        example: { data: exampleAuthorization },
      },
      handle: ({ params: { id }, caller }) =>
        Response.json({ data: authorizationRecord(authorizations.request(caller, id)) }),
    }),
    write("POST", "/v0/oauth/requests/:id", {
      operationId: "decideAuthorizationRequest",
      summary: "Let an application in, or turn it away",
      description:
        "Needs a session: keys cannot let others in. A request can be decided once. The application gets a key that is listed and revoked with the others.",
      signedIn: true,
      params,
      body: Type.Object({
        allow: Type.Boolean(),
        scope: Type.Optional(scope("Default: what the application asks for. Not more than that.")),
        drive_id: Type.Optional(nullable(driveRef("Limits the application to this drive."))),
      }),
      example: { allow: true },
      audited: true,
      answers: {
        description: "The request is decided.",
        json: Type.Object({
          data: Type.Object({ redirect_to: text("Where to send the browser, at once.") }),
        }),
        example: { data: { redirect_to: "https://app.example.com/callback?code=1a2b3c4d" } },
      },
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ params: { id }, body, caller }, reply) => {
        const within = reply.with((to: string) => ({ json: { data: { redirect_to: to } } }));
        if (!body.allow) return authorizations.deny(caller, id, within);
        const wanted = { scope: body.scope, driveId: body.drive_id ?? undefined };
        return authorizations.allow(caller, id, wanted, within);
      },
    }),
  ]);
}
