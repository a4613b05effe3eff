import type { ChangeKind } from "../../../src/domain/changes/kind.ts";
import type { Change } from "../api/types.ts";
import { mark, plural, rich, t } from "./text.ts";

/** What is shown for the paths of a change: of the thing that changed, and of where that was before. */
export interface ShownPaths<Shown> {
  readonly path: Shown;
  readonly previous: Shown;
}

type BatchType = Extract<Change["type"], `files.${string}`>;

const ONE = {
  "file.created": mark("Added {path}"),
  "file.updated": mark("Changed {path}"),
  "file.moved": mark("Moved {path}"),
  "file.deleted": mark("Deleted {path}"),
  "file.restored": mark("Put back {path}"),
  "folder.created": mark("Made the folder {path}"),
  "folder.copied": mark("Copied a folder to {path}"),
  "folder.moved": mark("Moved the folder {path}"),
  "folder.deleted": mark("Deleted the folder {path}"),
  "folder.restored": mark("Restored the folder {path}"),
  "folder.updated": mark("Changed in the folder {path}"),
  "drive.updated": mark("Changed the name or description of the drive"),
  "drive.restored": mark("Restored the drive from a snapshot"),
  "snapshot.created": mark("Took a snapshot"),
  "snapshot.deleted": mark("Deleted a snapshot"),
  "member.added": mark("Shared the drive with somebody"),
  "member.changed": mark("Changed what a member may do"),
  "member.removed": mark("Ended the sharing with somebody"),
  "comment.created": mark("Commented on {path}"),
  "comment.updated": mark("Changed a comment on {path}"),
  "comment.resolved": mark("Resolved a comment on {path}"),
  "comment.deleted": mark("Deleted a comment on {path}"),
  "version.labelled": mark("Labelled a version of {path}"),
  "link.created": mark("Made a link to {path}"),
  "link.revoked": mark("Revoked a link to {path}"),
} as const satisfies Readonly<Record<Exclude<Change["type"], BatchType>, string>>;

/** What was done to many files, in the whole drive or below a path. */
const MANY = {
  written: { all: mark("Wrote {files}"), below: mark("Wrote {files} in {path}") },
  copied: { all: mark("Copied {files}"), below: mark("Copied {files} in {path}") },
  moved: { all: mark("Moved {files}"), below: mark("Moved {files} in {path}") },
  deleted: { all: mark("Deleted {files}"), below: mark("Deleted {files} in {path}") },
  undone: { all: mark("Undid changes of {files}"), below: mark("Undid changes of {files} in {path}") },
  restored: { all: mark("Put back {files}"), below: mark("Put back {files} in {path}") },
  shared: { all: mark("Shared {files}"), below: mark("Shared {files} in {path}") },
  commented: { all: mark("Commented on {files}"), below: mark("Commented on {files} in {path}") },
  other: { all: mark("Changed {files}"), below: mark("Changed {files} in {path}") },
} as const satisfies Readonly<Record<ChangeKind | "copied" | "undone", object>>;

const OF_BATCHES = {
  "files.written": MANY.written,
  "files.copied": MANY.copied,
  "files.moved": MANY.moved,
  "files.deleted": MANY.deleted,
  "files.undone": MANY.undone,
} as const satisfies Readonly<Record<BatchType, object>>;

/** What happened, as a sentence. */
export function describeChange<Shown>(change: Change, shown: ShownPaths<Shown>): (Shown | string)[] {
  const { type, previous_path: previous, file_count: count } = change;
  const path = change.path === "" ? null : shown.path;
  if (isOfBatch(type)) return describe(OF_BATCHES[type], count === null ? t("files") : files(count), path);
  if (previous !== null && type === "file.moved") {
    return rich("Moved {previous} to {path}", { previous: shown.previous, path: shown.path });
  }
  if (previous !== null && type === "folder.moved") {
    return rich("Moved the folder {previous} to {path}", { previous: shown.previous, path: shown.path });
  }
  const message = isOfDetails(change) ? mark("Changed the details of {path}") : ONE[type];
  return rich(message, { path: path ?? t("the whole drive") });
}

/** What somebody did to many things at once, as a sentence. @param folder what is shown for it; null for all of a drive */
export function describeMany<Shown>(
  kind: ChangeKind,
  count: number,
  folder: Shown | null,
): (Shown | string)[] {
  return describe(MANY[kind], files(count), folder);
}

/** How many files a change of a folder is about; empty where its sentence says it, or there are none. */
export function filesOf({ type, file_count: count }: Change): string {
  return isOfBatch(type) || count === null || count === 0 ? "" : files(count);
}

function describe<Shown>(
  { all, below }: (typeof MANY)[keyof typeof MANY],
  counted: string,
  path: Shown | null,
): (Shown | string)[] {
  if (path === null) return [t(all, { files: counted })];
  return rich(below, { files: counted, path });
}

function files(count: number): string {
  return plural(count, "{count} file", "{count} files");
}

function isOfBatch(type: Change["type"]): type is BatchType {
  return type in OF_BATCHES;
}

/** Whether the content stayed. */
function isOfDetails({ type, before, after }: Change): boolean {
  return type === "file.updated" && before !== null && before.content_hash === after?.content_hash;
}
