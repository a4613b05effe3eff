import { Type } from "@sinclair/typebox";
import { CofferError } from "../../domain/errors.ts";
import { basePathOf } from "../../domain/network/base-path.ts";
import { OAUTH_SCOPES } from "../../domain/oauth/oauth-request.ts";
import { bearerToken } from "../gate/gate.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { operation, type Route } from "../operation/route.ts";
import { NO_STORE, UNCACHED } from "../sign-in/auth.ts";
import type { OAuthOptions } from "./protocol-route.ts";

const NO_USERS =
  "This server has no users yet who could let an application in. Its operator must set it up first, with the link that it prints when it starts; until then, use an API key.";

interface Document {
  readonly operationId: string;
  readonly summary: string;
  /** After the well-known part of its path and the path of the address. */
  readonly name: string;
  readonly end: string;
  readonly at: (base: string) => Readonly<Record<string, string | boolean | readonly string[]>>;
}

const DOCUMENTS: readonly Document[] = [
  {
    operationId: "getMcpMetadata",
    summary: "Show how to get access to the MCP endpoint",
    name: "oauth-protected-resource",
    end: "/mcp",
    at: (base) => resource(`${base}/mcp`, base),
  },
  {
    operationId: "getResourceMetadata",
    summary: "Show how to get access to this server",
    name: "oauth-protected-resource",
    end: "",
    at: (base) => resource(base, base),
  },
  {
    operationId: "getServerMetadata",
    summary: "Show how applications sign in",
    name: "oauth-authorization-server",
    end: "",
    at: server,
  },
];

/** With these OAuth clients find their way. Not offered with a valid key: the client might drop it. */
export function metadata({ apiKeys, authorizations, linkBase, baseUrl }: OAuthOptions): Route[] {
  const answer = ({ headers }: Request, context: RequestContext, { at }: Document) => {
    const key = bearerToken(headers.get("authorization"));
    const hasKey = key !== null && apiKeys.authenticate(key) !== null;
    if (hasKey) throw new CofferError("NOT_FOUND", "This key is valid: use it, there is no need to sign in.");
    if (!authorizations.isPossible()) throw new CofferError("NOT_FOUND", NO_USERS);
    return Response.json(at(linkBase(context)), { headers: { ...NO_STORE, vary: "authorization" } });
  };
  return DOCUMENTS.flatMap((document) => {
    const route = operation("GET", `/.well-known/${document.name}${document.end}`, {
      ...describe(document),
      handle: ({ request, context }) => answer(request, context, document),
    });
    // Where the address has a path, clients look for it between the well-known part and the rest (RFC 8414, 3.1).
    const path = basePathOf(baseUrl);
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

function describe({ operationId, summary, at }: Document) {
  const example = at("https://drive.example.com");
  return {
    operationId,
    tag: "Applications",
    public: true,
    summary,
    description:
      "For OAuth clients. Returns 404 to a request with a valid key, which needs nothing of this, and while this server has no users.",
    answers: {
      description: "The document.",
      headers: { ...UNCACHED, Vary: "`Authorization` and `Origin`" },
      json: schemaOf(example),
      example,
    },
    errors: ["NOT_FOUND"],
  } as const;
}

function schemaOf(document: ReturnType<Document["at"]>) {
  const types = Object.entries(document).map(([name, value]) => [name, typeOf(value)]);
  return Type.Object(Object.fromEntries(types));
}

function typeOf(value: ReturnType<Document["at"]>[string]) {
  if (typeof value === "string") return Type.String();
  return typeof value === "boolean" ? Type.Boolean() : Type.Array(Type.String());
}

/** RFC 9728, section 2. */
function resource(identifier: string, base: string) {
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
function server(base: string) {
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
