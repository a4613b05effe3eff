import { Type } from "@sinclair/typebox";
import { CofferError } from "../../domain/errors.ts";
import { NEW_CLIENT_LIFETIME_MS, OAuthError } from "../../domain/oauth/oauth-client.ts";
import { HOUR_MS } from "../../domain/time.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import { PLAIN_BODY } from "../json/body-limits.ts";
import { parseJsonBody } from "../json/json-body.ts";
import { NO_STORE, UNCACHED } from "../sign-in/auth.ts";
import {
  countRequest,
  type OAuthOptions,
  type ProtocolOperation,
  protocolRoute,
  readSmallBody,
} from "./protocol-route.ts";
import { text } from "../operation/schema.ts";

const PER_HOUR = 20;

const texts = Type.Array(Type.String());

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
  answers: [
    {
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
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
    },
  ],
  errors: ["RATE_LIMITED", "STORAGE_FULL"],
};

/** The registration endpoint (RFC 7591): for clients that have no metadata document. */
export function register({ oauthClients: clients, clock }: OAuthOptions) {
  const limiter = new RateLimiter({ clock, windowSeconds: 3600 });
  return [
    protocolRoute("POST", "/oauth/register", REGISTER, async (request, context) => {
      const json = metadataIn(await readSmallBody(request));
      countRequest(limiter, context, PER_HOUR);
      const { id, name, redirectUris } = await clients.register(json);
      const registered = {
        client_id: id,
        client_id_issued_at: Math.floor(clock.now() / 1000),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
      return Response.json(registered, { status: 201, headers: NO_STORE });
    }),
  ];
}

function metadataIn(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body, PLAIN_BODY.items);
  } catch (error) {
    if (!(error instanceof CofferError)) throw error;
    throw new OAuthError("invalid_client_metadata", error.message);
  }
}
