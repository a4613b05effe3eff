import { Type } from "@sinclair/typebox";
import {
  count,
  exampleOf,
  id,
  nextCursor,
  nullable,
  nullableText,
  oneOf,
  record,
  type RecordOf,
  text,
  time,
  totalOf,
  withExample,
} from "../operation/schema.ts";
import { fileSchema } from "./record-schemas.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** Who did something. */
export const actorSchema = Type.Object(
  {
    type: oneOf(["key", "user", "link"]),
    id: id("The identifier of the key, user or link."),
    name: nullableText("The name of the key or user; null once it is gone."),
  },
  { $id: "Actor" },
);

export type ActorRecord = RecordOf<typeof actorSchema>;

/** An earlier content of a file in responses. */
export const versionSchema = record(
  "Version",
  {
    version: Type.Integer({
      minimum: 1,
      description: "Its number: a file's contents are counted from 1. No number is used again.",
    }),
    content_hash: text("`sha256:` and the SHA-256 of the content in hex; the hex alone is the ETag."),
    size: count("Bytes."),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    replaced_at: time("When another content took its place."),
    replaced_by: nullable(actorSchema),
  },
  {
    version: 1,
    content_hash: "sha256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    size: 11,
    mime_type: "text/plain",
    replaced_at: "2030-01-31T12:00:00.000Z",
    replaced_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
  },
);

export type VersionRecord = RecordOf<typeof versionSchema>;

export const versionDiffSchema = Type.Object({
  from: Type.Integer({ description: "The number of the content that lines were removed from." }),
  to: Type.Integer({ description: "The number of the content that they were added to." }),
  diff: text("A unified diff; empty if the texts are the same."),
  diff_cut: Type.Boolean({ description: "Whether the end of the diff is left out." }),
});

export type VersionDiffRecord = RecordOf<typeof versionDiffSchema>;

export const versionsSchema = Type.Object({
  data: Type.Array(versionSchema),
  total: totalOf("The number of versions on all pages."),
  current_version: withExample(
    Type.Integer({ description: "The number of the content that the file has now." }),
    2,
  ),
  next_cursor: nextCursor,
});

export type VersionsPage = RecordOf<typeof versionsSchema>;

export const snapshotSchema = record(
  "Snapshot",
  {
    id: id("The snapshot's identifier."),
    drive_id: id("The drive it is of."),
    name: Type.String({ examples: ["Before the clean-up"] }),
    file_count: count("Files in the drive when it was taken."),
    total_size: count("Bytes of these files."),
    automatic: Type.Boolean({ description: "Whether the server took it, before a restore." }),
    created_at: time("When it was taken."),
    created_by: nullable(actorSchema),
  },
  {
    id: "01976f5e-7c9b-7000-8000-5d3e1f2a4b6c",
    drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
    name: "Before the clean-up",
    file_count: 2,
    total_size: 4096,
    automatic: false,
    created_at: "2030-01-31T12:00:00.000Z",
    created_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
  },
);

export type SnapshotRecord = RecordOf<typeof snapshotSchema>;

export const trashEntrySchema = record(
  "TrashEntry",
  {
    id: id("The entry's identifier."),
    kind: oneOf(["file", "folder"]),
    drive_id: id("The drive it was in."),
    path: text("The path it had. A folder's ends with `/`.", "notes/2030/"),
    size: count("Bytes of its files."),
    file_count: count("Files in it; 1 for a file."),
    deleted_at: time("When it was deleted."),
    deleted_by: nullable(actorSchema),
    expires_at: time("Until when it is kept."),
  },
  {
    id: "01976f5e-6b1c-7000-8000-2a4c6e8f0b1d",
    kind: "file",
    drive_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
    path: "notes/hello.txt",
    size: 12,
    file_count: 1,
    deleted_at: "2030-01-31T12:00:00.000Z",
    deleted_by: { type: "key", id: "01976f5e-7c2d-7000-8000-4b5d6e7f8a9c", name: "My agent" },
    expires_at: "2030-03-02T12:00:00.000Z",
  },
);

export type TrashRecord = RecordOf<typeof trashEntrySchema>;

export const trashSchema = Type.Object({ data: Type.Array(trashEntrySchema), next_cursor: nextCursor });

export type TrashPage = RecordOf<typeof trashSchema>;

const comparedSchema = Type.Object({
  file_id: id("The file's identifier."),
  path: Type.String({ examples: ["notes/2030/plan.md"] }),
  size: count("Bytes."),
  content_hash: text("`sha256:` and the SHA-256 of the content in hex."),
  updated_at: time("When its content or record last changed."),
});

const file = exampleOf(fileSchema);

/** A file that differs between a snapshot and now. */
export const differenceSchema = record(
  "Difference",
  {
    path: text("Where it is now; else where it was.", "notes/2030/plan.md"),
    change: oneOf(["added", "removed", "changed", "moved"], {
      description:
        "`changed`: the content or the record at the path differs. `moved`: the file had another path; it may have changed, too.",
    }),
    before: nullable(comparedSchema),
    after: nullable(comparedSchema),
  },
  {
    path: file.path,
    change: "removed",
    before: {
      file_id: file.id,
      path: file.path,
      size: file.size,
      content_hash: file.content_hash,
      updated_at: file.updated_at,
    },
    after: null,
  },
);

export type DifferenceRecord = RecordOf<typeof differenceSchema>;
