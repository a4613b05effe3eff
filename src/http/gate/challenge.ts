import type { KeyId } from "../../domain/id.ts";
import { isMcpPath } from "./guarded-paths.ts";
import type { LinkBase } from "./link-base.ts";
import type { RequestContext } from "./request-context.ts";

/** Tells OAuth clients, in a refusal, how to get in: sets `WWW-Authenticate` (RFC 6750, 3 and RFC 9728, 5.1). */
export type Challenge = (response: Response, request: Request, context: RequestContext) => void;

interface ChallengeOptions {
  /** Whether there is anybody who could let a client in. */
  readonly isPossible: () => boolean;
  /** Whether a key was given to a client that a person let in. */
  readonly isGrant: (keyId: KeyId) => boolean;
  readonly linkBase: LinkBase;
}

/** The path of the metadata about the MCP endpoint (RFC 9728, 3.1). */
const MCP_METADATA = "/.well-known/oauth-protected-resource/mcp";

/** For the MCP endpoint alone: clients of the API get their keys elsewhere. */
export function createChallenge({ isPossible, isGrant, linkBase }: ChallengeOptions): Challenge {
  return (response, request, context) => {
    if (!isMcpPath(context.path)) return;
    const error = errorOf(response, request, context, isGrant);
    if (error === null || !isPossible()) return;
    const metadata = `resource_metadata="${linkBase(context)}${MCP_METADATA}"`;
    response.headers.set(
      "www-authenticate",
      `Bearer ${[...error, metadata, 'scope="read write"'].join(", ")}`,
    );
  };
}

/** What is wrong with the key; null if another does not help, or a client might drop a valid one that it was given. */
function errorOf(
  { status }: Response,
  { headers }: Request,
  { caller }: RequestContext,
  isGrant: ChallengeOptions["isGrant"],
): string[] | null {
  if (status === 401) return headers.has("authorization") ? ['error="invalid_token"'] : [];
  if (status !== 403 || caller === null || caller.keyId === null || caller.scope !== "read-only") return null;
  return isGrant(caller.keyId) ? ['error="insufficient_scope"'] : null;
}
