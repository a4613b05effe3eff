import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DriveId, KeyId, LinkId, UserPk } from "../../domain/id.ts";
import type { Link, LinkMaker } from "../../domain/links/link.ts";
import type { FilePath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** What an upload link leads to. */
interface Target {
  readonly drive: DriveId;
  readonly path: FilePath;
  /** The most bytes of the content; null for no limit of its own. */
  readonly maxSize: number | null;
}

/** Times are milliseconds since the epoch. */
export interface NewUploadLink extends Target {
  readonly id: LinkId;
  readonly hash: SecretHash;
  readonly maker: LinkMaker;
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** A link that takes one upload. */
export interface UploadLink extends Link, Target {}

interface NewRow extends Omit<NewUploadLink, "maker"> {
  readonly keyId: KeyId | null;
  readonly user: UserPk | null;
}

/** Links that take one upload without a key. */
export class UploadLinksTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byHash: sql.prepare<UploadLink, [SecretHash]>(
        `SELECT l.id, l.drive_id AS drive, l.path, l.max_size AS maxSize, k.hash AS keyHash, l.user, l.used_at AS usedAt,
              l.expires_at AS expiresAt
         FROM upload_link l LEFT JOIN api_key k ON k.id = l.key_id WHERE l.hash = ?`,
      ),
      insert: sql.prepare<never, [Parameters<NewRow>]>(
        `INSERT INTO upload_link (id, hash, drive_id, path, max_size, key_id, user, expires_at, created_at)
       VALUES (:id, :hash, :drive, :path, :maxSize, :keyId, :user, :expiresAt, :createdAt)`,
      ),
      markUsed: sql.prepare<never, [number, SecretHash]>("UPDATE upload_link SET used_at = ? WHERE hash = ?"),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM upload_link WHERE hash IN
         (SELECT hash FROM upload_link WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
    };
  }

  byHash(hash: SecretHash): UploadLink | null {
    return this.#sql.byHash.get(hash);
  }

  /** Inside a write. */
  insert({ maker, ...link }: NewUploadLink): void {
    const keyId = "keyId" in maker ? maker.keyId : null;
    const user = "user" in maker ? maker.user : null;
    this.#sql.insert.run({ ...link, keyId, user });
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
