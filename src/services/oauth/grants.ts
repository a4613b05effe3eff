import type { OAuthGrant } from "../../db/oauth/oauth.ts";
import { hashSecret, randomBytes } from "../../domain/accounts/api-key.ts";
import { auditText } from "../../domain/audit/audit-event.ts";
import type { GrantEndReason } from "../../domain/audit/audit-reasons.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import { keySubject } from "../../domain/audit/subjects.ts";
import { type KeyId, newId } from "../../domain/id.ts";
import { OAuthError, USED_CLIENT_LIFETIME_MS } from "../../domain/oauth/oauth-client.ts";
import { isVerifierOf, parseScope } from "../../domain/oauth/oauth-request.ts";
import {
  ACCESS_LIFETIME_MS,
  GRANT_LIFETIME_MS,
  newAccessToken,
  newRefreshToken,
  nextTokens,
  parseRefreshToken,
  REPEAT_LIFETIME_MS,
  SALT_BYTES,
} from "../../domain/oauth/oauth-token.ts";
import type { Scope } from "../../domain/accounts/roles.ts";
import type { ApiKeys } from "../accounts/api-keys.ts";
import type { EndedKeys } from "../accounts/ended-keys.ts";
import { SERVER, userActor } from "../audit/audit.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Authorization, Authorizations } from "./authorizations.ts";

/** The tokens of a client; shown only once. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scope: Scope;
}

type CodeExchange = Readonly<Record<"code" | "clientId" | "redirectUri" | "verifier" | "issuer", string>>;

/** What clients hold that people let in: keys with two secrets, one to use and one to get the next two. */
export class OAuthGrants extends Service<
  Pick<Parts, "tables" | "audit" | "clock" | "log"> & {
    keyPrefix: string;
    apiKeys: ApiKeys;
    authorizations: Authorizations;
    endedKeys: EndedKeys;
  }
> {
  /** Exchanges a code. A second use ends what the first gave: one was not the client's. Throws invalid_grant. */
  async redeem(exchange: CodeExchange): Promise<IssuedTokens> {
    const authorization = this.parts.authorizations.takeCode(exchange.code);
    const fits = authorization !== null && isMeantFor(authorization, exchange);
    const issued = await this.parts.tables.writeFromReserve(() => {
      const earlier = this.parts.tables.oauthGrants.keyOfCode(hashSecret(exchange.code));
      if (earlier !== null) this.#end(earlier, "code_used_again");
      return fits && this.#isStillAllowed(authorization) ? this.#issue(authorization, exchange.code) : null;
    });
    if (issued === null)
      throw refused(
        "The code is not valid, or was not made for this client and redirect_uri. Begin again at /oauth/authorize.",
      );
    return issued;
  }

  /**
   * Exchanges a refresh token. A second use ends the grant, as for `redeem`. But the answer may have been lost: the one
   * that was used last can be sent once more for a while, and has the same answer. Throws OAuthError invalid_grant,
   * invalid_scope. @param scope as sent; null for all that was granted
   */
  async refresh(token: string, clientId: string, scope: string | null): Promise<IssuedTokens> {
    const parsed = parseRefreshToken(token);
    if (parsed === null) throw refused(NOT_VALID);
    const issued = await this.parts.tables.writeFromReserve(() => {
      const grant = this.parts.tables.oauthGrants.byFamily(parsed.family);
      if (grant === null || grant.clientId !== clientId) return null;
      const now = this.parts.clock.now();
      const { used } = grant;
      const isLast = used?.hash === parsed.secret && now < used.at + REPEAT_LIFETIME_MS;
      if (grant.refreshHash !== parsed.secret && !isLast) {
        this.#end(grant.keyId, "token_used_again");
        return null;
      }
      if (!this.parts.tables.apiKeys.isValid(grant.keyId, now)) return null;
      requireGranted(grant, scope);
      return isLast ? this.#repeat(grant, used, token) : this.#rotate(grant, token);
    });
    if (issued === null) throw refused(NOT_VALID);
    return issued;
  }

  /** Ends the grant of a token (RFC 7009); an unknown one is no error. Throws OAuthError for another client's. */
  async revoke(token: string, clientId: string | null, origin: Origin): Promise<void> {
    const { tables, audit, endedKeys } = this.parts;
    await tables.writeFromReserve(() => {
      const family = parseRefreshToken(token)?.family;
      const { oauthGrants, apiKeys, knownKeys } = tables;
      const grant =
        family === undefined ? oauthGrants.byAccess(hashSecret(token)) : oauthGrants.byFamily(family);
      if (grant === null) return;
      if (clientId !== null && clientId !== grant.clientId) {
        throw new OAuthError("invalid_client", "The token belongs to another client.");
      }
      const { keyId: id } = grant;
      const { name, username } = knownKeys.named(id);
      const actor = { kind: "application", id, name, username } as const;
      audit.addBy(actor, origin, { action: "oauth.revoked", subject: keySubject({ id, name }) });
      apiKeys.removeAny(id);
      endedKeys.removeSome();
    });
  }

  isGrant(keyId: KeyId): boolean {
    return this.parts.tables.oauthGrants.has(keyId);
  }

  #isStillAllowed({ user, session, reach }: Authorization): boolean {
    const now = this.parts.clock.now();
    // Not of a user who was disabled either.
    if (!this.parts.tables.sessions.isValid(session, now) || !this.parts.apiKeys.hasRoom(reach)) return false;
    return "user" in reach || this.parts.tables.drives.byPk(reach.drive, now)?.owner?.pk === user;
  }

  #issue({ request, scope, reach, user, origin }: Authorization, code: string): IssuedTokens {
    const now = this.parts.clock.now();
    const keyId = newId<KeyId>(now);
    const access = newAccessToken(this.parts.keyPrefix);
    const refresh = newRefreshToken(this.parts.keyPrefix);
    const { hash, prefix } = access;
    const key = { id: keyId, hash, prefix, name: request.clientName, scope, createdAt: now, madeBy: null };
    this.parts.tables.apiKeys.insert({ ...key, ...lifetimes(now) }, reach);
    this.parts.tables.oauthGrants.insert({
      keyId,
      clientId: request.clientId,
      codeHash: hashSecret(code),
      familyHash: refresh.family,
      refreshHash: refresh.secret,
    });
    this.parts.tables.oauthClients.use(request.clientId, now + USED_CLIENT_LIFETIME_MS);
    this.parts.audit.addBy(userActor(this.parts.tables.users.existing(user)), origin, {
      action: "oauth.granted",
      subject: keySubject(key),
      detail: { scope, client_id: auditText(request.clientId) },
    });
    return { accessToken: access.secret, refreshToken: refresh.token, scope };
  }

  #rotate({ keyId, clientId, refreshHash, scope }: OAuthGrant, token: string): IssuedTokens {
    const now = this.parts.clock.now();
    const salt = randomBytes(SALT_BYTES);
    const { access, refresh } = nextTokens(this.parts.keyPrefix, token, salt);
    const { hash, prefix } = access;
    this.parts.tables.apiKeys.replaceSecret({ id: keyId, hash, prefix, ...lifetimes(now) });
    this.parts.tables.oauthGrants.setRefresh(keyId, refresh.secret, { hash: refreshHash, salt, at: now });
    this.parts.tables.oauthClients.use(clientId, now + USED_CLIENT_LIFETIME_MS);
    return { accessToken: access.secret, refreshToken: refresh.token, scope };
  }

  #repeat({ keyId, scope }: OAuthGrant, used: NonNullable<OAuthGrant["used"]>, token: string): IssuedTokens {
    const { access, refresh } = nextTokens(this.parts.keyPrefix, token, used.salt);
    this.parts.tables.oauthGrants.forgetUsed(keyId);
    return { accessToken: access.secret, refreshToken: refresh.token, scope };
  }

  #end(keyId: KeyId, reason: GrantEndReason): void {
    const { name } = this.parts.tables.knownKeys.named(keyId);
    const subject = keySubject({ id: keyId, name });
    this.parts.audit.addBy(SERVER, null, { action: "oauth.revoked", subject, detail: { reason } });
    this.parts.tables.apiKeys.removeAny(keyId);
    this.parts.endedKeys.removeSome();
    this.parts.log.warn("an application was signed out", { key_id: keyId, reason });
  }
}

const NOT_VALID = "The refresh token is not valid for this client. The person must let it in again.";

function isMeantFor({ request }: Authorization, exchange: CodeExchange): boolean {
  return (
    request.clientId === exchange.clientId &&
    request.redirectUri === exchange.redirectUri &&
    request.issuer === exchange.issuer &&
    isVerifierOf(request.challenge, exchange.verifier)
  );
}

function requireGranted(grant: OAuthGrant, scope: string | null): void {
  if (scope === null || grant.scope === "read-write" || parseScope(scope) === "read-only") return;
  throw new OAuthError(
    "invalid_scope",
    "Only read was granted. To get more, begin again at /oauth/authorize.",
  );
}

function lifetimes(now: number) {
  return { expiresAt: now + GRANT_LIFETIME_MS, secretExpiresAt: now + ACCESS_LIFETIME_MS };
}

function refused(message: string): OAuthError {
  return new OAuthError("invalid_grant", message);
}
