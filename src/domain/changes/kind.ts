import type { ChangeType } from "./change-types.ts";

/** What people are told apart of what happened. */
export const CHANGE_KINDS = [
  "written",
  "deleted",
  "moved",
  "restored",
  "shared",
  "commented",
  "other",
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The kind of each type of changes. */
export const KIND_OF: Readonly<Record<ChangeType, ChangeKind>> = {
  "file.created": "written",
  "file.updated": "written",
  "file.moved": "moved",
  "file.deleted": "deleted",
  "file.restored": "restored",
  "files.written": "written",
  "files.copied": "written",
  "files.moved": "moved",
  "files.deleted": "deleted",
  "files.undone": "restored",
  "folder.created": "written",
  "folder.copied": "written",
  "folder.moved": "moved",
  "folder.deleted": "deleted",
  "folder.restored": "restored",
  "folder.updated": "written",
  "drive.updated": "other",
  "drive.restored": "restored",
  "snapshot.created": "other",
  "snapshot.deleted": "other",
  "member.added": "shared",
  "member.changed": "shared",
  "member.removed": "shared",
  "comment.created": "commented",
  "comment.updated": "commented",
  "comment.resolved": "commented",
  "comment.deleted": "commented",
  "version.labelled": "other",
  "link.created": "shared",
  "link.revoked": "shared",
};
