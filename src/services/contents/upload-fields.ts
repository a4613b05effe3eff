import type { FileBody } from "../../db/files/files.ts";
import { invalid } from "../../domain/errors.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import { parseMediaType, UNKNOWN_TYPE } from "../../domain/contents/media-type.ts";
import { type File, type Metadata, parseExpiry, parseMetadata, parseTags } from "../../domain/files/file.ts";
import {
  type Filename,
  lastSegment,
  parseFilename,
  parseFilePath,
  parsePathOfFile,
  requireNamed,
} from "../../domain/files/path.ts";

/** A file's fields, as the uploader sent them. */
export interface UploadFields {
  readonly driveId: string;
  /** Undefined if only the path is given. */
  readonly filename?: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly expiresAt?: string | null | undefined;
  /** Whether the content was sent as text; then it is one, whatever the filename says of its type. */
  readonly isText?: boolean;
  /** Whether a replaced file keeps the tags, metadata, expiry and type that are not given; by default it loses them. */
  readonly keepsRest?: boolean;
  /** Why it is uploaded, if that came with the fields. */
  readonly message?: string | undefined;
}

/** What an upload says of a file, beside its content and place. */
export type Attributes = Omit<FileBody, "blob" | "size">;

/** The filename and path that an upload is for. Throws VALIDATION_ERROR. */
export function parseTarget({ filename: sent, path }: Pick<UploadFields, "filename" | "path">) {
  if (sent !== undefined) {
    const filename = parseFilename("filename", sent);
    const parsed = parseFilePath(path === undefined ? "filename" : "path", path ?? filename, filename);
    requireNamed(parsed, filename);
    return { filename, path: parsed };
  }
  if (path === undefined || path.endsWith("/"))
    throw invalid("filename", 'is required if path is left out or ends with "/"');
  const parsed = parsePathOfFile("path", path);
  return { filename: lastSegment(parsed), path: parsed };
}

/** The attributes that an upload gives, with defaults for the rest. Throws VALIDATION_ERROR. */
export function parseAttributes(fields: UploadFields, filename: Filename, now: number): Attributes {
  const { metadata, tags, expiresAt } = fields;
  const named = mimeTypeOf(filename);
  const contentType =
    fields.contentType ?? (fields.isText === true && named === UNKNOWN_TYPE ? "text/plain" : undefined);
  return {
    filename,
    mimeType: contentType === undefined ? named : parseMediaType("content_type", contentType),
    mimeGiven: contentType !== undefined,
    tags: parseTags("tags", tags ?? []),
    metadata: parseMetadata("metadata", metadata ?? {}),
    expiresAt: parseExpiry("expires_at", expiresAt ?? null, now),
  };
}

/** The attributes of a file that an upload does not give. A type that follows the filename goes on following it. */
export function notGiven(fields: UploadFields, { tags, metadata, expiresAt, mimeType, mimeGiven }: File) {
  return {
    ...(fields.tags === undefined ? { tags } : {}),
    ...(fields.metadata === undefined ? { metadata } : {}),
    ...(fields.expiresAt === undefined ? { expiresAt } : {}),
    ...(fields.contentType === undefined && mimeGiven ? { mimeType, mimeGiven } : {}),
  };
}
