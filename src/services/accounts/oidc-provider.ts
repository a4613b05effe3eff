import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from "openid-client";
import { CofferError } from "../../domain/errors.ts";
import type { Identity } from "../../domain/accounts/user.ts";
import { NAME_CHARACTERS } from "../../domain/limits.ts";
import { characters, isPlainText } from "../../domain/contents/texts/text.ts";
import { requireDescriptors } from "../../process/descriptors.ts";
import { type FlowSecrets, type OidcProvider, SignInEnded } from "./oidc-flow.ts";

/** For each whole response. A sign-in may need three, and idle connections end after 30 seconds. */
const TIMEOUT_SECONDS = 8;
/** Bytes; the responses of a provider have a few thousand. */
const MAX_ANSWER = 1024 * 1024;
const EMAIL_CHARACTERS = 254;

/** Asks the provider for its configuration. Throws errors that `summary` describes. */
export function discover({ issuer, clientId, clientSecret }: OidcProvider): Promise<Configuration> {
  const server = new URL(issuer);
  return discovery(server, clientId, undefined, authentication(clientSecret.reveal()), {
    timeout: TIMEOUT_SECONDS,
    [customFetch]: fetchBounded,
    execute: [
      // Also verify the signatures of ID tokens that come straight from the provider.
      enableNonRepudiationChecks,
      // The configuration allows plain http only for this machine.
      ...(server.protocol === "http:" ? [allowInsecureRequests] : []),
    ],
  });
}

/** Where a browser signs in, and what must match when it comes back. */
export async function beginAt(
  configuration: Configuration,
  redirectUri: string,
): Promise<FlowSecrets & { readonly url: URL }> {
  const flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: "openid profile email",
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
  });
  return { url, ...flow };
}

/** Exchanges the code for tokens and reads the user from them. Throws if a check fails. */
export async function identify(
  configuration: Configuration,
  callback: URL,
  flow: FlowSecrets,
): Promise<Identity> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider sent no ID token");
  // The database would store all such subjects as the same text.
  if (!claims.sub.isWellFormed()) throw new Error("the subject is not well-formed Unicode");
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const userInfo = hasUserInfo ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  const profile: Readonly<Record<string, unknown>> = { ...claims, ...userInfo };
  const email = shownClaim(profile["email"], EMAIL_CHARACTERS);
  const displayName = shownClaim(profile["name"], NAME_CHARACTERS);
  const names = [
    shownClaim(profile["preferred_username"], EMAIL_CHARACTERS),
    shownClaim(profile["nickname"], NAME_CHARACTERS),
    email,
    displayName,
  ];
  return { issuer: claims.iss, subject: claims.sub, names, email, displayName };
}

/** Sends the secret in the body if the provider supports it, else as Basic, the default. */
function authentication(secret: string): ClientAuth {
  const inBody = ClientSecretPost(secret);
  const basic = ClientSecretBasic(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return methods.includes("client_secret_post") ? inBody(server, ...rest) : basic(server, ...rest);
  };
}

/** What a caller is told of an error of a sign-in. */
export function refusalOf(error: unknown): CofferError {
  if (!(error instanceof AuthorizationResponseError)) {
    return new CofferError("UNAUTHORIZED", "The provider's response was invalid. Start the sign-in again.");
  }
  const message =
    "The provider did not sign you in. Start the sign-in again, or ask whoever runs the provider.";
  // RFC 6749, section 4.1.2.1. Other codes are errors.
  return error.error === "access_denied"
    ? new SignInEnded("cancelled", "FORBIDDEN", message)
    : new CofferError("FORBIDDEN", message);
}

function shownClaim(claim: unknown, most: number): string | null {
  if (typeof claim !== "string" || !isPlainText(claim)) return null;
  const text = claim.trim();
  return text === "" || characters(text) > most ? null : text;
}

/** For the log: an error without what was sent, since its cause may hold tokens and codes. */
export function summary(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  // The message would quote the text that could not be parsed.
  if (error instanceof SyntaxError) return "malformed JSON";
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  // The provider's error code, such as invalid_client.
  const said =
    error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
      ? `: ${error.error.slice(0, 64)}`
      : "";
  const cause = error.cause instanceof Error ? `, caused by ${summary(error.cause)}` : "";
  return `${error.message}${code}${said}${cause}`;
}

/** `fetch` for small responses. Throws for a longer one without reading the rest, UNAVAILABLE if descriptors are short. */
async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  // The first call starts a thread of the runtime.
  requireDescriptors();
  const { status, headers, body } = await fetch(url, init);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MAX_ANSWER) throw new Error(`the response has more than ${MAX_ANSWER} bytes`);
    pieces.push(piece);
  }
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, headers });
}
