import type { ContentFacts, Digest } from "../../domain/contents/content.ts";
import type { BlobPk, DrivePk, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import { VersionCache } from "../engine/version-cache.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { Connection } from "../engine/connection.ts";
import { SMALL_BYTES } from "../expressions.ts";
import { SMALL_CONTENT_BYTES } from "../../domain/limits.ts";
import type { File } from "../../domain/files/file.ts";

/** What became of a small content: it was there, it is new, or bytes that were wrong are right again. */
type KeptContent = "same" | "new" | "healed";

/** The bytes of small contents. They go with the row of their blob. */
export function smallContents({ sql }: Database) {
  const isSame = sql.value<0 | 1, [blob: BlobPk, bytes: Uint8Array]>(
    "SELECT bytes = ?2 FROM small_content WHERE blob = ?1",
  );
  const put = sql.write<[blob: BlobPk, bytes: Uint8Array]>(
    "INSERT OR REPLACE INTO small_content (blob, bytes) VALUES (?, ?)",
  );
  return {
    smallBytes: SMALL_CONTENT_BYTES,
    get: sql.value<Uint8Array<ArrayBuffer>, [digest: Digest]>(SMALL_BYTES),
    /** Keeps the bytes of a blob, unless they are there. Inside a write. */
    put: (blob: BlobPk, bytes: Uint8Array): KeptContent => {
      const same = isSame(blob, bytes);
      if (same === 1) return "same";
      put(blob, bytes);
      return same === null ? "new" : "healed";
    },
  };
}

export interface DamagedRow extends ContentFacts {
  /** What was looked at; null for nothing. */
  readonly state: string | null;
}

/** Contents that must not be sent, because they were found damaged. */
export function damagedContents(database: Database) {
  const { sql } = database;
  const known = new VersionCache<"any", boolean>(database);
  const hasAny = sql.has<[]>("SELECT 1 FROM damaged_content LIMIT 1");
  const problem = sql.value<string, [digest: Digest]>("SELECT problem FROM damaged_content WHERE digest = ?");
  return {
    /** What is wrong with a blob; null if nothing is known. */
    problemOf: (digest: Digest) =>
      known.get("any", 0, () => ({ value: hasAny() })) === true ? problem(digest) : null,
    get: sql.get<DamagedRow, [digest: Digest]>(
      `SELECT c.digest, b.size, c.state FROM damaged_content c JOIN blob b ON b.digest = c.digest
        WHERE c.digest = ?`,
    ),
    /** Records damage of a blob. Returns false if it has no row. */
    put: sql.writeAny<[digest: Digest, problem: string, state: string | null, now: number]>(
      `INSERT INTO damaged_content (digest, problem, state, found_at)
       SELECT digest, ?2, ?3, ?4 FROM blob WHERE digest = ?1
       ON CONFLICT (digest) DO UPDATE SET problem = excluded.problem, state = excluded.state`,
    ),
    /** Records that a blob is whole. Returns whether it was damaged. */
    remove: sql.writeAny<[digest: Digest]>("DELETE FROM damaged_content WHERE digest = ?"),
    some: sql.all<DamagedRow, [after: string, limit: number]>(
      `SELECT c.digest, b.size, c.state FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest
        WHERE c.digest > ? ORDER BY c.digest LIMIT ?`,
    ),
    count: sql.number<[]>(
      // CROSS JOIN: from the few that are damaged, not from all contents.
      `SELECT count(*) FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest WHERE b.refs > 0`,
    ),
    /** When the first of them was found; milliseconds. */
    since: sql.value<number | null, []>(
      `SELECT min(c.found_at) FROM damaged_content c CROSS JOIN blob b ON b.digest = c.digest WHERE b.refs > 0`,
    ),
    placeOf: sql.get<Pick<File, "driveId" | "path">, [digest: Digest]>(
      `SELECT d.id AS driveId, f.path FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
        WHERE b.digest = ? LIMIT 1`,
    ),
  };
}

/** An orphan: a blob that no file refers to. */
export type BlobRow = Pick<ReleasedContent, "pk" | "digest">;

interface ContentFigures {
  readonly contents: number;
  readonly bytes: number;
  /** Null if there are none. */
  readonly last: BlobPk | null;
}

/** How many of the newest rows are looked at, and how many contents are returned of them. */
const NEWEST = { looked: 2000, files: 500 };
const SOME = 25;

/** What files get of the row of their content. */
export interface NamedContent {
  readonly pk: BlobPk;
  readonly digest: Digest;
  readonly preview: string | null;
}

/** The database's records of contents; the blob store has the bytes. */
export function blobs(database: Database) {
  const { sql } = database;
  const find = sql.value<BlobPk, [digest: Digest]>("SELECT pk FROM blob WHERE digest = ?");
  const has = (digest: Digest) => find(digest) !== null;
  const stamp = sql.write<[now: number, limit: number]>(
    `UPDATE blob SET orphaned_at = ? WHERE pk IN
       (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at IS NULL LIMIT ?)`,
  );
  const stampAgain = sql.write<[now: number, limit: number]>(
    `UPDATE blob SET orphaned_at = ?1 WHERE pk IN
       (SELECT pk FROM blob WHERE refs = 0 AND orphaned_at > ?1 LIMIT ?2)`,
  );
  return {
    ensure: sql.one<NamedContent, [digest: Digest, size: number, preview: string | null]>(
      `INSERT INTO blob (digest, size, preview) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING pk, digest, preview`,
    ),
    /** Whether no row names a blob. False while the outcome of a write is unknown: the next start may find its row. */
    isRemovable: (digest: Digest) => !database.hasFailed && !has(digest),
    has,
    find,
    hasAny: sql.has<[]>("SELECT 1 FROM blob WHERE pk > 0 LIMIT 1"),
    /** How many contents come next after one, up to a limit, their bytes, and the last of them. */
    figuresAfter: sql.one<ContentFigures, [after: number, limit: number]>(
      `SELECT count(*) AS contents, ifnull(sum(size), 0) AS bytes, max(pk) AS last
         FROM (SELECT pk, size FROM blob WHERE pk > ? ORDER BY pk LIMIT ?) page`,
    ),
    /** Some of the newest contents of files that are larger than this, in bytes. */
    newestFiles: sql.all<ContentFacts, [above: number]>(
      `SELECT digest, size FROM (SELECT * FROM blob ORDER BY pk DESC LIMIT ${NEWEST.looked}) page
        WHERE refs > 0 AND size > ? LIMIT ${NEWEST.files}`,
    ),
    /** Some blobs of files that are larger than `above`, in bytes. `place` is where to look, from 0 to 1. */
    someFiles: sql.all<ContentFacts, [place: number, above: number]>(
      `SELECT digest, size FROM (SELECT * FROM blob WHERE pk >= ? * (SELECT max(pk) FROM blob)
                                  ORDER BY pk LIMIT ${SOME}) page
        WHERE refs > 0 AND size > ?`,
    ),
    /** Starts the grace period of orphans; also of those from before the clock was set back. Inside a write. */
    stampOrphans: (now: number, limit: number) => stamp(now, limit) + stampAgain(now, limit),
    orphans: sql.all<BlobRow, [before: number, limit: number]>(
      "SELECT pk, digest FROM blob WHERE refs = 0 AND orphaned_at <= ? ORDER BY orphaned_at LIMIT ?",
    ),
    /** Removes the row of an orphan. Returns false if something refers to it again. */
    remove: sql.writeAny<[pk: BlobPk]>("DELETE FROM blob WHERE pk = ? AND refs = 0"),
  };
}

/** Who released a blob last: an unclaimed drive, or the account that owned its drive. */
export type Releaser =
  { readonly kind: "drive"; readonly pk: DrivePk } | { readonly kind: "user"; readonly pk: UserPk };

export function releaserOf({ pk, owner }: Drive): Releaser {
  return owner === null ? { kind: "drive", pk } : { kind: "user", pk: owner.pk };
}

/** A statement about an unclaimed drive, or those of an account. @param make gets the condition for a drive `d` */
export function byOwner<Found>(make: (isOwned: string) => (pk: Releaser["pk"]) => Found) {
  const [ofDrive, ofUser] = [make("d.pk = ?"), make("d.user = ? AND d.deleted_at IS NULL")];
  return ({ kind, pk }: Releaser) => (kind === "drive" ? ofDrive(pk) : ofUser(pk));
}

export interface ReleasedContent extends ContentFacts {
  readonly pk: BlobPk;
}

/** Orphans by who released them last. Triggers record it. */
export function releasedContents({ sql }: Database) {
  const ofDrives = statementsOf<DrivePk>(sql, "drive");
  const ofUsers = statementsOf<UserPk>(sql, "user");
  const of = ({ kind }: Releaser) => (kind === "drive" ? ofDrives : ofUsers);
  return {
    /** The bytes that an owner has released, including deleted drives. Constant cost. */
    size: (owner: Releaser) => of(owner).size(owner.pk),
    /** The bytes that all owners have released and that are not removed yet. The cost grows with the number of owners. */
    sizeOfAll: sql.number<[]>(
      `SELECT (SELECT ifnull(sum(released_size), 0) FROM drive) + (SELECT ifnull(sum(released_size), 0) FROM user)`,
    ),
    releasers: (): Releaser[] => [
      ...each(ofDrives.next).map((pk) => ({ kind: "drive" as const, pk })),
      ...each(ofUsers.next).map((pk) => ({ kind: "user" as const, pk })),
    ],
    /** Whether the grace period of some released contents has not started yet. */
    hasUnstamped: (owner: Releaser) => of(owner).hasUnstamped(owner.pk),
    /** Starts the grace period of up to `limit` released contents. Inside a write. */
    stamp: (owner: Releaser, now: number, limit: number) => of(owner).stamp(owner.pk, now, limit),
    /** Some released contents whose grace period started by `before`, oldest first. */
    oldest: (owner: Releaser, before: number, limit: number) => of(owner).oldest(owner.pk, before, limit),
    /** Removes a drive as the releaser of up to `limit` contents. */
    clearReleaser: sql.write<[drive: DrivePk, limit: number]>(
      `UPDATE blob SET released_drive = NULL
        WHERE pk IN (SELECT pk FROM blob WHERE released_drive = ? LIMIT ?)`,
    ),
  };
}

/** All keys, in order. The cost grows with the number of releasers, not with that of their contents. */
function each<Pk extends number>(next: (after: Pk | 0) => Pk | null): Pk[] {
  const found: Pk[] = [];
  for (let pk = next(0); pk !== null; pk = next(pk)) found.push(pk);
  return found;
}

/** The bytes in an account's deleted drives, and of what they keep. An overestimate while the sweep removes them. */
const IN_DELETED_DRIVES = `(
  SELECT ifnull(sum(r.total_size + d.kept_size), 0) FROM drive d JOIN folder r ON r.drive = d.pk AND r.path = ''
   WHERE d.user = user.pk AND d.deleted_at IS NOT NULL)`;

function statementsOf<Pk extends Releaser["pk"]>(sql: Connection, kind: Releaser["kind"]) {
  const column = `released_${kind}`;
  const contents = `blob INDEXED BY blob_released_${kind}`;
  return {
    size: sql.number<[pk: Releaser["pk"]]>(
      `SELECT released_size + ${kind === "user" ? IN_DELETED_DRIVES : 0} FROM ${kind} WHERE pk = ?`,
    ),
    next: sql.value<Pk, [after: Pk | 0]>(`SELECT min(${column}) FROM ${contents} WHERE ${column} > ?`),
    hasUnstamped: sql.has<[pk: Releaser["pk"]]>(
      `SELECT 1 FROM ${contents} WHERE ${column} = ? AND orphaned_at IS NULL LIMIT 1`,
    ),
    stamp: sql.write<[pk: Releaser["pk"], now: number, limit: number]>(
      `UPDATE blob SET orphaned_at = ?2
        WHERE pk IN (SELECT pk FROM ${contents} WHERE ${column} = ?1 AND orphaned_at IS NULL LIMIT ?3)`,
    ),
    oldest: sql.all<ReleasedContent, [pk: Releaser["pk"], before: number, limit: number]>(
      `SELECT pk, digest, size FROM ${contents} WHERE ${column} = ? AND orphaned_at <= ?
        ORDER BY orphaned_at LIMIT ?`,
    ),
  };
}
