import type { Caller } from "../accounts/caller.ts";
import type { BatchId, Brand, DriveId, DrivePk, FileId, KeyId, UserId } from "../id.ts";
import { parseId } from "../id.ts";
import type { ChangeType } from "./change-types.ts";
import type { ContentFacts } from "../contents/content.ts";
import { characters, requirePlainText } from "../contents/texts/text.ts";
import { invalid } from "../errors.ts";
import { MESSAGE_CHARACTERS } from "../limits.ts";

/** Who changed something: a key, a user with a session, or whoever had a link. */
export type Actor =
  | { readonly kind: "key"; readonly id: KeyId }
  | { readonly kind: "user"; readonly id: UserId }
  | { readonly kind: "link"; readonly id: string };

export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Null for the server. */
  readonly by: Actor | null;
  /** The batch that it is part of, if any. */
  readonly batch?: BatchId;
  /** Why, in the words of who asked for it; left out for none. */
  readonly message?: string | null;
}

/** What is said of a change but its time. */
export type Author = Omit<Stamp, "now">;

export function authorOf(caller: Caller): Author {
  return { by: actorOf(caller), message: caller.message ?? null };
}

export function stampOf(caller: Caller, now: number): Stamp {
  return { now, ...authorOf(caller) };
}

/** Why something is changed: one line. Throws VALIDATION_ERROR. */
export function parseMessage(field: string, text: string): string {
  const message = text.trim();
  requirePlainText(field, message);
  if (message === "" || characters(message) > MESSAGE_CHARACTERS)
    throw invalid(field, `must have 1 to ${MESSAGE_CHARACTERS} characters`);
  return message;
}

export function actorOf(caller: Caller): Actor {
  return caller.keyId === null ? { kind: "user", id: caller.userId } : { kind: "key", id: caller.keyId };
}

/** An actor as the database has it, such as `key:<id>`; null for the server. */
export function actorText(actor: Actor | null): string | null {
  return actor === null ? null : `${actor.kind}:${actor.id}`;
}

/** Reads what `actorText` wrote. Throws for anything else. */
export function parseActor(text: string | null): Actor | null {
  if (text === null) return null;
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const id = text.slice(colon + 1);
  switch (kind) {
    case "key":
      return { kind, id: known(parseId<KeyId>(id)) };
    case "user":
      return { kind, id: known(parseId<UserId>(id)) };
    case "link":
      return { kind, id };
    default:
      throw new Error("the database names an actor of an unknown kind");
  }
}

function known<T>(id: T | null): T {
  if (id === null) throw new Error("the database names an actor with a malformed id");
  return id;
}

/** An actor, with the name of the key or user; null once that is gone, and for links. */
export type NamedActor = Actor & { readonly name: string | null };

/** An actor of the database with its name; null for the server. */
export function namedActor(text: string | null, name: string | null): NamedActor | null {
  const actor = parseActor(text);
  return actor === null ? null : { ...actor, name };
}

/** The number of a change: changes of all drives in the order of their commits. None comes twice. */
export type ChangeNumber = Brand<number, "ChangeNumber">;

export interface Change {
  readonly number: ChangeNumber;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  readonly type: ChangeType;
  /** Of the file or folder; a folder's ends with `/`. Empty for the drive itself. */
  readonly path: string;
  /** Where it was before; only in the same drive. */
  readonly previousPath: string | null;
  readonly fileId: FileId | null;
  readonly before: ContentFacts | null;
  readonly after: ContentFacts | null;
  /** How many files a change of a folder or drive was about. */
  readonly fileCount: number | null;
  readonly version: number | null;
  /** The id of the trash entry, snapshot, link, user or batch that it is about. */
  readonly ref: string | null;
  /** The batch that it is part of, or sums up; null for one that was made alone. */
  readonly batch: BatchId | null;
  /** Null for the server. */
  readonly by: NamedActor | null;
  /** Why, in the words of who asked for it; null if that was not said. */
  readonly message: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What is said of some changes. */
type Fact = "previousPath" | "fileId" | "before" | "after" | "fileCount" | "version" | "ref";

export type NewChange = Pick<Change, "type" | "path"> & {
  readonly [Name in Fact]?: NonNullable<Change[Name]>;
} & { readonly drive: DrivePk; readonly stamp: Stamp };

export interface ChangePosition {
  /** 0 for before the first. */
  readonly number: ChangeNumber;
  /** When that change was made. A restored backup may have another one with its number. */
  readonly at: number;
  /** Changes up to this one were gone already when the reader came by; mostly `number` or less. */
  readonly from: ChangeNumber;
}

export function changeNumber(value: number): ChangeNumber {
  if (!isChangeNumber(value)) throw new Error("a change has a number that is no natural number");
  return value;
}

function isChangeNumber(value: number): value is ChangeNumber {
  return Number.isSafeInteger(value) && value >= 0;
}
