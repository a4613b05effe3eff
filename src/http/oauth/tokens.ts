import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { OAuthError } from "../../domain/oauth-error.ts";
import { type ParameterReader, requireOwnResource, scopeText } from "../../domain/oauth-request.ts";
import { ACCESS_LIFETIME_MS } from "../../domain/oauth-token.ts";
import type { IssuedTokens, OAuthGrants } from "../../services/oauth/grants.ts";
import type { LinkBase } from "../gate/link-base.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import { protocolRoute, readForm, takeTurn, UNCACHED } from "./protocol-route.ts";

/** What the endpoints of tokens need. */
export interface TokensOptions {
  readonly grants: OAuthGrants;
  readonly linkBase: LinkBase;
  readonly clock: Clock;
}

/** Requests of one client address. Hosted clients of many people may share one. */
const PER_MINUTE = 300;

/** The token endpoint (RFC 6749, 3.2) and revocation (RFC 7009). Clients have no secrets. */
export function tokens({ grants, linkBase, clock }: TokensOptions) {
  const limiter = new RateLimiter({ clock, windowSeconds: 60 });
  return new Elysia({ name: "oauth-tokens" })
    .post(
      ...protocolRoute("/oauth/token", async (request, context) => {
        takeTurn(limiter, context, PER_MINUTE);
        const form = await readForm(request);
        const issuer = linkBase(context);
        requireOwnResource(form.all("resource"), issuer);
        return Response.json(tokenAnswer(await exchange(grants, form, issuer)), { headers: UNCACHED });
      }),
    )
    .post(
      ...protocolRoute("/oauth/revoke", async (request, context) => {
        takeTurn(limiter, context, PER_MINUTE);
        const form = await readForm(request);
        await grants.revoke(form.required("token"), form.one("client_id"));
        return new Response(null, { headers: UNCACHED });
      }),
    );
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

function tokenAnswer({ accessToken, refreshToken, scope }: IssuedTokens): object {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: ACCESS_LIFETIME_MS / 1000,
    refresh_token: refreshToken,
    scope: scopeText(scope),
  };
}
