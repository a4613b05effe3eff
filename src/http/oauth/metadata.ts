import { Elysia } from "elysia";
import { notFound } from "../../domain/errors.ts";
import { OAUTH_SCOPES } from "../../domain/oauth-request.ts";
import type { ApiKeys } from "../../services/api-keys.ts";
import type { Authorizations } from "../../services/oauth/authorizations.ts";
import { bearerToken } from "../gate/gate.ts";
import type { LinkBase } from "../gate/link-base.ts";
import { contextOf } from "../gate/request-context.ts";

/** What the metadata needs. */
export interface MetadataOptions {
  readonly apiKeys: ApiKeys;
  readonly authorizations: Authorizations;
  readonly linkBase: LinkBase;
  /** The configured address; null if there is none. */
  readonly baseUrl: string | null;
}

const HEADERS = { "cache-control": "no-store", vary: "authorization" };

/**
 * The documents with which OAuth clients find their way. They are not offered to a request with a valid key: a client
 * that finds them may drop the key that it was configured with.
 */
export function metadata({ apiKeys, authorizations, linkBase, baseUrl }: MetadataOptions) {
  const plugin = new Elysia({ name: "oauth-metadata" });
  const offer = (path: string, document: (base: string) => object) => {
    const answer = ({ request }: { readonly request: Request }) => {
      const context = contextOf(request);
      context.route = path;
      const key = bearerToken(request.headers.get("authorization"));
      const hasKey = key !== null && apiKeys.authenticate(key) !== null;
      if (hasKey || !authorizations.isPossible()) throw notFound("route");
      return Response.json(document(linkBase(context)), { headers: HEADERS });
    };
    // Bound for the reason given in `routeOf`.
    plugin.get(path, answer.bind(null));
  };
  // Where the address has a path, it comes after the well-known part (RFC 8414 and RFC 9728, 3.1).
  const path = baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
  for (const end of new Set(["", path])) {
    offer(`/.well-known/oauth-protected-resource${end}`, (base) => resource(base, base));
    offer(`/.well-known/oauth-protected-resource${end}/mcp`, (base) => resource(`${base}/mcp`, base));
    offer(`/.well-known/oauth-authorization-server${end}`, server);
  }
  return plugin;
}

/** RFC 9728, section 2. */
function resource(identifier: string, base: string): object {
  return {
    resource: identifier,
    authorization_servers: [base],
    scopes_supported: OAUTH_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Coffer",
    resource_documentation: `${base}/docs`,
  };
}

/** RFC 8414, section 2. */
function server(base: string): object {
  return {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    revocation_endpoint: `${base}/oauth/revoke`,
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    // RFC 9207, and draft-ietf-oauth-client-id-metadata-document.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${base}/docs`,
  };
}
