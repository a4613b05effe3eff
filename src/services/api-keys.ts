import type { Clock } from "../clock.ts";
import type { KeyReach } from "../db/api-keys.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { type ApiKey, hashSecret, newApiKey } from "../domain/api-key.ts";
import type { Caller } from "../domain/caller.ts";
import type { Scope } from "../domain/scope.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, invalid, notFound } from "../domain/errors.ts";
import { parseExpiry, requireFuture } from "../domain/file.ts";
import { type DriveId, type KeyId, newId, parseId } from "../domain/id.ts";
import { KEYS, NAME_CHARACTERS } from "../domain/limits.ts";
import { parseLabel } from "../domain/text.ts";
import { formatInstant } from "../domain/time.ts";
import type { Access } from "./access.ts";
import { LastUses } from "./last-uses.ts";

/** A new key. The secret is shown only once. */
export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** A request for a key. */
export interface KeyRequest {
  readonly name: string;
  readonly scope: Scope;
  /** An id or slug; undefined for everything that the caller reaches. */
  readonly driveId: string | undefined;
  /** As sent; null for never, or for when the caller's own key expires. */
  readonly expiresAt: string | null;
}

/** API keys: authenticates, creates and revokes them. */
export class ApiKeys {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #keyPrefix: string;
  readonly #lastUses = new LastUses<KeyId>();

  constructor(parts: { tables: Tables; access: Access; clock: Clock; keyPrefix: string }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#clock = parts.clock;
    this.#keyPrefix = parts.keyPrefix;
  }

  /** The caller with this key; null if it is unknown, revoked or expired, its drive is gone or its user disabled. */
  authenticate(secret: string): Caller | null {
    const now = this.#clock.now();
    const caller = this.#tables.apiKeys.callerOf(hashSecret(secret), now);
    if (caller !== null && caller.keyId !== null) this.#lastUses.note(caller.keyId, now);
    return caller;
  }

  /** Writes when keys were last used. */
  flushUse(): Promise<void> {
    const { writeFromReserve, apiKeys } = this.#tables;
    return this.#lastUses.flush((uses) =>
      writeFromReserve(() => {
        for (const [id, at] of uses) apiKeys.touch(id, at);
      }),
    );
  }

  /**
   * Creates a key that reaches no more than the caller, and works no longer.
   *
   * @throws CofferError VALIDATION_ERROR, FORBIDDEN for the key of an OAuth client, NOT_FOUND for a foreign drive,
   *   QUOTA_EXCEEDED if there are too many keys
   */
  create(caller: Caller, request: KeyRequest, within?: Within<CreatedKey>): Promise<CreatedKey> {
    const expiresAt = parseExpiry("expires_at", request.expiresAt, this.#clock.now());
    const insert = this.#newKey(request);
    return this.#access.write(caller, within, () => {
      this.#requireOwnKey(caller);
      const drive = this.#requestedDrive(caller, request.driveId);
      const reach = drive === null ? reachOf(caller) : { drive: drive.pk };
      return insert(reach, drive?.id ?? null, this.#allowedExpiry(caller, expiresAt));
    });
  }

  /** The keys within the caller's reach, oldest first. */
  list(caller: Caller): ApiKey[] {
    return this.#tables.apiKeys
      .list(reachOf(caller), this.#clock.now())
      .map((key) => ({ ...key, lastUsedAt: this.#lastUses.get(key.id) ?? key.lastUsedAt }));
  }

  /** Revokes a key at once. Throws NOT_FOUND for one out of the caller's reach. */
  revoke(caller: Caller, reference: string, within?: Within<KeyId>): Promise<KeyId> {
    return this.#access.writeFromReserve(caller, within, () => {
      const id = parseId<KeyId>(reference);
      if (id === null || !this.#tables.apiKeys.remove(id, reachOf(caller))) throw notFound("key");
      return id;
    });
  }

  /** A person who let a client in, and ends that, must have ended all that it can do. */
  #requireOwnKey(caller: Caller): void {
    if (caller.keyId === null || !this.#tables.oauthGrants.has(caller.keyId)) return;
    throw new CofferError(
      "FORBIDDEN",
      "An application that a person let in cannot create keys. The person can, in the dashboard.",
    );
  }

  /** Whether there can be another key with this reach. */
  hasRoom(reach: KeyReach): boolean {
    return !this.#tables.apiKeys.hasAtLeast("user" in reach ? KEYS.account : KEYS.drive, reach);
  }

  /** Throws QUOTA_EXCEEDED if there are as many keys with this reach as there can be. */
  requireRoom(reach: KeyReach): void {
    if (this.hasRoom(reach)) return;
    const [whose, most] = "user" in reach ? ["account", KEYS.account] : ["drive", KEYS.drive];
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `This ${whose} already has the maximum of ${most} keys. Revoke some that are not needed.`,
    );
  }

  /** When a new key expires: a key cannot give away more time than it has itself. */
  #allowedExpiry(caller: Caller, wanted: number | null): number | null {
    requireFuture("expires_at", wanted, this.#clock.now());
    const own = caller.keyId === null ? null : this.#tables.apiKeys.expiryOf(caller.keyId);
    if (own === null) return wanted;
    if (wanted !== null && wanted > own) {
      throw invalid(
        "expires_at",
        `must not be later than ${formatInstant(own)}, when the key that sends the request expires`,
      );
    }
    return wanted ?? own;
  }

  /** The one drive that a new key is limited to; null if it reaches all of its owner's drives. */
  #requestedDrive(caller: Caller, driveId: string | undefined): Pick<Drive, "pk" | "id"> | null {
    if (driveId !== undefined) return this.#access.driveToManage(caller, driveId);
    return caller.kind === "account" ? null : { pk: caller.drivePk, id: caller.driveId };
  }

  /**
   * Creates a key for a user on the command line, where there is no caller.
   *
   * @throws CofferError NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED
   */
  createFor(username: string, name: string, scope: Scope): Promise<CreatedKey> {
    const insert = this.#newKey({ name, scope });
    return this.#tables.write(() => {
      const user = this.#tables.users.byUsername(username);
      if (user === null) throw new CofferError("NOT_FOUND", `There is no user "${username}".`);
      return insert({ user: user.pk }, null, null);
    });
  }

  /**
   * Makes a secret. The returned function stores the key, inside a write. Throws VALIDATION_ERROR; the function
   * throws QUOTA_EXCEEDED.
   */
  #newKey(
    request: Pick<KeyRequest, "name" | "scope">,
  ): (reach: KeyReach, driveId: DriveId | null, expiresAt: number | null) => CreatedKey {
    const name = request.name === "" ? "" : parseLabel("name", request.name, NAME_CHARACTERS);
    const { secret, hash, prefix } = newApiKey(this.#keyPrefix);
    return (reach, driveId, expiresAt) => {
      const now = this.#clock.now();
      const key = { id: newId<KeyId>(now), prefix, name, scope: request.scope, createdAt: now, expiresAt };
      this.requireRoom(reach);
      this.#tables.apiKeys.insert({ ...key, hash }, reach);
      return { key: { ...key, driveId, lastUsedAt: null, clientId: null }, secret };
    };
  }
}

/** What keys the caller sees and revokes. */
function reachOf(caller: Caller): KeyReach {
  return caller.kind === "account" ? { user: caller.userPk } : { drive: caller.drivePk };
}
