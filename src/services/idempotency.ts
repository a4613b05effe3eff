import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import { CofferError } from "../domain/errors.ts";
import {
  type Fingerprint,
  IDEMPOTENCY_LIFETIME_MS,
  type IdempotencyRecord,
  type KeptAnswer,
  openRecord,
  recordKeys,
  type RecordKeys,
  sealRecord,
} from "../domain/idempotency.ts";
import { utf8Length } from "../domain/text.ts";

/** Bytes. More than any answer about things that exist; it bounds what a flood of records can fill. */
const MAX_ANSWER = 64 * 1024;

interface Parts {
  readonly tables: Tables;
  readonly clock: Clock;
  /** Of this data directory. */
  readonly secret: Uint8Array;
}

/**
 * Requests that their clients have named with an Idempotency-Key: each takes effect once. Which are
 * running is known in memory alone, since one process has the data directory to itself.
 */
export class Idempotency {
  readonly #parts: Parts;
  readonly #running = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Begins a request; it runs until `end` is called on what this returns.
   *
   * @param scope whose key it is
   * @throws CofferError IDEMPOTENCY_IN_PROGRESS while a request under the same key is running
   */
  begin(scope: string, idempotencyKey: string): Attempt {
    const { tables, clock, secret } = this.#parts;
    const keys = recordKeys(secret, scope, idempotencyKey);
    if (this.#running.has(keys.name)) {
      throw new CofferError(
        "IDEMPOTENCY_IN_PROGRESS",
        "A request with this Idempotency-Key is still being processed; ask again for its answer.",
      );
    }
    const sealed = tables.idempotencyRecords.find(keys.name, clock.now());
    const earlier = sealed === null ? null : openRecord(keys.sealingKey, sealed);
    this.#running.add(keys.name);
    const end = () => this.#running.delete(keys.name);
    return new Attempt({ ...this.#parts, keys, earlier, end });
  }
}

/** One request under an Idempotency-Key. While it runs no other has the same. */
export class Attempt {
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #keys: RecordKeys;
  readonly #earlier: IdempotencyRecord | null;
  /** Lets the next request with this key begin; to be called once the answer, or its failure, is certain. */
  readonly end: () => void;

  constructor(parts: {
    tables: Tables;
    clock: Clock;
    keys: RecordKeys;
    earlier: IdempotencyRecord | null;
    end: () => void;
  }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
    this.#keys = parts.keys;
    this.#earlier = parts.earlier;
    this.end = parts.end;
  }

  /** Whether a request under this key was answered before: then this one must have no effect. */
  get isRepeat(): boolean {
    return this.#earlier !== null;
  }

  /**
   * What the request was answered before; null when it was not.
   *
   * @throws CofferError IDEMPOTENCY_KEY_REUSED when it was another request
   */
  earlierAnswer(fingerprint: Fingerprint): KeptAnswer | null {
    if (this.#earlier === null) return null;
    if (this.#earlier.fingerprint === fingerprint) return this.#earlier.answer;
    throw new CofferError(
      "IDEMPOTENCY_KEY_REUSED",
      "This Idempotency-Key came with a different request before. Give each request a key of its own.",
    );
  }

  /** Throws PAYLOAD_TOO_LARGE for an answer that is too long to be kept. */
  requireRoom(answer: KeptAnswer): void {
    if (utf8Length(answer.body) <= MAX_ANSWER) return;
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `Nothing was done: the answer would have more than the ${MAX_ANSWER} bytes that are kept under an Idempotency-Key.`,
    );
  }

  /**
   * Keeps the answer, to give it again. Inside the write whose effect it tells of, and so undone with it.
   *
   * @throws CofferError PAYLOAD_TOO_LARGE, which then undoes the write
   */
  keep(fingerprint: Fingerprint, answer: KeptAnswer): void {
    this.requireRoom(answer);
    const sealed = sealRecord(this.#keys.sealingKey, { fingerprint, answer });
    const expiresAt = this.#clock.now() + IDEMPOTENCY_LIFETIME_MS;
    this.#tables.idempotencyRecords.put(this.#keys.name, sealed, expiresAt);
  }
}
