import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DriveId, FileId, KeyId, LinkId, UserPk } from "../../domain/id.ts";
import type { Link, LinkMaker } from "../../domain/links/link.ts";
import type { Database } from "../engine/database.ts";

/** Times are milliseconds since the epoch. */
export interface NewPresignedLink {
  readonly id: LinkId;
  readonly hash: SecretHash;
  readonly file: FileId;
  /** Whose room it takes, even if the file is moved or deleted. */
  readonly drive: DriveId;
  readonly maker: LinkMaker;
  readonly oneTime: boolean;
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** A link to a file. */
export interface PresignedLink extends Link {
  readonly fileId: FileId;
  readonly oneTime: boolean;
}

interface Row extends Omit<PresignedLink, "oneTime"> {
  readonly oneTime: 0 | 1;
}

/** Links that open a file without a key. A link whose file is gone is not found. */
export class PresignedLinksTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byHash: sql.prepare<Row, [SecretHash]>(
        `SELECT l.id, f.id AS fileId, k.hash AS keyHash, l.user, l.one_time AS oneTime, l.used_at AS usedAt,
              l.expires_at AS expiresAt
         FROM presigned_link l
         JOIN file f ON f.id = l.file_id
         LEFT JOIN api_key k ON k.id = l.key_id
        WHERE l.hash = ?`,
      ),
      insert: sql.prepare<
        never,
        [LinkId, SecretHash, FileId, DriveId, KeyId | null, UserPk | null, boolean, number, number]
      >(
        `INSERT INTO presigned_link (id, hash, file_id, drive_id, key_id, user, one_time, expires_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      markUsed: sql.prepare<never, [number, SecretHash]>(
        "UPDATE presigned_link SET used_at = ?1, uses = uses + 1, last_used_at = ?1 WHERE hash = ?2",
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM presigned_link WHERE hash IN
         (SELECT hash FROM presigned_link WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    };
  }

  byHash(hash: SecretHash): PresignedLink | null {
    const row = this.#sql.byHash.get(hash);
    return row === null ? null : { ...row, oneTime: row.oneTime === 1 };
  }

  /** Inside a write. */
  insert({ id, hash, file, drive, maker, oneTime, expiresAt, createdAt }: NewPresignedLink): void {
    const keyId = "keyId" in maker ? maker.keyId : null;
    const user = "user" in maker ? maker.user : null;
    this.#sql.insert.run(id, hash, file, drive, keyId, user, oneTime, expiresAt, createdAt);
  }

  /** Inside a write. */
  markUsed(hash: SecretHash, at: number): void {
    this.#sql.markUsed.run(at, hash);
  }

  /** Removes up to `limit` links that expired by `before`. Returns how many. Inside a write. */
  removeExpired(before: number, limit: number): number {
    return this.#sql.removeExpired.run(before, limit).changes;
  }
}
