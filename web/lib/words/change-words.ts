import type { ChangeKind } from "../../../src/domain/changes/kind.ts";
import { formatCount } from "./format.ts";
import type { Change } from "../api/types.ts";

/** What happened, in words that stand before the path it happened to; `to` where something went from there. */
export interface ChangeInWords {
  readonly did: string;
  /** Null where it happened to no path. */
  readonly path: string | null;
  readonly to: string | null;
  /** What else is to be said; empty for nothing. */
  readonly more: string;
}

const DID: Readonly<Record<Change["type"], string>> = {
  "file.created": "Added",
  "file.updated": "Changed",
  "file.moved": "Moved",
  "file.deleted": "Deleted",
  "file.restored": "Put back",
  "files.written": "Wrote",
  "files.copied": "Copied",
  "files.moved": "Moved",
  "files.deleted": "Deleted",
  "files.undone": "Undid changes of",
  "folder.created": "Made the folder",
  "folder.copied": "Copied a folder to",
  "folder.moved": "Moved the folder",
  "folder.deleted": "Deleted the folder",
  "folder.restored": "Restored the folder",
  "folder.updated": "Changed in the folder",
  "drive.updated": "Changed the name or description of the drive",
  "drive.restored": "Restored the drive from a snapshot",
  "snapshot.created": "Took a snapshot",
  "snapshot.deleted": "Deleted a snapshot",
  "member.added": "Shared the drive with somebody",
  "member.changed": "Changed what a member may do",
  "member.removed": "Ended the sharing with somebody",
  "comment.created": "Commented on",
  "comment.updated": "Changed a comment on",
  "comment.resolved": "Resolved a comment on",
  "comment.deleted": "Deleted a comment on",
  "version.labelled": "Labelled a version of",
  "link.created": "Made a link to",
  "link.revoked": "Revoked a link to",
};

/** What somebody did to many things, in words that stand before their number. */
export const KIND_IN_WORDS: Readonly<Record<ChangeKind, string>> = {
  written: "Wrote",
  deleted: "Deleted",
  moved: "Moved",
  restored: "Put back",
  shared: "Shared",
  commented: "Commented on",
  other: "Changed",
};

export function describeChange(change: Change): ChangeInWords {
  const { type, path, previous_path: previous, file_count: count } = change;
  if (type.startsWith("files.")) return describeBatch(change);
  const hasPath = /^(?:file|folder|comment|version|link)\./.test(type);
  const isMoved = type.endsWith(".moved") && previous !== null;
  return {
    did: isOfDetails(change) ? "Changed the details of" : DID[type],
    path: !hasPath || path === "" ? null : isMoved ? previous : path,
    to: isMoved ? path : null,
    more: count === null || count === 0 ? "" : formatCount(count, "file"),
  };
}

/** A change that sums up others. */
function describeBatch({ type, path, file_count: count }: Change): ChangeInWords {
  const files = count === null ? "files" : formatCount(count, "file");
  const isInFolder = path !== "";
  return {
    did: `${DID[type]} ${files}${isInFolder ? " in" : ""}`,
    path: isInFolder ? path : null,
    to: null,
    more: "",
  };
}

/** Whether the content stayed. */
function isOfDetails({ type, before, after }: Change): boolean {
  return type === "file.updated" && before !== null && before.content_hash === after?.content_hash;
}
