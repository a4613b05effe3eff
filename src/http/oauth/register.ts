import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { CofferError } from "../../domain/errors.ts";
import { OAuthError } from "../../domain/oauth-error.ts";
import type { OAuthClients } from "../../services/oauth/clients.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import { parseJsonBody } from "../operation/json-body.ts";
import { protocolRoute, readSmallBody, takeTurn, UNCACHED } from "./protocol-route.ts";

/** What the registration endpoint needs. */
export interface RegisterOptions {
  readonly clients: OAuthClients;
  readonly clock: Clock;
}

/** Registrations of one client address. */
const PER_HOUR = 20;

/** The registration endpoint (RFC 7591): for clients that have no metadata document. */
export function register({ clients, clock }: RegisterOptions) {
  const limiter = new RateLimiter({ clock, windowSeconds: 3600 });
  return new Elysia({ name: "oauth-register" }).post(
    ...protocolRoute("/oauth/register", async (request, context) => {
      const json = metadataIn(await readSmallBody(request));
      takeTurn(limiter, context, PER_HOUR);
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
      return Response.json(registered, { status: 201, headers: UNCACHED });
    }),
  );
}

function metadataIn(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body);
  } catch (error) {
    if (!(error instanceof CofferError)) throw error;
    throw new OAuthError("invalid_client_metadata", error.message);
  }
}
