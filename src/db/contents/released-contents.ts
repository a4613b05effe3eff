import type { Digest } from "../../domain/contents/digest.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { BlobPk, DrivePk, UserPk } from "../../domain/id.ts";
import type { Connection } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";
import type { LazyStatement } from "../engine/lazy-statement.ts";

/** Who released a content last: an unclaimed drive, or the account that owned its drive. */
export type Releaser =
  { readonly kind: "drive"; readonly pk: DrivePk } | { readonly kind: "user"; readonly pk: UserPk };

export function releaserOf({ pk, owner }: Drive): Releaser {
  return owner === null ? { kind: "drive", pk } : { kind: "user", pk: owner.pk };
}

/** An orphan that is still on the disk. */
export interface ReleasedContent {
  readonly pk: BlobPk;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** Orphans by who released them last. Triggers record it. */
export class ReleasedContentsTable {
  readonly #drive;
  readonly #user;
  readonly #sql;

  constructor({ sql }: Database) {
    this.#drive = prepare<DrivePk>(sql, "drive");
    this.#user = prepare<UserPk>(sql, "user");
    this.#sql = {
      clearReleaser: sql.prepare<never, [DrivePk, number]>(
        `UPDATE blob SET released_drive = NULL
        WHERE pk IN (SELECT pk FROM blob WHERE released_drive = ? LIMIT ?)`,
      ),
      sizeOfAll: sql.prepare<{ bytes: number }, []>(
        `SELECT (SELECT ifnull(sum(released_size), 0) FROM drive) + (SELECT ifnull(sum(released_size), 0) FROM user)
         AS bytes`,
      ),
    };
  }

  /** The bytes that an owner has released, including deleted drives. Constant cost. */
  size({ kind, pk }: Releaser): number {
    return this.#of(kind).size.get(pk)?.bytes ?? 0;
  }

  /** The bytes that all owners have released and that are not removed yet. The cost grows with the number of owners. */
  sizeOfAll(): number {
    return this.#sql.sizeOfAll.get()?.bytes ?? 0;
  }

  /** Everyone with released contents that still exist. */
  releasers(): Releaser[] {
    return [
      ...each(this.#drive.next, (pk) => ({ kind: "drive" as const, pk })),
      ...each(this.#user.next, (pk) => ({ kind: "user" as const, pk })),
    ];
  }

  /** Whether the grace period of some released contents has not started yet. */
  hasUnstamped({ kind, pk }: Releaser): boolean {
    return this.#of(kind).unstamped.get(pk) !== null;
  }

  /** Starts the grace period of up to `limit` released contents. Inside a write. */
  stamp({ kind, pk }: Releaser, now: number, limit: number): void {
    this.#of(kind).stamp.run(now, pk, limit);
  }

  /** Some released contents whose grace period started by `before`, oldest first. */
  oldest({ kind, pk }: Releaser, before: number, limit: number): ReleasedContent[] {
    return this.#of(kind).oldest.all(pk, before, limit);
  }

  /** Removes a drive as the releaser of up to `limit` contents. Returns how many. Inside a write. */
  clearReleaser(drive: DrivePk, limit: number): number {
    return this.#sql.clearReleaser.run(drive, limit).changes;
  }

  #of(kind: Releaser["kind"]): Statements {
    return kind === "drive" ? this.#drive : this.#user;
  }
}

/** All releasers, by pk. The cost grows with their number, not with that of their contents. */
function each<Pk extends number>(next: Next<Pk>, releaser: (pk: Pk) => Releaser): Releaser[] {
  const found: Releaser[] = [];
  for (let last: Pk | 0 = 0; ;) {
    const pk: Pk | null = next.get(last)?.pk ?? null;
    if (pk === null) return found;
    found.push(releaser(pk));
    last = pk;
  }
}

type Next<Pk extends number> = LazyStatement<{ pk: Pk | null }, [Pk | 0]>;
type Statements = Omit<ReturnType<typeof prepare>, "next">;

/** The bytes in an account's deleted drives, and of what they keep. An overestimate while the sweep removes them. */
const IN_DELETED_DRIVES = `(
  SELECT ifnull(sum(r.total_size + d.kept_size), 0) FROM drive d JOIN folder r ON r.drive = d.pk AND r.path = ''
   WHERE d.user = user.pk AND d.deleted_at IS NOT NULL)`;

function prepare<Pk extends Releaser["pk"]>(sql: Connection, kind: Releaser["kind"]) {
  const column = `released_${kind}`;
  const contents = `blob INDEXED BY blob_released_${kind}`;
  return {
    size: sql.prepare<{ bytes: number }, [Releaser["pk"]]>(
      `SELECT released_size + ${kind === "user" ? IN_DELETED_DRIVES : 0} AS bytes FROM ${kind} WHERE pk = ?`,
    ),
    next: sql.prepare<{ pk: Pk | null }, [Pk | 0]>(
      `SELECT min(${column}) AS pk FROM ${contents} WHERE ${column} > ?`,
    ),
    unstamped: sql.prepare<object, [Releaser["pk"]]>(
      `SELECT 1 FROM ${contents} WHERE ${column} = ? AND orphaned_at IS NULL LIMIT 1`,
    ),
    stamp: sql.prepare<never, [number, Releaser["pk"], number]>(
      `UPDATE blob SET orphaned_at = ?
        WHERE pk IN (SELECT pk FROM ${contents} WHERE ${column} = ? AND orphaned_at IS NULL LIMIT ?)`,
    ),
    oldest: sql.prepare<ReleasedContent, [Releaser["pk"], number, number]>(
      `SELECT pk, digest, size FROM ${contents} WHERE ${column} = ? AND orphaned_at <= ?
        ORDER BY orphaned_at LIMIT ?`,
    ),
  };
}
