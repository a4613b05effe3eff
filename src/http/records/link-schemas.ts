import { Type } from "@sinclair/typebox";
import { actorSchema } from "./history-schemas.ts";
import * as t from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** A link in responses, without its token. */
export const linkSchema = t.record(
  "Link",
  {
    id: t.id("The link's identifier: `DELETE /v0/links/{id}` revokes it."),
    kind: Type.Union([
      Type.Literal("file", { description: "Shows a file." }),
      Type.Literal("folder", { description: "Shows a folder." }),
      Type.Literal("presigned", { description: "Downloads a file: a presigned URL." }),
      Type.Literal("upload", { description: "Takes one upload." }),
    ]),
    drive_id: t.id("The drive it was made for."),
    path: t.nullableText(
      "The path in the drive; a folder's ends with `/`, and the whole drive's is empty. Null if its file is no longer in the drive, or in the folder that your key is limited to.",
    ),
    has_password: Type.Boolean(),
    has_url: Type.Boolean({
      description:
        "Whether its address is kept, so that people can see it again. Not of links of earlier versions.",
    }),
    one_time: Type.Boolean({ description: "Whether it works only once." }),
    used_at: t.nullable(t.time("When a link that works once was used; else null.")),
    uses: t.count("How often it was used."),
    last_used_at: t.nullable(t.time("When it was last used; null if never.")),
    expires_at: t.time("When it expires."),
    created_at: t.time("When it was created."),
    created_by: t.nullable(actorSchema),
  },
  {
    id: "01976f5e-5d7a-7000-8000-4d6e2b3c5f70",
    kind: "folder",
    path: "notes/2030/",
    has_password: true,
    has_url: true,
    one_time: false,
    uses: 3,
    last_used_at: "2030-02-01T08:00:00.000Z",
    expires_at: "2030-02-07T12:00:00.000Z",
    created_by: { type: "user", id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a", name: "ada" },
  },
);

export type LinkRecord = t.RecordOf<typeof linkSchema>;

/** A file as a link shows it. */
export const sharedFileSchema = Type.Object(
  {
    path: t.text("Relative to the folder that the link shows."),
    filename: Type.String({ examples: ["plan.md"] }),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    size: t.count("Bytes."),
    content_hash: t.text("`sha256:` and the SHA-256 of the content in hex."),
    updated_at: t.time("When it last changed."),
  },
  { $id: "SharedFile" },
);

export type SharedFileRecord = t.RecordOf<typeof sharedFileSchema>;

export const sharedSchema = Type.Object({
  kind: t.oneOf(["file", "folder"]),
  name: t.text("Of the file, the folder or the drive."),
  file_count: t.count("Files in the folder and in all folders below; 1 for a file."),
  total_size: t.count("Bytes in those files."),
  file: t.nullable(sharedFileSchema),
  expires_at: t.time("When the link expires."),
});

export type SharedRecord = t.RecordOf<typeof sharedSchema>;

/** A page of what is directly in a folder that a link shows. */
export const sharedPageSchema = Type.Object({
  data: Type.Array(sharedFileSchema, { description: "Files directly in the folder, in path order." }),
  folders: Type.Array(Type.String(), {
    description: "Folders directly in it, in path order; each ends with `/`.",
  }),
  total: Type.Integer({ description: "The number of files on all pages." }),
  folder_total: Type.Integer({ description: "The number of folders on all pages." }),
  next_cursor: t.nextCursor,
});

export type SharedPage = t.RecordOf<typeof sharedPageSchema>;
