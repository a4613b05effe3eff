import { type TObject, Type } from "@sinclair/typebox";
import { CofferError } from "../../domain/errors.ts";
import { OAUTH_SCOPES } from "../../domain/oauth/oauth-request.ts";
import type { ApiKeys } from "../../services/accounts/api-keys.ts";
import type { Authorizations } from "../../services/oauth/authorizations.ts";
import { bearerToken } from "../gate/gate.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { operation } from "../operation/operation.ts";
import type { Route } from "../operation/route.ts";
import { UNCACHED, UNCACHED_HEADERS } from "./protocol-route.ts";

export interface MetadataOptions {
  readonly apiKeys: ApiKeys;
  readonly authorizations: Authorizations;
  readonly linkBase: LinkBase;
  /** The configured address; null if there is none. */
  readonly baseUrl: string | null;
}

const HEADERS = { ...UNCACHED, vary: "authorization" };

const NO_USERS =
  "This server has no users yet who could let an application in. Its operator must set it up first, with the link that it prints when it starts; until then, use an API key.";

const texts = Type.Array(Type.String());
const address = Type.String();

const resourceSchema = Type.Object({
  resource: address,
  authorization_servers: texts,
  scopes_supported: texts,
  bearer_methods_supported: texts,
  resource_name: Type.String(),
  resource_documentation: address,
});

const serverSchema = Type.Object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: address,
  revocation_endpoint: address,
  scopes_supported: texts,
  response_types_supported: texts,
  response_modes_supported: texts,
  grant_types_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  revocation_endpoint_auth_methods_supported: texts,
  code_challenge_methods_supported: texts,
  authorization_response_iss_parameter_supported: Type.Boolean(),
  client_id_metadata_document_supported: Type.Boolean(),
  service_documentation: address,
});

/** A document: what it is, and what it says at an address of this server. */
interface Document {
  readonly operationId: string;
  readonly summary: string;
  /** After the well-known part of its path and the path of the address. */
  readonly name: string;
  readonly end: string;
  readonly schema: TObject;
  readonly at: (base: string) => object;
}

const DOCUMENTS: readonly Document[] = [
  {
    operationId: "getMcpMetadata",
    summary: "Show how to get access to the MCP endpoint",
    name: "oauth-protected-resource",
    end: "/mcp",
    schema: resourceSchema,
    at: (base) => resource(`${base}/mcp`, base),
  },
  {
    operationId: "getResourceMetadata",
    summary: "Show how to get access to this server",
    name: "oauth-protected-resource",
    end: "",
    schema: resourceSchema,
    at: (base) => resource(base, base),
  },
  {
    operationId: "getServerMetadata",
    summary: "Show how applications sign in",
    name: "oauth-authorization-server",
    end: "",
    schema: serverSchema,
    at: server,
  },
];

/**
 * The documents with which OAuth clients find their way. They are not offered to a request with a valid key: a client
 * that finds them may drop the key that it was configured with.
 */
export function metadata({ apiKeys, authorizations, linkBase, baseUrl }: MetadataOptions): Route[] {
  const answer = ({ headers }: Request, context: RequestContext, { at }: Document) => {
    const key = bearerToken(headers.get("authorization"));
    const hasKey = key !== null && apiKeys.authenticate(key) !== null;
    if (hasKey) throw new CofferError("NOT_FOUND", "This key is valid: use it, there is no need to sign in.");
    if (!authorizations.isPossible()) throw new CofferError("NOT_FOUND", NO_USERS);
    return Response.json(at(linkBase(context)), { headers: HEADERS });
  };
  return DOCUMENTS.flatMap((document) => {
    const route = operation("GET", `/.well-known/${document.name}${document.end}`, {
      ...describe(document),
      handle: ({ request, context }) => answer(request, context, document),
    });
    // Where the address has a path, clients look for it between the well-known part and the rest (RFC 8414, 3.1).
    const path = baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
    if (path === "") return [route];
    const place = `/.well-known/${document.name}${path}${document.end}`;
    const there: Route = {
      method: "GET",
      path: place,
      answer: ({ request }, context) => answer(request, context, document),
    };
    return [route, there];
  });
}

function describe({ operationId, summary, schema, at }: Document) {
  return {
    operationId,
    tag: "Applications",
    public: true,
    summary,
    description:
      "For OAuth clients. Returns 404 to a request with a valid key, which needs nothing of this, and while this server has no users.",
    answers: [
      {
        status: 200,
        description: "The document.",
        headers: { ...UNCACHED_HEADERS, Vary: "`Authorization` and `Origin`" },
        json: schema,
        example: at("https://drive.example.com"),
      },
    ],
    errors: ["NOT_FOUND"],
  } as const;
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
