import { Type } from "@sinclair/typebox";
import { id, nextCursor, nullable, type RecordOf, time } from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** Who did something. */
export const actorSchema = Type.Object(
  {
    type: Type.Union([Type.Literal("key"), Type.Literal("user"), Type.Literal("link")]),
    id: id("The identifier of the key, user or link."),
    name: nullable(Type.String({ description: "The name of the key or user; null once it is gone." })),
  },
  { $id: "Actor" },
);

export type ActorRecord = RecordOf<typeof actorSchema>;

/** An earlier content of a file in responses. */
export const versionSchema = Type.Object(
  {
    version: Type.Integer({
      minimum: 1,
      description: "Its number: a file's contents are counted from 1. No number is used again.",
    }),
    content_hash: Type.String({
      description: "`sha256:` and the SHA-256 of the content in hex; the hex alone is the ETag.",
    }),
    size: Type.Integer({ minimum: 0, description: "Bytes." }),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    replaced_at: time("When another content took its place."),
    replaced_by: nullable(actorSchema),
  },
  { $id: "Version" },
);

export type VersionRecord = RecordOf<typeof versionSchema>;

export const versionDiffSchema = Type.Object({
  from: Type.Integer({ description: "The number of the content that lines were removed from." }),
  to: Type.Integer({ description: "The number of the content that they were added to." }),
  diff: Type.String({ description: "A unified diff; empty if the texts are the same." }),
  diff_cut: Type.Boolean({ description: "Whether the end of the diff is left out." }),
});

export type VersionDiffRecord = RecordOf<typeof versionDiffSchema>;

export const versionsSchema = Type.Object({
  data: Type.Array(versionSchema),
  total: Type.Integer({ description: "The number of versions on all pages." }),
  current_version: Type.Integer({ description: "The number of the content that the file has now." }),
  next_cursor: nextCursor,
});

export type VersionsPage = RecordOf<typeof versionsSchema>;

export const snapshotSchema = Type.Object(
  {
    id: id("The snapshot's identifier."),
    drive_id: id("The drive it is of."),
    name: Type.String({ examples: ["Before the clean-up"] }),
    file_count: Type.Integer({ minimum: 0, description: "Files in the drive when it was taken." }),
    total_size: Type.Integer({ minimum: 0, description: "Bytes of these files." }),
    automatic: Type.Boolean({ description: "Whether the server took it, before a restore." }),
    created_at: time("When it was taken."),
    created_by: nullable(actorSchema),
  },
  { $id: "Snapshot" },
);

export type SnapshotRecord = RecordOf<typeof snapshotSchema>;

export const trashEntrySchema = Type.Object(
  {
    id: id("The entry's identifier."),
    kind: Type.Union([Type.Literal("file"), Type.Literal("folder")]),
    drive_id: id("The drive it was in."),
    path: Type.String({
      description: "The path it had. A folder's ends with `/`.",
      examples: ["notes/2030/"],
    }),
    size: Type.Integer({ minimum: 0, description: "Bytes of its files." }),
    file_count: Type.Integer({ minimum: 0, description: "Files in it; 1 for a file." }),
    deleted_at: time("When it was deleted."),
    deleted_by: nullable(actorSchema),
    expires_at: time("Until when it is kept."),
  },
  { $id: "TrashEntry" },
);

export type TrashRecord = RecordOf<typeof trashEntrySchema>;

export const trashSchema = Type.Object({ data: Type.Array(trashEntrySchema), next_cursor: nextCursor });

export type TrashPage = RecordOf<typeof trashSchema>;

const comparedSchema = Type.Object({
  file_id: id("The file's identifier."),
  path: Type.String({ examples: ["notes/2030/plan.md"] }),
  size: Type.Integer({ minimum: 0, description: "Bytes." }),
  content_hash: Type.String({ description: "`sha256:` and the SHA-256 of the content in hex." }),
  updated_at: time("When its content or record last changed."),
});

/** A file that differs between a snapshot and now. */
export const differenceSchema = Type.Object(
  {
    path: Type.String({
      description: "Where it is now; else where it was.",
      examples: ["notes/2030/plan.md"],
    }),
    change: Type.Union(
      [Type.Literal("added"), Type.Literal("removed"), Type.Literal("changed"), Type.Literal("moved")],
      {
        description:
          "`changed`: the content or the record at the path differs. `moved`: the file had another path; it may have changed, too.",
      },
    ),
    before: nullable(comparedSchema),
    after: nullable(comparedSchema),
  },
  { $id: "Difference" },
);

export type DifferenceRecord = RecordOf<typeof differenceSchema>;
