import { Type } from "@sinclair/typebox";
import * as t from "../operation/schema.ts";
import { fileSchema } from "./record-schemas.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** Who did something. */
export const actorSchema = Type.Object(
  {
    type: t.oneOf(["key", "user", "link"]),
    id: t.id("The identifier of the key, user or link."),
    name: t.nullableText("The name of the key or user; null once it is gone."),
  },
  { $id: "Actor" },
);

export type ActorRecord = t.RecordOf<typeof actorSchema>;

/** An earlier content of a file in responses. */
const versionSchema = t.record(
  "Version",
  {
    version: Type.Integer({
      minimum: 1,
      description: "Its number: a file's contents are counted from 1. No number is used again.",
    }),
    content_hash: t.text("`sha256:` and the SHA-256 of the content in hex; the hex alone is the ETag."),
    size: t.count("Bytes."),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    replaced_at: t.time("When another content took its place."),
    replaced_by: t.nullable(actorSchema),
    label: t.nullableText("The name that somebody gave it; null for none.", "approved"),
    message: t.nullableText("What was said of the change that made this content; null for nothing."),
  },
  {
    version: 1,
    content_hash: "sha256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    size: 11,
    mime_type: "text/plain",
    replaced_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
    label: "approved",
    message: "First draft",
  },
);

export type VersionRecord = t.RecordOf<typeof versionSchema>;

export const versionDiffSchema = Type.Object({
  from: Type.Integer({ description: "The number of the content that lines were removed from." }),
  to: Type.Integer({ description: "The number of the content that they were added to." }),
  diff: t.text("A unified diff; empty if the texts are the same."),
  diff_cut: Type.Boolean({ description: "Whether the end of the diff is left out." }),
});

export type VersionDiffRecord = t.RecordOf<typeof versionDiffSchema>;

export const versionsSchema = Type.Object({
  data: Type.Array(versionSchema),
  total: t.totalOf("The number of versions on all pages."),
  current_version: t.withExample(
    Type.Integer({ description: "The number of the content that the file has now." }),
    2,
  ),
  current_label: t.withExample(t.nullableText("The label of that content; null for none."), null),
  current_message: t.withExample(
    t.nullableText("What was said of the change that made it; null for nothing."),
    "Greet the world",
  ),
  next_cursor: t.nextCursor,
});

export type VersionsPage = t.RecordOf<typeof versionsSchema>;

export const snapshotSchema = t.record(
  "Snapshot",
  {
    id: t.id("The snapshot's identifier."),
    drive_id: t.id("The drive it is of."),
    name: Type.String({ examples: ["Before the clean-up"] }),
    file_count: t.count("Files in the drive when it was taken."),
    total_size: t.count("Bytes of these files."),
    automatic: Type.Boolean({ description: "Whether the server took it, before a restore." }),
    created_at: t.time("When it was taken."),
    created_by: t.nullable(actorSchema),
  },
  {
    id: "01976f5e-7c9b-7000-8000-5d3e1f2a4b6c",
    file_count: 2,
    total_size: 4096,
    automatic: false,
    created_by: { type: "key", id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60", name: "night shift" },
  },
);

export type SnapshotRecord = t.RecordOf<typeof snapshotSchema>;

export const trashEntrySchema = t.record(
  "TrashEntry",
  {
    id: t.id("The entry's identifier."),
    kind: t.oneOf(["file", "folder"]),
    drive_id: t.id("The drive it was in."),
    path: t.text("The path it had. A folder's ends with `/`.", "notes/2030/"),
    size: t.count("Bytes of its files."),
    file_count: t.count("Files in it; 1 for a file."),
    deleted_at: t.time("When it was deleted."),
    deleted_by: t.nullable(actorSchema),
    expires_at: t.time("Until when it is kept."),
  },
  {
    id: "01976f5e-6b1c-7000-8000-2a4c6e8f0b1d",
    kind: "file",
    drive_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
    path: "notes/hello.txt",
    size: 12,
    file_count: 1,
    deleted_by: { type: "key", id: "01976f5e-7c2d-7000-8000-4b5d6e7f8a9c", name: "My agent" },
    expires_at: "2030-03-02T12:00:00.000Z",
  },
);

export type TrashRecord = t.RecordOf<typeof trashEntrySchema>;

export const trashSchema = Type.Object({ data: Type.Array(trashEntrySchema), next_cursor: t.nextCursor });

export type TrashPage = t.RecordOf<typeof trashSchema>;

const comparedSchema = Type.Object({
  file_id: t.id("The file's identifier."),
  path: Type.String({ examples: ["notes/2030/plan.md"] }),
  size: t.count("Bytes."),
  content_hash: t.text("`sha256:` and the SHA-256 of the content in hex."),
  updated_at: t.time("When its content or record last changed."),
});

const file = t.exampleOf(fileSchema);

/** A file that differs between a snapshot and now. */
export const differenceSchema = t.record(
  "Difference",
  {
    path: t.text("Where it is now; else where it was.", "notes/2030/plan.md"),
    change: t.oneOf(["added", "removed", "changed", "moved"], {
      description:
        "`changed`: the content or the record at the path differs. `moved`: the file had another path; it may have changed, too.",
    }),
    before: t.nullable(comparedSchema),
    after: t.nullable(comparedSchema),
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
  },
);

export type DifferenceRecord = t.RecordOf<typeof differenceSchema>;
