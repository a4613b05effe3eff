import type { DriveId, DrivePk, UserId, UserPk } from "../id.ts";
import { invalid } from "../errors.ts";
import { DESCRIPTION_CHARACTERS } from "../limits.ts";
import { characters, slugified } from "../contents/texts/text.ts";
import type { Role } from "../accounts/roles.ts";

/** A drive that a caller may see: never a deleted or expired one. */
export interface Drive {
  readonly pk: DrivePk;
  readonly id: DriveId;
  /** The owner; null while the drive is unclaimed. */
  readonly owner: { readonly pk: UserPk; readonly id: UserId } | null;
  readonly name: string;
  readonly slug: string | null;
  readonly description: string;
  readonly fileCount: number;
  /** Bytes. */
  readonly totalSize: number;
  /** Times are milliseconds since the epoch. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SeenDrive extends Drive {
  readonly role: Role;
}

/** A drive's description: free text, line breaks included, at most 1,024 characters. */
export function parseDescription(field: string, text: string): string {
  if (!text.isWellFormed() || text.includes("\0"))
    throw invalid(field, "must be well-formed text without NUL");
  if (characters(text) > DESCRIPTION_CHARACTERS) {
    throw invalid(field, `must have at most ${DESCRIPTION_CHARACTERS} characters`);
  }
  return text;
}

/** `<username>/<drive-name>` in `a-z 0-9 -`; `drive` for a name without these. It may be taken. */
export function slugOf(username: string, name: string): string {
  return `${username}/${slugified(name) || "drive"}`;
}
