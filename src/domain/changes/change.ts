import type { NamedActor, Stamp } from "./actor.ts";
import type { Brand } from "../brand.ts";
import type { ChangeType } from "./change-types.ts";
import type { Digest } from "../contents/digest.ts";
import type { DriveId, DrivePk, FileId } from "../id.ts";

/** The number of a change: changes of all drives in the order of their commits. None comes twice. */
export type ChangeNumber = Brand<number, "ChangeNumber">;

/** The content that a file had, or has. */
export interface ContentFacts {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

export interface NewChange {
  readonly drive: DrivePk;
  readonly type: ChangeType;
  /** Of the file or folder; a folder's ends with `/`. Empty for the drive itself. */
  readonly path: string;
  /** Where it was before; only in the same drive. */
  readonly previousPath?: string;
  readonly fileId?: FileId;
  readonly before?: ContentFacts;
  readonly after?: ContentFacts;
  /** How many files a change of a folder or drive was about. */
  readonly fileCount?: number;
  /** The version that the file has after the change. */
  readonly version?: number;
  /** The id of the trash entry, snapshot, link or user that it is about. */
  readonly ref?: string;
  readonly stamp: Stamp;
}

export interface Change {
  readonly number: ChangeNumber;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  readonly type: ChangeType;
  readonly path: string;
  readonly previousPath: string | null;
  readonly fileId: FileId | null;
  readonly before: ContentFacts | null;
  readonly after: ContentFacts | null;
  readonly fileCount: number | null;
  readonly version: number | null;
  readonly ref: string | null;
  /** Null for the server. */
  readonly by: NamedActor | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The change after which a reader goes on. */
export interface ChangePosition {
  /** 0 for before the first. */
  readonly number: ChangeNumber;
  /** When that change was made. A restored backup may have another one with its number. */
  readonly at: number;
  /** Changes up to this one were gone already when the reader came by; mostly `number` or less. */
  readonly from: ChangeNumber;
}

/** Reads a number of a change, such as that of a cursor. */
export function changeNumber(value: number): ChangeNumber {
  if (!isChangeNumber(value)) throw new Error("a change has a number that is no natural number");
  return value;
}

function isChangeNumber(value: number): value is ChangeNumber {
  return Number.isSafeInteger(value) && value >= 0;
}
