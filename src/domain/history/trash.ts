import type { NamedActor } from "../changes/actor.ts";
import type { DriveId, DrivePk, TrashId, TrashPk } from "../id.ts";
import type { FilePath, FolderPath } from "../files/path.ts";

/** An entry of the trash: a deleted file, or a deleted folder with everything that was in it. */
export type TrashEntry = TrashedPlace & {
  readonly pk: TrashPk;
  readonly id: TrashId;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  /** Bytes of its files, without expired ones. */
  readonly size: number;
  /** Its files, without expired ones. */
  readonly fileCount: number;
  /** When the file expires; null if it does not, or for a folder. Milliseconds since the epoch. */
  readonly fileExpiresAt: number | null;
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
  /** Null for the server. */
  readonly deletedBy: NamedActor | null;
};

/** What was deleted, and where it was. */
export type TrashedPlace =
  { readonly kind: "file"; readonly path: FilePath } | { readonly kind: "folder"; readonly path: FolderPath };

/** A position in a list of the trash: the entry before it. */
export interface TrashPosition {
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
  readonly id: string;
}
