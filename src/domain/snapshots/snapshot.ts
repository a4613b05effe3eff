import type { NamedActor } from "../changes/change.ts";
import type { Brand, DriveId, DrivePk, SnapshotId, SnapshotPk } from "../id.ts";
import type { Drive } from "../drives/drive.ts";

/** The number of a snapshot: they count from 1 in each drive, and are never used again. */
export type SnapshotNumber = Brand<number, "SnapshotNumber">;

/** What a drive held at some moment. */
export interface Snapshot {
  readonly pk: SnapshotPk;
  readonly id: SnapshotId;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  readonly number: SnapshotNumber;
  readonly name: string;
  /** Whether the server took it, before it restored another one. */
  readonly isAutomatic: boolean;
  /** Of the drive when it was taken. */
  readonly fileCount: number;
  /** The same, in bytes. */
  readonly totalSize: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: NamedActor | null;
}

/** A drive as it was in a snapshot. No method that writes takes one. */
export interface View {
  readonly drive: Drive;
  readonly at: SnapshotNumber;
}
