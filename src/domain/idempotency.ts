import { CofferError, invalid } from "./errors.ts";
import { asHash, type Brand } from "./id.ts";
import { deriveKey, seal, unseal } from "./sealing.ts";

/** The header that names a request, so that a retry has no second effect. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** How long a response is kept, in milliseconds. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The name of a record in the database, as hex. It reveals neither the caller nor the key. */
export type RecordName = Brand<string, "RecordName">;
/** SHA-256 of everything that must be equal in a retry, as hex. */
export type Fingerprint = Brand<string, "Fingerprint">;

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface IdempotencyRecord {
  readonly fingerprint: Fingerprint;
  readonly answer: KeptAnswer;
}

export interface RecordKeys {
  readonly name: RecordName;
  readonly sealingKey: Uint8Array;
}

/** Reads the Idempotency-Key of an authenticated caller: 1 to 255 printable ASCII characters. */
export function parseIdempotencyKey(text: string): string {
  if (!/^[ -~]{1,255}$/.test(text)) {
    throw invalid(IDEMPOTENCY_KEY, "must be 1 to 255 printable ASCII characters");
  }
  return text;
}

/**
 * The least that the Idempotency-Key of an unauthenticated caller must have. All callers behind one address share a
 * scope, so who sends another's key gets its response, secrets included. Different characters tell random keys from
 * `aaaa...`: a UUID has 36 characters, on average 14 or 15 different ones. Of 300,000 keys of 32 random hex digits, 25
 * had fewer than 10 different ones and none fewer than 8.
 */
export const ANONYMOUS_KEY = { characters: 32, different: 8 };

/** Reads the Idempotency-Key of an unauthenticated caller: one that no one else sends, such as a UUID. */
export function parseAnonymousIdempotencyKey(text: string): string {
  const key = parseIdempotencyKey(text);
  const { characters, different } = ANONYMOUS_KEY;
  if (key.length < characters || new Set(key).size < different) {
    throw invalid(
      IDEMPOTENCY_KEY,
      `must have at least ${characters} random characters if no API key is sent, such as a new UUID: callers at one address that send the same key get the same response`,
    );
  }
  return key;
}

/**
 * Derives a record's name and encryption key (HKDF-SHA-256, RFC 5869). They are independent: the name, which is in
 * the database, reveals nothing about the key. The server's secret is the salt: clients choose keys like `1`, which
 * could otherwise be guessed from the database alone.
 *
 * @param scope the caller: the same key of two callers names two requests
 */
export function recordKeys(secret: Uint8Array, scope: string, idempotencyKey: string): RecordKeys {
  const derived = Buffer.from(
    deriveKey({ from: idempotencyKey, salt: secret, purpose: `coffer idempotency ${scope}`, length: 64 }),
  );
  return { name: asHash<RecordName>(derived.toString("hex", 0, 32)), sealingKey: derived.subarray(32) };
}

/** The fingerprint of a request, from the parts that a retry must repeat, in a fixed order. */
export function fingerprintOf(parts: readonly (string | null)[]): Fingerprint {
  return asHash<Fingerprint>(Bun.SHA256.hash(JSON.stringify(parts), "hex"));
}

/** The earlier response. Throws IDEMPOTENCY_KEY_REUSED if it was to a request with another fingerprint. */
export function earlierAnswer(earlier: IdempotencyRecord, fingerprint: Fingerprint): KeptAnswer {
  if (earlier.fingerprint === fingerprint) return earlier.answer;
  throw new CofferError(
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used for a different request. Use a new key for each request.",
  );
}

export function sealRecord(sealingKey: Uint8Array, record: IdempotencyRecord): Uint8Array {
  return seal(sealingKey, Buffer.from(JSON.stringify(record)));
}

/** Decrypts what `sealRecord` made; throws if it was changed or the key is another one. */
export function openRecord(sealingKey: Uint8Array, sealed: Uint8Array): IdempotencyRecord {
  return JSON.parse(Buffer.from(unseal(sealingKey, sealed)).toString());
}
