export const CHANGE_TYPES = [
  "file.created",
  "file.updated",
  "file.moved",
  "file.deleted",
  "file.restored",
  "folder.created",
  "folder.copied",
  "folder.moved",
  "folder.deleted",
  "folder.restored",
  "folder.updated",
  "drive.updated",
  "drive.restored",
  "snapshot.created",
  "snapshot.deleted",
  "member.added",
  "member.changed",
  "member.removed",
  "link.created",
  "link.revoked",
] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];
