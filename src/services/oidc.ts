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
import type { Clock } from "../clock.ts";
import { CofferError, type ErrorCode } from "../domain/errors.ts";
import type { Identity } from "../domain/identity.ts";
import { NAME_CHARACTERS } from "../domain/limits.ts";
import { characters, isPlainText } from "../domain/text.ts";
import type { Log } from "../log.ts";
import { fetchBounded } from "./fetch-bounded.ts";
import { type Flow, OidcFlows } from "./oidc-flows.ts";

/** The provider, and how it knows this server. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: { reveal(): string };
  /** The administrators' subjects there, which are unique and never given to somebody else. */
  readonly admins: readonly string[];
}

/** How a sign-in came to nothing without anybody's fault: the person would not, or it was too late. */
export class SignInEnded extends CofferError {
  readonly outcome: "cancelled" | "expired";

  constructor(outcome: "cancelled" | "expired", code: ErrorCode, message: string) {
    super(code, message);
    this.outcome = outcome;
  }
}

/**
 * For each answer of the provider, its body included. A sign-in may need three, one after the other, while
 * the browser's connection idles, and idle ones are cut after 30 seconds.
 */
const TIMEOUT_SECONDS = 8;
const MAX_FLOWS = 10_000;
const EMAIL_CHARACTERS = 254;

/** Sign-in through an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636). */
export class Oidc {
  readonly #provider: OidcProvider;
  readonly #flows: OidcFlows;
  readonly #log: Log;
  #configuration: Promise<Configuration> | null = null;

  constructor(parts: { provider: OidcProvider; clock: Clock; log: Log }) {
    this.#provider = parts.provider;
    this.#flows = new OidcFlows({ ...parts, capacity: MAX_FLOWS });
    this.#log = parts.log;
  }

  /** What people know the provider by: the host of its address. */
  get name(): string {
    return new URL(this.#provider.issuer).host;
  }

  /**
   * Begins a sign-in that ends at `returnTo`: where to send the browser, and the ticket that only its
   * cookie may hold. Throws INTERNAL, logged under the request's id, while the provider cannot be reached.
   */
  async begin(
    returnTo: string,
    redirectUri: string,
    requestId: string,
  ): Promise<{ url: URL; ticket: string }> {
    const configuration = await this.#discovered(requestId);
    const flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), returnTo };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid profile email",
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
    return { url, ticket: this.#flows.put(flow) };
  }

  /** The sign-in that a ticket stands for. The ticket counts once. Throws SignInEnded, a VALIDATION_ERROR. */
  take(ticket: string | null): Flow {
    const flow = ticket === null ? null : this.#flows.take(ticket);
    if (flow !== null) return flow;
    throw new SignInEnded(
      "expired",
      "VALIDATION_ERROR",
      "This sign-in was not begun in this browser, was used, or took too long. Begin it again.",
    );
  }

  /**
   * Whom the provider vouches for at the end of a sign-in: `callback` is the address it sent the browser to,
   * built on our own `redirectUri`. What is wrong is logged under the request's id.
   *
   * @throws CofferError FORBIDDEN when the provider refused, a SignInEnded when the person did, UNAUTHORIZED
   *   when anything about the provider's answer is not as it must be, INTERNAL as `begin`
   */
  async finish(flow: Flow, callback: URL, requestId: string): Promise<Identity> {
    const configuration = await this.#discovered(requestId);
    try {
      return await identify(configuration, callback, flow);
    } catch (error) {
      this.#log.warn("sign-in refused", { request_id: requestId, reason: summary(error) });
      throw refusalOf(error);
    }
  }

  /** Asks the provider about itself once; again when that failed. */
  async #discovered(requestId: string): Promise<Configuration> {
    this.#configuration ??= discover(this.#provider);
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      this.#log.error("the sign-in provider does not answer", {
        request_id: requestId,
        issuer: this.#provider.issuer,
        reason: summary(error),
      });
      throw new CofferError(
        "INTERNAL",
        "The sign-in provider does not answer as it should. Try again later; the server's log says more.",
      );
    }
  }
}

function discover({ issuer, clientId, clientSecret }: OidcProvider): Promise<Configuration> {
  const server = new URL(issuer);
  return discovery(server, clientId, undefined, authentication(clientSecret.reveal()), {
    timeout: TIMEOUT_SECONDS,
    [customFetch]: fetchBounded,
    execute: [
      // Signatures of ID tokens are verified even though they come straight from the provider.
      enableNonRepudiationChecks,
      // The configuration takes plain http for this machine alone.
      ...(server.protocol === "http:" ? [allowInsecureRequests] : []),
    ],
  });
}

/** The secret in the body where the provider says that it takes it there, else as Basic, the default. */
function authentication(secret: string): ClientAuth {
  const inBody = ClientSecretPost(secret);
  const basic = ClientSecretBasic(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return methods.includes("client_secret_post") ? inBody(server, ...rest) : basic(server, ...rest);
  };
}

/** Trades the code for tokens and reads who it is. Throws when a check fails. */
async function identify(configuration: Configuration, callback: URL, flow: Flow): Promise<Identity> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider sent no ID token");
  // The database would keep all such subjects as the same text.
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

function refusalOf(error: unknown): CofferError {
  if (!(error instanceof AuthorizationResponseError)) {
    return new CofferError("UNAUTHORIZED", "The provider's answer was refused. Begin the sign-in again.");
  }
  const message = "The provider did not sign you in.";
  // RFC 6749, section 4.1.2.1; whatever else it may say is trouble of its own.
  return error.error === "access_denied"
    ? new SignInEnded("cancelled", "FORBIDDEN", message)
    : new CofferError("FORBIDDEN", message);
}

/** A claim that people will see, if it is plain text of a length that one can be; else null. */
function shownClaim(claim: unknown, most: number): string | null {
  if (typeof claim !== "string" || !isPlainText(claim)) return null;
  const text = claim.trim();
  return text === "" || characters(text) > most ? null : text;
}

/** What happened, without what was sent: an error's cause may hold tokens and codes. */
function summary(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  // Its message quotes what could not be parsed.
  if (error instanceof SyntaxError) return "malformed JSON";
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  // These are the provider's own words for what is wrong, such as invalid_client.
  const said =
    error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
      ? `: ${error.error.slice(0, 64)}`
      : "";
  const cause = error.cause instanceof Error ? `, caused by ${summary(error.cause)}` : "";
  return `${error.message}${code}${said}${cause}`;
}
