import { Type } from "@sinclair/typebox";
import { NEW_CLIENT_LIFETIME_MS, OAuthError } from "../../domain/oauth/oauth-client.ts";
import { type ParameterReader, requireOwnResource, scopeText } from "../../domain/oauth/oauth-request.ts";
import {
  ACCESS_LIFETIME_MS,
  CODE_LIFETIME_MS,
  GRANT_LIFETIME_MS,
  REPEAT_LIFETIME_MS,
} from "../../domain/oauth/oauth-token.ts";
import { DAY_MS, HOUR_MS } from "../../domain/time.ts";
import type { IssuedTokens, OAuthGrants } from "../../services/oauth/grants.ts";
import { CofferError } from "../../domain/errors.ts";
import { RateLimiter } from "../gate/gate.ts";
import { ANONYMOUS_BYTES, parseJsonBody, PLAIN_BODY } from "../json/json-body.ts";
import { NO_STORE, UNCACHED } from "../sign-in/auth.ts";
import {
  countRequest,
  FORM,
  type OAuthOptions,
  type ProtocolOperation,
  protocolRoute,
  readForm,
  readSmallBody,
} from "./protocol-route.ts";
import { optionalText, text } from "../operation/schema.ts";

const PER_HOUR = 20;

const texts = Type.Array(Type.String());
const OF_ALL = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
} as const;

const REGISTER: ProtocolOperation = {
  operationId: "registerClient",
  summary: "Register an application",
  description: `For applications without a metadata document (RFC 7591). No application gets a secret. At most ${PER_HOUR} times an hour from one client address. A registration that nobody lets in is kept for ${NEW_CLIENT_LIFETIME_MS / HOUR_MS} hours.`,
  body: Type.Object({
    redirect_uris: Type.Array(Type.String(), {
      description:
        "1 to 10: https URLs, http URLs of the same computer, or URIs with the application's own scheme.",
    }),
    client_name: Type.Optional(text("Shown to people; cut after 64 characters.")),
    grant_types: Type.Optional(texts),
    response_types: Type.Optional(texts),
  }),
  example: { redirect_uris: ["https://app.example.com/callback"] },
  answers: {
    status: 201,
    description: "The application is registered.",
    headers: UNCACHED,
    json: Type.Object({
      client_id: Type.String(),
      client_id_issued_at: Type.Integer({ description: "Seconds since 1970." }),
      client_name: Type.String(),
      redirect_uris: texts,
      grant_types: texts,
      response_types: texts,
      token_endpoint_auth_method: Type.Literal("none"),
    }),
    example: {
      client_id: "client_5c1e2b9a-6f0d-4a53-9d0e-7f2b8c4d1e60",
      client_id_issued_at: 1_896_004_800,
      client_name: "app.example.com",
      redirect_uris: ["https://app.example.com/callback"],
      ...OF_ALL,
    },
  },
  errors: ["RATE_LIMITED", "STORAGE_FULL"],
};

/** The registration endpoint (RFC 7591): for clients that have no metadata document. */
export function register({ oauthClients: clients, clock }: OAuthOptions) {
  const limiter = new RateLimiter({ clock, windowSeconds: 3600 });
  return protocolRoute("POST", "/oauth/register", REGISTER, async (request, context) => {
    const json = metadataIn(await readSmallBody(request));
    countRequest(limiter, context, PER_HOUR);
    const { id, name, redirectUris } = await clients.register(json);
    const registered = {
      client_id: id,
      client_id_issued_at: Math.floor(clock.now() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      ...OF_ALL,
    };
    return Response.json(registered, { status: 201, headers: NO_STORE });
  });
}

function metadataIn(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body, PLAIN_BODY.items);
  } catch (error) {
    if (!(error instanceof CofferError)) throw error;
    throw new OAuthError("invalid_client_metadata", error.message);
  }
}

/** Requests of one client address. Hosted clients of many people may share one. */
const PER_MINUTE = 60;

const TOKEN: ProtocolOperation = {
  operationId: "getToken",
  summary: "Exchange a code or a refresh token",
  description: `A code works once, for ${CODE_LIFETIME_MS / 1000} seconds. A refresh token works once; the last one, until the application has not used it for ${GRANT_LIFETIME_MS / DAY_MS} days. One that is used twice ends the access of the application. But an answer may get lost: the refresh token that was used last can be sent once more within ${REPEAT_LIFETIME_MS / 1000} seconds, and has the same answer. An access token is an API key that works for ${ACCESS_LIFETIME_MS / 60_000} minutes, and cannot create other keys.`,
  rawBody: {
    limit: ANONYMOUS_BYTES,
    content: {
      [FORM]: Type.Object({
        grant_type: text("`authorization_code` or `refresh_token`"),
        client_id: Type.String(),
        code: optionalText("The code, for the first exchange."),
        redirect_uri: optionalText("The same as before, for the first exchange."),
        code_verifier: optionalText("What `code_challenge` was made from, for the first exchange."),
        refresh_token: optionalText("The last refresh token, for any other exchange."),
        scope: optionalText("Not more than was allowed."),
        resource: optionalText("The address of this server's MCP endpoint; the default."),
      }),
    },
    examples: {
      [FORM]: { grant_type: "refresh_token", client_id: "client_1a2b3c4d", refresh_token: "cof_rt_5e6f7a8b" },
    },
  },
  answers: {
    description: "The tokens. They are shown only in this response.",
    headers: UNCACHED,
    json: Type.Object({
      access_token: Type.String(),
      token_type: Type.Literal("Bearer"),
      expires_in: Type.Integer({ description: "Seconds until the access token stops working." }),
      refresh_token: Type.String(),
      scope: text("What was allowed: `read`, or `read write`."),
    }),
    example: {
      access_token: "cof_at_1a2b3c4d...",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "cof_rt_5e6f7a8b...",
      scope: "read write",
    },
  },
  errors: ["RATE_LIMITED", "STORAGE_FULL"],
};

const REVOKE: ProtocolOperation = {
  operationId: "revokeToken",
  summary: "Give up access",
  description: "Ends the access of the application, with both of its tokens. An unknown token is no error.",
  rawBody: {
    limit: ANONYMOUS_BYTES,
    content: {
      [FORM]: Type.Object({
        token: text("An access or a refresh token."),
        client_id: optionalText("Whose token it is."),
      }),
    },
    examples: { [FORM]: { token: "cof_rt_5e6f7a8b" } },
  },
  answers: [{ description: "The token does not work any more.", headers: UNCACHED }],
  errors: ["RATE_LIMITED", "STORAGE_FULL"],
};

/** The token endpoint (RFC 6749, 3.2) and revocation (RFC 7009). Clients have no secrets. */
export function tokens({ oauthGrants: grants, linkBase, clock }: OAuthOptions) {
  const limiter = new RateLimiter({ clock, windowSeconds: 60 });
  return [
    protocolRoute("POST", "/oauth/token", TOKEN, async (request, context) => {
      countRequest(limiter, context, PER_MINUTE);
      const form = await readForm(request);
      const issuer = linkBase(context);
      requireOwnResource(form.all("resource"), issuer);
      const { accessToken, refreshToken, scope } = await exchange(grants, form, issuer);
      const answer = {
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: ACCESS_LIFETIME_MS / 1000,
        refresh_token: refreshToken,
        scope: scopeText(scope),
      };
      return Response.json(answer, { headers: NO_STORE });
    }),
    protocolRoute("POST", "/oauth/revoke", REVOKE, async (request, context) => {
      countRequest(limiter, context, PER_MINUTE);
      const { origin } = context;
      const form = await readForm(request);
      await grants.revoke(form.required("token"), form.one("client_id"), origin);
      return new Response(null, { headers: NO_STORE });
    }),
  ];
}

function exchange(grants: OAuthGrants, form: ParameterReader, issuer: string): Promise<IssuedTokens> {
  const type = form.required("grant_type");
  const clientId = form.required("client_id");
  if (type === "authorization_code") {
    return grants.redeem({
      code: form.required("code"),
      clientId,
      redirectUri: form.required("redirect_uri"),
      verifier: form.required("code_verifier"),
      issuer,
    });
  }
  if (type === "refresh_token") {
    return grants.refresh(form.required("refresh_token"), clientId, form.one("scope"));
  }
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}
