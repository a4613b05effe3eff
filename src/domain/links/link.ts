import type { NamedActor } from "../changes/change.ts";
import { type NewSecret, newSecret, type SecretHash } from "../accounts/api-key.ts";
import type { Caller } from "../accounts/caller.ts";
import { CofferError } from "../errors.ts";
import type { FilePath, FolderPath } from "../files/path.ts";
import type { DriveId, FileId, KeyId, LinkId, UserPk } from "../id.ts";
import { LINK_SECONDS, SHARE_LINK_DAYS } from "../limits.ts";
import { DAY_MS } from "../time.ts";

export interface LinkFacts {
  readonly id: LinkId;
  readonly driveId: DriveId;
  /** From `Bun.password`; null without a password. */
  readonly passwordHash: string | null;
  /** The most bytes of an upload; null for no limit of its own. */
  readonly maxSize: number | null;
  readonly oneTime: boolean;
  /** Times are milliseconds since the epoch. */
  readonly usedAt: number | null;
  readonly uses: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly createdBy: NamedActor;
  /** The key that created it; null if it was revoked, or there was none. */
  readonly keyHash: SecretHash | null;
  /** The user who created it, with a session or a key of the account; null for a key of one drive. */
  readonly user: UserPk | null;
  /** Its token, by `seal`; null if it was made when tokens were not kept. */
  readonly sealedToken: Uint8Array | null;
}

/** A file is known by its id, and its path is where it is now, null if it has left the drive; a folder by its path. */
export type LinkTarget =
  | { readonly kind: "presigned"; readonly fileId: FileId; readonly path: FilePath | null }
  | { readonly kind: "upload"; readonly fileId: null; readonly path: FilePath }
  | { readonly kind: "file"; readonly fileId: FileId; readonly path: FilePath }
  | { readonly kind: "folder"; readonly fileId: null; readonly path: FolderPath };

export type LinkKind = LinkTarget["kind"];

export type Link = LinkFacts & LinkTarget;

/** A link as somebody sees it who may not know where its file is now: then `path` is null. */
export type SeenLink = LinkFacts & { readonly kind: LinkKind; readonly path: string | null };

export type LinkOf<K extends LinkKind> = LinkFacts & Extract<LinkTarget, { kind: K }>;

/** The kinds that show something to people. The others are for programs, and work for a day at most. */
export const SHOWING = ["file", "folder"] as const;

export function isOf<K extends LinkKind>(link: Link, kinds: readonly K[]): link is LinkOf<K> {
  return kinds.some((kind) => kind === link.kind);
}

export type NewLink = LinkTarget &
  Pick<LinkFacts, "id" | "driveId" | "expiresAt" | "createdAt" | "user" | "sealedToken"> &
  Partial<Pick<LinkFacts, "passwordHash" | "maxSize" | "oneTime">> & {
    readonly hash: SecretHash;
    readonly keyId: KeyId | null;
  };

/** How tokens begin: `<start><48 hex digits>`. */
const TOKEN_STARTS: Readonly<Record<LinkKind, string>> = {
  presigned: "lnk_",
  upload: "upl_",
  file: "shr_",
  folder: "shr_",
};

export function newLinkToken(kind: LinkKind): NewSecret {
  return newSecret(TOKEN_STARTS[kind]);
}

/** Where a list of links goes on: the newest come first. */
export type LinkPosition = Pick<Link, "createdAt" | "id">;

export function makerOf(caller: Caller): Pick<NewLink, "keyId" | "user"> {
  return { keyId: caller.keyId, user: caller.keyId === null ? caller.userPk : null };
}

/** Whether a caller made a link: with the same key or, for an account, with any of its keys or a session. */
export function isMadeBy({ createdBy, user }: Link, caller: Caller): boolean {
  return caller.kind === "account" ? user === caller.userPk : createdBy.id === caller.keyId;
}

export const LONGEST_SHARE_MS = SHARE_LINK_DAYS.most * DAY_MS;

/** Throws GONE for a link that was used, or has expired. */
export function requireUsable(link: Link, now: number): void {
  const { usedAt, expiresAt } = link;
  if (usedAt !== null)
    throw new CofferError("GONE", "The link was for a single use and has been used. Ask for a new one.");
  const longest = isOf(link, SHOWING) ? LONGEST_SHARE_MS : LINK_SECONDS.most * 1000;
  // One that ends too late was made before the clock was set back.
  const isOver = expiresAt <= now || expiresAt > now + longest;
  if (isOver) throw new CofferError("GONE", "The link has expired. Ask for a new one.");
}

type LockedLink = Pick<LinkFacts, "id"> & { readonly passwordHash: string };

const PASS = /^(\d{1,15})_[0-9a-f]{64}$/;

/** Shows until a time, in milliseconds, that this password was given. @param secret of the data directory */
export function passFor(link: LockedLink, until: number, secret: Uint8Array): string {
  const text = JSON.stringify(["coffer link pass", link.id, link.passwordHash, until]);
  return `${until}_${new Bun.CryptoHasher("sha256", secret).update(text).digest("hex")}`;
}

/** Whether a browser sent a pass that `passFor` made for this link, and that still works. */
export function isPassFor(link: LockedLink, pass: string, now: number, secret: Uint8Array): boolean {
  const until = Number(PASS.exec(pass)?.[1] ?? 0);
  if (until <= now) return false;
  const right = Buffer.from(passFor(link, until, secret));
  const given = Buffer.from(pass);
  return given.length === right.length && crypto.timingSafeEqual(given, right);
}
