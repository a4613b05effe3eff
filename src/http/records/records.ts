import type { Change, NamedActor } from "../../domain/changes/change.ts";
import type { ContentFacts } from "../../domain/contents/content.ts";
import type { Delivery, Webhook } from "../../domain/webhooks/webhook.ts";
import { changeCursor } from "../operation/cursor.ts";
import type {
  ChangeRecord,
  DeliveryRecord,
  ToldWorkRecord,
  WebhookRecord,
  WorkRecord,
} from "./change-schemas.ts";
import type { ApiKey } from "../../domain/accounts/api-key.ts";
import type { Drive, SeenDrive } from "../../domain/drives/drive.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import type { FileVersion } from "../../domain/history/history.ts";
import { type FolderFacts, type FolderWork, leavesHalf } from "../../domain/folders/folder.ts";
import type { SeenLink } from "../../domain/links/link.ts";
import type { Member } from "../../domain/accounts/user.ts";
import { isTextType } from "../../domain/contents/media-type.ts";
import type { Snapshot } from "../../domain/snapshots/snapshot.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Difference } from "../../services/snapshots/comparisons.ts";
import type { ShownEntry } from "../../services/history/trash.ts";
import type {
  ActorRecord,
  DifferenceRecord,
  SnapshotRecord,
  TrashRecord,
  VersionRecord,
} from "./history-schemas.ts";
import type { LinkRecord, SharedFileRecord } from "./link-schemas.ts";
import type { MemberRecord } from "./account-schemas.ts";
import type { DriveRecord, FileRecord, FolderRecord, KeyRecord } from "./record-schemas.ts";
import type { ShownWork, ToldWork } from "../../services/folders/works-under-way.ts";

export function driveRecord(drive: SeenDrive): DriveRecord {
  return {
    id: drive.id,
    user_id: drive.owner?.id ?? null,
    name: drive.name,
    slug: drive.slug,
    description: drive.description,
    role: drive.role,
    file_count: drive.fileCount,
    total_size: drive.totalSize,
    expires_at: drive.expiresAt === null ? null : formatInstant(drive.expiresAt),
    created_at: formatInstant(drive.createdAt),
    updated_at: formatInstant(drive.updatedAt),
  };
}

/** As the database writes it for lists: `recordOf` of `db/files/files.ts`. */
export function fileRecord(file: FileFacts): FileRecord {
  const createdAt = formatInstant(file.createdAt);
  return {
    id: file.id,
    drive_id: file.driveId,
    path: file.path,
    filename: file.filename,
    mime_type: file.mimeType,
    size: file.size,
    content_hash: `sha256:${file.digest}`,
    content_preview: isTextType(file.mimeType) ? file.preview : null,
    tags: file.tags,
    metadata: file.metadata,
    expires_at: file.expiresAt === null ? null : formatInstant(file.expiresAt),
    created_at: createdAt,
    updated_at: file.updatedAt === file.createdAt ? createdAt : formatInstant(file.updatedAt),
  };
}

/** Who did something, in the shape of `actorSchema`; null for the server. */
export function actorRecord(actor: NamedActor): ActorRecord;
export function actorRecord(actor: NamedActor | null): ActorRecord | null;
export function actorRecord(actor: NamedActor | null): ActorRecord | null {
  return actor === null ? null : { type: actor.kind, id: actor.id, name: actor.name };
}

export function memberRecord(member: Member): MemberRecord {
  return {
    user_id: member.userId,
    username: member.username,
    role: member.role,
    created_at: formatInstant(member.createdAt),
    created_by: actorRecord(member.createdBy),
  };
}

export function folderRecord({
  drive,
  folder,
}: {
  readonly drive: Drive;
  readonly folder: FolderFacts;
}): FolderRecord {
  return {
    drive_id: drive.id,
    path: folder.path,
    file_count: folder.fileCount,
    total_size: folder.totalSize,
    has_folders: folder.ownFolderCount > 0,
    created_at: formatInstant(folder.createdAt),
  };
}

export function keyRecord(key: ApiKey): KeyRecord {
  return {
    id: key.id,
    key_prefix: key.prefix,
    name: key.name,
    scope: key.scope,
    drive_id: key.driveId,
    path_prefix: key.pathPrefix,
    created_at: formatInstant(key.createdAt),
    last_used_at: key.lastUsedAt === null ? null : formatInstant(key.lastUsedAt),
    expires_at: key.expiresAt === null ? null : formatInstant(key.expiresAt),
    client_id: key.clientId,
    made_by: key.madeBy,
  };
}

export function versionRecord(version: FileVersion): VersionRecord {
  return {
    version: version.version,
    content_hash: `sha256:${version.digest}`,
    size: version.size,
    mime_type: version.mimeType,
    replaced_at: formatInstant(version.replacedAt),
    replaced_by: actorRecord(version.replacedBy),
    label: version.label,
    message: version.message,
  };
}

export function snapshotRecord(snapshot: Snapshot): SnapshotRecord {
  return {
    id: snapshot.id,
    drive_id: snapshot.driveId,
    name: snapshot.name,
    file_count: snapshot.fileCount,
    total_size: snapshot.totalSize,
    automatic: snapshot.isAutomatic,
    created_at: formatInstant(snapshot.createdAt),
    created_by: actorRecord(snapshot.createdBy),
  };
}

export function trashRecord(entry: ShownEntry): TrashRecord {
  return {
    id: entry.id,
    kind: entry.kind,
    drive_id: entry.driveId,
    path: entry.path,
    size: entry.size,
    file_count: entry.fileCount,
    deleted_at: formatInstant(entry.deletedAt),
    deleted_by: actorRecord(entry.deletedBy),
    expires_at: formatInstant(entry.expiresAt),
  };
}

export function linkRecord(link: SeenLink): LinkRecord {
  return {
    id: link.id,
    kind: link.kind,
    drive_id: link.driveId,
    path: link.path,
    has_password: link.passwordHash !== null,
    has_url: link.sealedToken !== null,
    one_time: link.oneTime,
    used_at: link.usedAt === null ? null : formatInstant(link.usedAt),
    uses: link.uses,
    last_used_at: link.lastUsedAt === null ? null : formatInstant(link.lastUsedAt),
    expires_at: formatInstant(link.expiresAt),
    created_at: formatInstant(link.createdAt),
    created_by: actorRecord(link.createdBy),
  };
}

/** A file in the shape of `sharedFileSchema`: without its id, drive, tags and metadata, which are not shared. */
export function sharedFileRecord(file: FileFacts): SharedFileRecord {
  return {
    path: file.path,
    filename: file.filename,
    mime_type: file.mimeType,
    size: file.size,
    content_hash: `sha256:${file.digest}`,
    updated_at: formatInstant(file.updatedAt),
  };
}

export function differenceRecord({ change, path, before, after }: Difference): DifferenceRecord {
  return { path, change, before: comparedRecord(before), after: comparedRecord(after) };
}

function comparedRecord(file: Difference["before"]): DifferenceRecord["before"] {
  if (file === null) return null;
  const { id, path, size, digest, updatedAt } = file;
  return {
    file_id: id,
    path,
    size,
    content_hash: `sha256:${digest}`,
    updated_at: formatInstant(updatedAt),
  };
}

export function changeRecord(change: Change): ChangeRecord {
  return {
    id: changeCursor.write({ ...change, from: change.number }),
    type: change.type,
    drive_id: change.driveId,
    path: change.path,
    previous_path: change.previousPath,
    file_id: change.fileId,
    before: contentRecord(change.before),
    after: contentRecord(change.after),
    file_count: change.fileCount,
    version: change.version,
    ref: change.ref,
    batch_id: change.batch,
    by: actorRecord(change.by),
    message: change.message,
    at: formatInstant(change.at),
  };
}

function contentRecord(content: ContentFacts | null) {
  return content === null ? null : { content_hash: `sha256:${content.digest}`, size: content.size };
}

/** @param last the newest delivery that was sent */
export function webhookRecord(webhook: Webhook, last: Delivery | null): WebhookRecord {
  return {
    id: webhook.id,
    url: webhook.url,
    events: [...webhook.events],
    drive_id: webhook.driveId,
    created_at: formatInstant(webhook.createdAt),
    made_by: webhook.keyId,
    disabled_at: webhook.disabledAt === null ? null : formatInstant(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    last_delivery: last === null ? null : deliveryRecord(last),
  };
}

export function deliveryRecord(delivery: Delivery): DeliveryRecord {
  return {
    id: delivery.id,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    status: delivery.status,
    error: delivery.error,
    next_at: delivery.nextAt === null ? null : formatInstant(delivery.nextAt),
    created_at: formatInstant(delivery.createdAt),
  };
}

const KINDS: Readonly<Record<FolderWork["kind"], WorkRecord["kind"]>> = {
  copy: "copy",
  move: "move",
  return: "move",
  remove: "delete",
  reinstate: "delete",
  restore: "restore",
  rewind: "restore_snapshot",
  fork: "fork",
};

export function workRecord({ from, to, progress, fileTotal, ...shown }: ShownWork): WorkRecord {
  return {
    id: shown.id,
    kind: KINDS[shown.work.kind],
    state: shown.isUndone ? "undoing" : "running",
    drive_id: from?.driveId ?? null,
    path: from?.path ?? null,
    destination_drive_id: to?.driveId ?? null,
    destination_path: to?.path ?? null,
    step: Math.min(progress.phase + 1, shown.phases),
    steps: shown.phases,
    files_done: progress.files,
    // Files that expired since it was counted are removed, too.
    files_total: fileTotal === null ? null : Math.max(fileTotal, progress.files),
    if_cancelled: leavesHalf(shown.work) ? "left" : "undone",
    created_at: formatInstant(shown.createdAt),
    created_by: actorRecord(shown.by),
  };
}

/** The same, for a stream: it also tells the end. */
export function toldWorkRecord({ work, hasEnded }: ToldWork): ToldWorkRecord {
  const record = workRecord(work);
  if (!hasEnded) return record;
  return { ...record, state: work.isUndone ? "undone" : "done", step: record.steps };
}
