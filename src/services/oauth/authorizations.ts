import type { KeyReach } from "../../db/accounts/api-keys.ts";
import type { Within } from "../../db/engine/database.ts";
import { type Caller, requireSession } from "../../domain/accounts/caller.ts";
import { invalid, orNotFound } from "../../domain/errors.ts";
import type { SessionId, UserPk } from "../../domain/id.ts";
import { isRegistered, OAuthError, shownName, withParameters } from "../../domain/oauth/oauth-client.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import type { AuthorizationRequest, ParameterReader } from "../../domain/oauth/oauth-request.ts";
import { parseAuthorization, parseState } from "../../domain/oauth/oauth-request.ts";
import { CODE_LIFETIME_MS } from "../../domain/oauth/oauth-token.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Scope } from "../../domain/accounts/roles.ts";
import type { ApiKeys } from "../accounts/api-keys.ts";
import { Tickets } from "../accounts/tickets.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { OAuthClients } from "./clients.ts";

/** How long a person may take to decide, signing in included, in milliseconds. */
export const REQUEST_LIFETIME_MS = 30 * 60 * 1000;

const CAPACITY = 5000;

export interface Authorization {
  readonly request: AuthorizationRequest;
  readonly scope: Scope;
  readonly user: UserPk;
  /** In which session. It must last until the code is exchanged: whoever ends all sessions has let nobody in since. */
  readonly session: SessionId;
  /** Where the person was who let the client in; null if that is not known. */
  readonly origin: Origin | null;
  readonly reach: KeyReach;
}

/** What clients ask for, and what people decide (RFC 6749, 4.1). */
export class Authorizations extends Service<
  Pick<Parts, "tables" | "access" | "clock"> & { apiKeys: ApiKeys; oauthClients: OAuthClients }
> {
  readonly #requests = this.#tickets<AuthorizationRequest>(REQUEST_LIFETIME_MS);
  readonly #codes = this.#tickets<Authorization>(CODE_LIFETIME_MS);

  #tickets<T>(lifetimeMs: number): Tickets<T> {
    return new Tickets({ clock: this.parts.clock, capacity: CAPACITY, lifetimeMs });
  }

  /**
   * Where the browser goes on: to our page, with a request's ticket, or back to the client with an error. Throws, for the
   * person to see, only OAuthError for an unknown client or redirect URI. @param issuer our address, without a slash
   */
  async begin(parameters: ParameterReader, issuer: string) {
    const client = await this.parts.oauthClients.find(parameters.required("client_id"));
    const redirectUri = parameters.required("redirect_uri");
    if (!isRegistered(redirectUri, client.redirectUris)) {
      throw new OAuthError(
        "invalid_redirect_uri",
        "The redirect_uri is not one of this client's. Send one that it registered, or register again with this one.",
      );
    }
    let state: string | null = null;
    try {
      state = parseState(parameters);
      const asked = parseAuthorization(parameters, issuer);
      // It may have been stored before names lost what is not seen.
      const clientName = shownName(client.name);
      const request = { clientId: client.id, clientName, redirectUri, state, issuer, ...asked };
      return { ticket: this.#requests.put(request) };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const refusal = { error: error.oauthCode, error_description: error.message };
      return { redirectTo: withParameters(redirectUri, { ...refusal, state, iss: issuer }) };
    }
  }

  /** A request that waits for a decision. Throws FORBIDDEN without a session, NOT_FOUND if it is over. */
  request(caller: Caller, ticket: string): AuthorizationRequest {
    requireSession(caller);
    return orNotFound(this.#requests.peek(ticket), "request");
  }

  /**
   * Lets a client in: returns where to send the browser, with the code. A request is decided once. Throws as `request`;
   * VALIDATION_ERROR for more than was asked for, NOT_FOUND for a foreign drive, QUOTA_EXCEEDED.
   */
  async allow(
    caller: Caller,
    ticket: string,
    wanted: { readonly scope: Scope | undefined; readonly driveId: string | undefined },
    within?: Within<string>,
  ): Promise<string> {
    const { userPk: user, sessionId: session } = requireSession(caller);
    const request = this.request(caller, ticket);
    const { scope = request.scope, driveId } = wanted;
    if (request.scope === "read-only" && scope !== "read-only") {
      throw invalid("scope", "must be read-only: the application does not ask for more");
    }
    const drive = driveId === undefined ? null : this.parts.access.driveToManage(caller, driveId);
    const reach: KeyReach = drive === null ? { user } : { drive: drive.pk, prefix: ROOT };
    this.parts.apiKeys.requireRoom(reach);
    // Not inside the write, which may run again. If it is refused, nobody gets to know the code.
    this.#requests.take(ticket);
    const origin = caller.origin ?? null;
    const code = this.#codes.put({ request, scope, user, session, origin, reach });
    return this.parts.access.write(caller, within, () => answerTo(request, { code }));
  }

  /** Turns a client away. Returns the address to send the browser to. Throws as `request`. */
  async deny(caller: Caller, ticket: string, within?: Within<string>): Promise<string> {
    const request = this.request(caller, ticket);
    this.#requests.take(ticket);
    return this.parts.access.write(caller, within, () => answerTo(request, { error: "access_denied" }));
  }

  /** What a code stands for, once; null for one that is unknown, used or expired. */
  takeCode(code: string): Authorization | null {
    return this.#codes.take(code);
  }

  isPossible(): boolean {
    return this.parts.tables.users.hasAny();
  }
}

function answerTo({ redirectUri, state, issuer: iss }: AuthorizationRequest, said: Record<string, string>) {
  return withParameters(redirectUri, { ...said, state, iss });
}
