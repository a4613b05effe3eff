import { describe, expect, test } from "bun:test";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { fingerprintOf, openRecord, recordKeys, sealRecord } from "../../src/domain/idempotency.ts";

const secret = new Uint8Array(32).fill(7);
const record: IdempotencyRecord = {
  fingerprint: fingerprintOf(["POST", "/v0/drives/provision", "", null, null, "body"]),
  answer: { status: 201, headers: { etag: '"x"' }, body: '{"api_key":"cof_caf\u00e9"}' },
};
const keys = recordKeys(secret, "client 192.0.2.1", "a key");

describe("a record's keys", () => {
  test("are the same for the same caller and key", () => {
    expect(recordKeys(secret, "client 192.0.2.1", "a key")).toEqual(keys);
  });

  test.each<[name: string, secret: Uint8Array, scope: string, key: string]>([
    ["another caller", secret, "client 192.0.2.2", "a key"],
    ["another key", secret, "client 192.0.2.1", "a kez"],
    ["another appliance's secret", new Uint8Array(32).fill(8), "client 192.0.2.1", "a key"],
    ["what is the caller's and what the key's shifted", secret, "client 192.0.2", ".1a key"],
  ])("differ for %s, and open nothing", (_, otherSecret, scope, key) => {
    const other = recordKeys(otherSecret, scope, key);
    expect(other.name).not.toBe(keys.name);
    expect(() => openRecord(other.sealingKey, sealRecord(keys.sealingKey, record))).toThrow();
  });
});

describe("a sealed record", () => {
  test("is opened with its key, shows nothing, and is never the same twice", () => {
    const [first, second] = [sealRecord(keys.sealingKey, record), sealRecord(keys.sealingKey, record)];
    expect(openRecord(keys.sealingKey, first)).toEqual(record);
    expect(Buffer.from(first).includes("api_key")).toBe(false);
    expect(Buffer.from(first).equals(second)).toBe(false);
  });

  test("is not opened once any of its bits has changed, or its end is missing", () => {
    const sealed = sealRecord(keys.sealingKey, record);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openRecord(keys.sealingKey, changed)).toThrow();
    }
    for (const length of [0, 11, 12, 28, sealed.length - 1]) {
      expect(() => openRecord(keys.sealingKey, sealed.subarray(0, length))).toThrow();
    }
  });
});

test("a fingerprint tells where one part ends and the next begins", () => {
  const parts: (string | null)[][] = [
    ["a", "b"],
    ["ab", ""],
    ["a", "b", ""],
    ["a", "b", null],
    ["b", "a"],
  ];
  expect(new Set(parts.map((each) => fingerprintOf(each))).size).toBe(parts.length);
});
