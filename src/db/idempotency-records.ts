import type { DriveId, UserId } from "../domain/id.ts";
import type { RecordName } from "../domain/idempotency.ts";
import type { Database } from "./engine/database.ts";

/** Encrypted responses to writes. Their names are derived from the caller and the Idempotency-Key. */
export function idempotencyRecords({ sql }: Database) {
  let kept: RecordName | null = null;
  const remove = sql.write<[name: RecordName]>("DELETE FROM idempotency_record WHERE name = ?");
  const put = sql.write<
    [name: RecordName, owner: UserId | DriveId | null, sealed: Uint8Array, expiresAt: number]
  >("INSERT INTO idempotency_record (name, owner, sealed, expires_at) VALUES (?, ?, ?, ?)");
  return {
    /** The record under this name; null if there is none, or it has expired. */
    find: sql.value<Uint8Array, [name: RecordName, now: number]>(
      "SELECT sealed FROM idempotency_record WHERE name = ? AND expires_at > ?",
    ),
    /** How many bytes the records of an owner take. Expired ones count until the sweep removes them. */
    usedBy: sql.number<[owner: UserId | DriveId]>("SELECT size FROM idempotency_use WHERE owner = ?"),
    /** Replaces an expired record of the same name. Inside a write. @param owner for whom it counts; null for nobody */
    put: (name: RecordName, owner: UserId | DriveId | null, sealed: Uint8Array, expiresAt: number) => {
      remove(name);
      put(name, owner, sealed, expiresAt);
      kept = name;
    },
    /** The name of the record that was put last since the last call; null for none. Inside a write. */
    takeKept: () => {
      const name = kept;
      kept = null;
      return name;
    },
    remove,
    removeExpired: sql.removeSome<[now: number]>(
      "idempotency_record",
      "expires_at <= ? ORDER BY expires_at",
      "name",
    ),
  };
}
