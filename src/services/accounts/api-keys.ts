import type { KeyReach } from "../../db/accounts/api-keys.ts";
import type { Within } from "../../db/engine/database.ts";
import { type ApiKey, hashSecret, type MadeByKey, newApiKey } from "../../domain/accounts/api-key.ts";
import type { AuditFacts } from "../../domain/audit/audit-event.ts";
import { commandActor } from "../../domain/audit/new-audit-event.ts";
import { keySubject } from "../../domain/audit/subjects.ts";
import { type Caller, isManaging, requireManaging } from "../../domain/accounts/caller.ts";
import type { Scope } from "../../domain/accounts/roles.ts";
import { CofferError, invalid, orNotFound } from "../../domain/errors.ts";
import { parseExpiry, requireFuture } from "../../domain/files/file.ts";
import { type KeyId, newId, parseId } from "../../domain/id.ts";
import { KEYS } from "../../domain/limits.ts";
import { type FolderPath, parseFolderPath, ROOT, withSlash } from "../../domain/files/path.ts";
import { parseName } from "../../domain/contents/texts/text.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { EndedKeys } from "./ended-keys.ts";
import { LastUses } from "./usage.ts";

interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export interface KeyRequest {
  readonly name: string;
  readonly scope: Scope;
  /** An id or slug; undefined for everything that the caller reaches. */
  readonly driveId: string | undefined;
  /** A folder of that drive; undefined for as much of it as the caller reaches. */
  readonly pathPrefix: string | undefined;
  /** As sent; null for never, or for when the caller's own key expires. */
  readonly expiresAt: string | null;
}

export class ApiKeys extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "clock"> & { keyPrefix: string; endedKeys: EndedKeys }
> {
  readonly #lastUses = new LastUses<KeyId>();

  /** The caller with this key; null if it is unknown, revoked or expired, its drive is gone or its user disabled. */
  authenticate(secret: string): Caller | null {
    const now = this.parts.clock.now();
    const caller = this.parts.tables.apiKeys.callerOf(hashSecret(secret), now);
    if (caller !== null && caller.keyId !== null) this.#lastUses.note(caller.keyId, now);
    return caller;
  }

  flushUse(): Promise<void> {
    const { tables } = this.parts;
    return this.#lastUses.flush(tables, ({ id, at }) => tables.apiKeys.touch(id, at));
  }

  /**
   * Creates a key that reaches no more than the caller, works no longer, and goes with the key that makes it. Throws
   * VALIDATION_ERROR, FORBIDDEN for more than the caller reaches, NOT_FOUND for a foreign drive, QUOTA_EXCEEDED.
   */
  create(caller: Caller, request: KeyRequest, within?: Within<CreatedKey>): Promise<CreatedKey> {
    const expiresAt = parseExpiry("expires_at", request.expiresAt, this.parts.clock.now());
    const prefix =
      request.pathPrefix === undefined ? null : parseFolderPath("path_prefix", withSlash(request.pathPrefix));
    const insert = this.#newKey(request);
    return this.parts.access.write(caller, within, () => {
      requireManaging(caller);
      const { reach, driveId } = this.#requestedReach(caller, request.driveId, prefix);
      const allowed = this.#allowedExpiry(caller, expiresAt);
      const created = insert(reach, { driveId, expiresAt: allowed, madeBy: caller.keyId });
      this.parts.audit.add(caller, keyCreated(created.key));
      return created;
    });
  }

  /** The keys within the caller's reach, oldest first; for who manages none, its own alone. */
  list(caller: Caller): ApiKey[] {
    return this.parts.tables.apiKeys
      .list(reachOf(caller), this.parts.clock.now())
      .filter(({ id }) => isSeen(caller, id))
      .map((key) => this.#withLastUse(key));
  }

  /** A key of `list`, with how much goes with it. Throws NOT_FOUND. */
  get(caller: Caller, reference: string): { readonly key: ApiKey; readonly made: MadeByKey } {
    const key = this.#withLastUse(this.#seen(caller, reference));
    return { key, made: this.parts.tables.endedKeys.madeBy(key.id, this.parts.clock.now()) };
  }

  /** Revokes a key of `list` at once, with all that it made: see `EndedKeys`. Throws NOT_FOUND, FORBIDDEN. */
  async revoke(caller: Caller, reference: string, within?: Within<KeyId>): Promise<KeyId> {
    const revoked = await this.parts.access.writeFromReserve(caller, within, () => {
      const { apiKeys } = this.parts.tables;
      const key = this.#seen(caller, reference);
      const { id } = key;
      if (caller.kind === "drive" && !apiKeys.isBelow(id, caller.keyId))
        throw new CofferError("FORBIDDEN", "A key of one drive can revoke itself and the keys that it made.");
      const subject = keySubject(key);
      this.parts.audit.add(caller, { action: "key.revoked", subject, ...placeOf(key) });
      apiKeys.removeAny(id);
      this.parts.endedKeys.removeSome();
      return id;
    });
    await this.parts.endedKeys.removeMost();
    return revoked;
  }

  #seen(caller: Caller, reference: string): ApiKey {
    const { apiKeys } = this.parts.tables;
    const id = parseId<KeyId>(reference);
    const isOwn = id !== null && isSeen(caller, id);
    return orNotFound(isOwn ? apiKeys.find(id, reachOf(caller), this.parts.clock.now()) : null, "key");
  }

  #withLastUse(key: ApiKey): ApiKey {
    return { ...key, lastUsedAt: this.#lastUses.get(key.id)?.at ?? key.lastUsedAt };
  }

  hasRoom(reach: KeyReach): boolean {
    return !this.parts.tables.apiKeys.hasAtLeast(KEYS[holderOf(reach)], reach);
  }

  /** Throws QUOTA_EXCEEDED if there are as many keys with this reach as there can be. */
  requireRoom(reach: KeyReach): void {
    if (this.hasRoom(reach)) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `This ${holderOf(reach)} already has the maximum of ${KEYS[holderOf(reach)]} keys. Revoke some that are not needed.`,
    );
  }

  /** When a new key expires: a key cannot give away more time than it has itself. */
  #allowedExpiry(caller: Caller, wanted: number | null): number | null {
    requireFuture("expires_at", wanted, this.parts.clock.now());
    const own = caller.keyId === null ? null : this.parts.tables.apiKeys.expiryOf(caller.keyId);
    if (own === null) return wanted;
    if (wanted === null || wanted <= own) return wanted ?? own;
    throw invalid(
      "expires_at",
      `must not be later than ${formatInstant(own)}, when the key that sends the request expires`,
    );
  }

  /** What a new key reaches: never more than the caller. */
  #requestedReach(caller: Caller, driveRef: string | undefined, prefix: FolderPath | null) {
    if (caller.kind === "drive") {
      const wanted = prefix ?? caller.prefix;
      const drive = this.parts.access.driveToWrite(caller, driveRef ?? caller.driveId, wanted);
      return { reach: { drive: drive.pk, prefix: wanted }, driveId: drive.id };
    }
    if (driveRef === undefined) {
      if (prefix !== null) throw invalid("path_prefix", "needs `drive_id`: it is a folder of one drive");
      return { reach: reachOf(caller), driveId: null };
    }
    const drive = this.parts.access.driveToManage(caller, driveRef);
    return { reach: { drive: drive.pk, prefix: prefix ?? ROOT }, driveId: drive.id };
  }

  /** Creates a key from the command line. Throws NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED. */
  createFor(username: string, name: string, scope: Scope): Promise<CreatedKey> {
    const insert = this.#newKey({ name, scope });
    return this.parts.tables.write(() => {
      const user = this.parts.tables.users.byUsername(username);
      if (user === null) throw new CofferError("NOT_FOUND", `There is no user "${username}".`);
      const created = insert({ user: user.pk }, { driveId: null, expiresAt: null, madeBy: null });
      const facts = keyCreated(created.key);
      const detail = { ...facts.detail, username: user.username };
      this.parts.audit.addBy(commandActor("key create"), null, { ...facts, detail });
      return created;
    });
  }

  /** Makes a secret; throws VALIDATION_ERROR. The result stores the key, inside a write; it throws QUOTA_EXCEEDED. */
  #newKey(request: Pick<KeyRequest, "name" | "scope">) {
    const name = request.name === "" ? "" : parseName("name", request.name);
    const { secret, hash, prefix } = newApiKey(this.parts.keyPrefix);
    return (
      reach: KeyReach,
      { driveId, expiresAt, madeBy }: Pick<ApiKey, "driveId" | "expiresAt" | "madeBy">,
    ): CreatedKey => {
      const now = this.parts.clock.now();
      const id = newId<KeyId>(now);
      const key = { id, prefix, name, scope: request.scope, createdAt: now, expiresAt, madeBy };
      this.requireRoom(reach);
      this.parts.tables.apiKeys.insert({ ...key, hash }, reach);
      const pathPrefix = "user" in reach || reach.prefix === ROOT ? null : reach.prefix;
      return { key: { ...key, driveId, pathPrefix, lastUsedAt: null, clientId: null }, secret };
    };
  }
}

function keyCreated(key: ApiKey): AuditFacts {
  const { scope, pathPrefix } = key;
  const detail = { scope, ...(pathPrefix === null ? {} : { path_prefix: pathPrefix }) };
  return { action: "key.created", subject: keySubject(key), ...placeOf(key), detail };
}

function placeOf({ driveId }: ApiKey): Pick<AuditFacts, "driveId"> {
  return driveId === null ? {} : { driveId };
}

function holderOf(reach: KeyReach) {
  return "user" in reach ? "account" : "drive";
}

/** Whether a caller may see a key within its reach: others than its own only who manages keys. */
function isSeen(caller: Caller, id: KeyId): boolean {
  return isManaging(caller) || id === caller.keyId;
}

function reachOf(caller: Caller): KeyReach {
  return caller.kind === "account"
    ? { user: caller.userPk }
    : { drive: caller.drivePk, prefix: caller.prefix };
}
