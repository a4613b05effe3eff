import type { SecretHash } from "../../domain/accounts/api-key.ts";
import type { DriveId, DrivePk, FileId, KeyId, LinkId, UserPk } from "../../domain/id.ts";
import type { Link, LinkMaker } from "../../domain/links/link.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** What a link shows: a file, wherever it is moved, or the folder at a path. */
export type ShareTarget =
  | { readonly kind: "file"; readonly fileId: FileId; readonly path: string }
  | { readonly kind: "folder"; readonly path: FolderPath };

/** Times are milliseconds since the epoch. */
export interface NewShareLink {
  readonly id: LinkId;
  readonly hash: SecretHash;
  /** Whose room it takes. */
  readonly drive: DriveId;
  readonly target: ShareTarget;
  /** From `Bun.password`; null without a password. */
  readonly passwordHash: string | null;
  readonly maker: LinkMaker;
  readonly expiresAt: number;
  readonly createdAt: number;
}

/** A link that shows a file or a folder. */
export interface ShareLink extends Link {
  readonly drive: DriveId;
  /** The file; null for a link to the folder at `path`. */
  readonly fileId: FileId | null;
  readonly path: FolderPath;
  readonly passwordHash: string | null;
}

interface NewRow extends Omit<NewShareLink, "maker" | "target"> {
  readonly fileId: FileId | null;
  readonly path: string;
  readonly keyId: KeyId | null;
  readonly user: UserPk | null;
}

/** Links that show a file or a folder to people without an account. */
export class ShareLinksTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byHash: sql.prepare<ShareLink, [SecretHash]>(
        `SELECT l.id, l.drive_id AS drive, l.file_id AS fileId, l.path, l.password_hash AS passwordHash,
              k.hash AS keyHash, l.user, NULL AS usedAt, l.expires_at AS expiresAt
         FROM share_link l LEFT JOIN api_key k ON k.id = l.key_id WHERE l.hash = ?`,
      ),
      insert: sql.prepare<never, [Parameters<NewRow>]>(
        `INSERT INTO share_link (hash, id, drive_id, file_id, path, password_hash, key_id, user, expires_at, created_at)
       VALUES (:hash, :id, :drive, :fileId, :path, :passwordHash, :keyId, :user, :expiresAt, :createdAt)`,
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM share_link WHERE hash IN
         (SELECT hash FROM share_link WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
      removeSomeOf: sql.prepare<never, [DrivePk, number]>(
        `DELETE FROM share_link WHERE hash IN
         (SELECT hash FROM share_link WHERE drive_id = (SELECT id FROM drive WHERE pk = ?) LIMIT ?)`,
      ),
    };
  }

  byHash(hash: SecretHash): ShareLink | null {
    return this.#sql.byHash.get(hash);
  }

  /** Inside a write. */
  insert({ maker, target, ...link }: NewShareLink): void {
    const fileId = target.kind === "file" ? target.fileId : null;
    const keyId = "keyId" in maker ? maker.keyId : null;
    const user = "user" in maker ? maker.user : null;
    this.#sql.insert.run({ ...link, fileId, path: target.path, keyId, user });
  }

  /** Removes up to `limit` links that expired by `before`. Returns how many. Inside a write. */
  removeExpired(before: number, limit: number): number {
    return this.#sql.removeExpired.run(before, limit).changes;
  }

  /** Removes up to `limit` links of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#sql.removeSomeOf.run(drive, limit).changes;
  }
}
