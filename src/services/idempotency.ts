import type { Clock } from "../process/clock.ts";
import type { Tables } from "../db/tables.ts";
import { type Caller, ownerOf } from "../domain/accounts/caller.ts";
import { CofferError } from "../domain/errors.ts";
import type { DriveId, UserId } from "../domain/id.ts";
import type { Fingerprint, IdempotencyRecord, KeptAnswer, RecordKeys } from "../domain/idempotency.ts";
import { IDEMPOTENCY_LIFETIME_MS, openRecord, recordKeys, sealRecord } from "../domain/idempotency.ts";
import { MIB } from "../domain/limits.ts";
import { utf8Length } from "../domain/contents/texts/text.ts";
import type { Quota } from "./quota.ts";
import { Service } from "./service.ts";

/** Bytes. Few responses to a thousand files at once are longer; limits what a flood of records can fill. */
const MAX_ANSWER = MIB;

/** Makes each request with an Idempotency-Key take effect once. Running ones are in memory: there is one process. */
export class Idempotency extends Service<{
  tables: Tables;
  quota: Quota;
  clock: Clock;
  /** Of this data directory. */
  secret: Uint8Array;
}> {
  readonly #running = new Set<string>();

  /**
   * Begins a request, whose key is of a `scope` and whose response counts for a caller, if it has one. It runs until
   * `end` of the result is called. Throws IDEMPOTENCY_IN_PROGRESS while a request with the same key is running,
   * QUOTA_EXCEEDED if there is no room for another response.
   */
  begin(scope: string, idempotencyKey: string, caller: Caller | null): Attempt {
    const { tables, quota, clock, secret } = this.parts;
    const keys = recordKeys(secret, scope, idempotencyKey);
    if (this.#running.has(keys.name)) {
      throw new CofferError(
        "IDEMPOTENCY_IN_PROGRESS",
        "A request with this Idempotency-Key is still being processed. Retry to get its response.",
      );
    }
    const sealed = tables.idempotencyRecords.find(keys.name, clock.now());
    // The record may belong to a write whose outcome is unknown.
    if (sealed !== null) tables.requireKnownOutcome();
    const earlier = sealed === null ? null : openRecord(keys.sealingKey, sealed);
    // Before the write: one of several transactions must not fail in the last. Requests that run at the same time may
    // exceed the room together, by their own responses.
    if (earlier === null && caller !== null) quota.requireRoomToKeep(caller);
    this.#running.add(keys.name);
    const end = () => this.#running.delete(keys.name);
    const owner = caller === null ? null : ownerOf(caller);
    return new Attempt({ ...this.parts, keys, owner, earlier, end });
  }
}

/** A request with an Idempotency-Key. While it runs, no other with the same key can. */
export class Attempt extends Service<{
  tables: Tables;
  clock: Clock;
  keys: RecordKeys;
  owner: UserId | DriveId | null;
  earlier: IdempotencyRecord | null;
  end: () => void;
}> {
  /** The request that was answered with this key before, so that this one must have no effect; else null. */
  readonly earlier = this.parts.earlier;
  /** Allows the next request with this key. Call it once the response, or the failure, is certain. */
  readonly end = this.parts.end;

  /** Throws PAYLOAD_TOO_LARGE for a response that is too long to keep. */
  requireRoom(answer: KeptAnswer): void {
    if (utf8Length(answer.body) <= MAX_ANSWER) return;
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `Nothing was done: the response would be longer than the ${MAX_ANSWER} bytes that are kept for an Idempotency-Key. Send the request without one.`,
    );
  }

  /** Keeps the response inside the write that it describes. Throws PAYLOAD_TOO_LARGE, which rolls back both. */
  keep(fingerprint: Fingerprint, answer: KeptAnswer): void {
    this.requireRoom(answer);
    const sealed = sealRecord(this.parts.keys.sealingKey, { fingerprint, answer });
    const expiresAt = this.parts.clock.now() + IDEMPOTENCY_LIFETIME_MS;
    this.parts.tables.idempotencyRecords.put(this.parts.keys.name, this.parts.owner, sealed, expiresAt);
  }
}
