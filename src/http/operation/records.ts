import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../domain/api-key.ts";
import type { Drive } from "../../domain/drive.ts";
import type { File } from "../../domain/file.ts";
import type { Folder } from "../../domain/folder.ts";
import { isTextType } from "../../domain/media-type.ts";
import { formatInstant } from "../../domain/time.ts";
import { id, nullable, scope, time } from "./schema.ts";

const bytes = (description: string) => Type.Integer({ minimum: 0, description });
const count = bytes;

/** A drive as answers show it. */
export const driveSchema = Type.Object(
  {
    id: id("The drive's identifier."),
    user_id: nullable(id("Its owner; null while it is unclaimed.")),
    name: Type.String(),
    slug: nullable(Type.String({ description: "`<username>/<drive-name>`; null while it is unclaimed." })),
    description: Type.String(),
    file_count: count("Files in it."),
    total_size: bytes("Bytes in it."),
    expires_at: nullable(time("When an unclaimed drive is deleted; null once it is claimed.")),
    created_at: time("When it was made."),
    updated_at: time("When it, or anything in it, last changed."),
  },
  { $id: "Drive" },
);

/** A drive in the shape of `driveSchema`. */
export function driveRecord(drive: Drive) {
  return {
    id: drive.id,
    user_id: drive.owner?.id ?? null,
    name: drive.name,
    slug: drive.slug,
    description: drive.description,
    file_count: drive.fileCount,
    total_size: drive.totalSize,
    expires_at: drive.expiresAt === null ? null : formatInstant(drive.expiresAt),
    created_at: formatInstant(drive.createdAt),
    updated_at: formatInstant(drive.updatedAt),
  };
}

/** A file as answers show it. */
export const fileSchema = Type.Object(
  {
    id: id("The file's identifier; it stays when the file is replaced, renamed or moved."),
    drive_id: id("The drive it is in."),
    path: Type.String({ description: "Where it stands in the drive.", examples: ["notes/2030/plan.md"] }),
    filename: Type.String({ examples: ["plan.md"] }),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    size: bytes("Bytes."),
    content_hash: Type.String({
      description: "`sha256:` and the SHA-256 of the content in hex; the hex alone is the ETag.",
    }),
    content_preview: nullable(
      Type.String({ description: "The first 500 characters of text; null for other types." }),
    ),
    tags: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.Unknown(), { description: "Whatever the uploader attached." }),
    expires_at: nullable(time("When the file vanishes by itself.")),
    created_at: time("When it was first uploaded."),
    updated_at: time("When its content or record last changed."),
  },
  { $id: "File" },
);

/** A file in the shape of `fileSchema`. */
export function fileRecord(file: File) {
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
    created_at: formatInstant(file.createdAt),
    updated_at: formatInstant(file.updatedAt),
  };
}

/** A folder as answers show it. */
export const folderSchema = Type.Object(
  {
    drive_id: id("The drive it is in."),
    path: Type.String({ description: "Ends with `/`.", examples: ["notes/2030/"] }),
    file_count: count("Files in it and in all folders below."),
    total_size: bytes("Bytes in those files."),
    has_folders: Type.Boolean({ description: "Whether a folder stands directly in it." }),
    created_at: time("When it was made."),
  },
  { $id: "Folder" },
);

/** A folder in the shape of `folderSchema`. */
export function folderRecord({ drive, folder }: { readonly drive: Drive; readonly folder: Folder }) {
  return {
    drive_id: drive.id,
    path: folder.path,
    file_count: folder.fileCount,
    total_size: folder.totalSize,
    has_folders: folder.ownFolderCount > 0,
    created_at: formatInstant(folder.createdAt),
  };
}

const keyProperties = {
  id: id("The key's identifier."),
  key_prefix: Type.String({ description: "How the key starts.", examples: ["cof_sk_live_1a2b"] }),
  name: Type.String(),
  scope: scope(),
  drive_id: nullable(id("The one drive it is limited to; null for a key that reaches all of its owner's.")),
  created_at: time("When it was made."),
  last_used_at: nullable(time("When it was last used; null until then.")),
};

/** A key as answers show it, never with its secret. */
export const keySchema = Type.Object(keyProperties, { $id: "Key" });

/** A key as the answer to its creation shows it. */
export const createdKeySchema = Type.Object(
  { ...keyProperties, key: Type.String({ description: "The secret. It is shown here and never again." }) },
  { $id: "CreatedKey" },
);

/** A key in the shape of `keySchema`. */
export function keyRecord(key: ApiKey) {
  return {
    id: key.id,
    key_prefix: key.prefix,
    name: key.name,
    scope: key.scope,
    drive_id: key.driveId,
    created_at: formatInstant(key.createdAt),
    last_used_at: key.lastUsedAt === null ? null : formatInstant(key.lastUsedAt),
  };
}
