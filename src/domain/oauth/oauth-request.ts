import { OAuthError } from "./oauth-client.ts";
import type { Scope } from "../accounts/roles.ts";

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** What the client gets back as it sent it; null if it sent none. */
  readonly state: string | null;
  /** SHA-256 of the code verifier, as base64url (RFC 7636, 4.2). */
  readonly challenge: string;
  readonly scope: Scope;
  /** Of this server, as the client knows it. */
  readonly issuer: string;
}

/** The scopes that clients ask for, as OAuth names them. */
export const OAUTH_SCOPES = ["read", "write"] as const;

const STATE_CHARACTERS = 2048;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Reads the parameters that every request to the authorization endpoint has. Throws OAuthError. */
export function parseAuthorization(
  parameters: ParameterReader,
  issuer: string,
): Pick<AuthorizationRequest, "challenge" | "scope"> {
  if (parameters.one("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type must be code.");
  }
  const challenge = parameters.one("code_challenge");
  if (challenge === null || parameters.one("code_challenge_method") !== "S256") {
    throw new OAuthError(
      "invalid_request",
      "code_challenge with code_challenge_method=S256 is required (PKCE, RFC 7636).",
    );
  }
  if (!CHALLENGE.test(challenge)) {
    throw new OAuthError("invalid_request", "code_challenge must be 43 characters of base64url.");
  }
  requireOwnResource(parameters.all("resource"), issuer);
  return { challenge, scope: parseScope(parameters.one("scope")) };
}

/** Null if there is none. Throws OAuthError. */
export function parseState(parameters: ParameterReader): string | null {
  const state = parameters.one("state");
  if (state !== null && state.length > STATE_CHARACTERS) {
    throw new OAuthError("invalid_request", `state must have at most ${STATE_CHARACTERS} characters.`);
  }
  return state;
}

/** Access is for this server or its MCP endpoint, which is the same, or left out (RFC 8707). Throws OAuthError. */
export function requireOwnResource(resources: readonly string[], issuer: string): void {
  const own = [issuer, `${issuer}/`, `${issuer}/mcp`, `${issuer}/mcp/`];
  if (resources.every((resource) => own.includes(resource))) return;
  throw new OAuthError("invalid_target", `resource must be ${issuer}/mcp.`);
}

/** The most that a list of scopes asks for; `offline_access` asks for nothing more. Throws OAuthError. */
export function parseScope(text: string | null): Scope {
  const asked = (text ?? "").split(" ").filter((each) => each !== "" && each !== "offline_access");
  if (asked.length === 0 || asked.includes("write")) return "read-write";
  if (asked.includes("read")) return "read-only";
  throw new OAuthError("invalid_scope", `scope must be some of: ${OAUTH_SCOPES.join(", ")}.`);
}

export function scopeText(scope: Scope): string {
  return scope === "read-only" ? "read" : OAUTH_SCOPES.join(" ");
}

/** Whether a code verifier is the one of a challenge (RFC 7636, 4.6). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  return Bun.SHA256.hash(verifier, "base64url") === challenge;
}

/** Reads parameters that may be sent only once (RFC 6749, 3.1), `resource` excepted. */
export class ParameterReader {
  readonly #parameters: URLSearchParams;

  constructor(parameters: URLSearchParams) {
    this.#parameters = parameters;
  }

  /** The value; null if it is missing or empty. Throws OAuthError if it is sent more than once. */
  one(name: string): string | null {
    const values = this.#parameters.getAll(name);
    if (values.length > 1) throw new OAuthError("invalid_request", `${name} must not be sent twice.`);
    return values[0] === undefined || values[0] === "" ? null : values[0];
  }

  /** Like `one`; throws OAuthError if it is missing. */
  required(name: string): string {
    const value = this.one(name);
    if (value === null) throw new OAuthError("invalid_request", `${name} is required.`);
    return value;
  }

  all(name: string): readonly string[] {
    return this.#parameters.getAll(name);
  }
}
