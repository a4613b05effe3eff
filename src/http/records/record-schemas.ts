import { Type } from "@sinclair/typebox";
import { ROLES } from "../../domain/accounts/roles.ts";
import * as t from "../operation/schema.ts";

// The dashboard takes its types from here. It is checked without the types of the runtime, so nothing that uses the
// runtime may be imported, not even for a type.

export const driveSchema = t.record(
  "Drive",
  {
    id: t.id("The drive's identifier."),
    user_id: t.nullableId("The owner; null while the drive is unclaimed."),
    name: Type.String(),
    slug: t.nullableText("`<username>/<drive-name>`; null while the drive is unclaimed."),
    description: Type.String(),
    role: t.oneOf(ROLES, {
      description:
        "What you are in it: its owner, or a member, who as a reader sees it and as an editor changes what is in it.",
    }),
    file_count: t.count("Files in the drive."),
    total_size: t.count("Bytes of all its files."),
    expires_at: t.nullable(t.time("When an unclaimed drive is deleted; null once it is claimed.")),
    created_at: t.time("When it was created."),
    updated_at: t.time("When the drive or anything in it last changed."),
  },
  {
    user_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
    name: "Research Notes",
    slug: "ada/research-notes",
    description: "",
    role: "owner",
    file_count: 2,
    total_size: 4096,
  },
);

export type DriveRecord = t.RecordOf<typeof driveSchema>;

export const claimableSchema = t.withExample(
  Type.Object({
    name: Type.String(),
    file_count: Type.Integer({ minimum: 0 }),
    total_size: t.count("Bytes."),
    expires_at: t.nullable(t.time("When the drive is deleted, unless it is claimed.")),
    created_at: t.time("When it was created."),
  }),
  {
    name: "Research Notes",
    file_count: 2,
    total_size: 4096,
    expires_at: "2030-03-02T12:00:00.000Z",
    created_at: "2030-01-31T12:00:00.000Z",
  },
);

export type ClaimableRecord = t.RecordOf<typeof claimableSchema>;

export const fileSchema = t.record(
  "File",
  {
    id: t.id("The file's identifier. It stays when the file is replaced, renamed or moved."),
    drive_id: t.id("The drive it is in."),
    path: t.text("The path in the drive.", "notes/2030/plan.md"),
    filename: Type.String({ examples: ["plan.md"] }),
    mime_type: Type.String({ examples: ["text/markdown"] }),
    size: t.count("Bytes."),
    content_hash: t.text("`sha256:` and the SHA-256 of the content in hex; the hex alone is the ETag."),
    content_preview: t.nullableText("The first 500 characters of a text; null for other types."),
    tags: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.Unknown(), { description: "Any JSON object, as uploaded." }),
    expires_at: t.nullable(t.time("When the file expires and is deleted; null for never.")),
    created_at: t.time("When it was first uploaded."),
    updated_at: t.time("When its content or record last changed."),
  },
  {
    drive_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
    path: "notes/hello.txt",
    filename: "hello.txt",
    mime_type: "text/plain",
    size: 12,
    content_hash: "sha256:7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
    content_preview: "Hello World!",
    tags: ["greeting"],
    metadata: { source: "example" },
  },
);

export type FileRecord = t.RecordOf<typeof fileSchema>;

const foundFileSchema = Type.Intersect([
  fileSchema,
  Type.Object({
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "How well the file matches: filenames count most, then tags, folders and text. 0 without `q`. Depends only on this file and the query.",
    }),
    snippet: t.nullableText(
      "Where the text matches, as one line of plain text: escape it in HTML. Null if only names match, or if the server has no time to create it.",
    ),
  }),
]);

export const foundFilesSchema = Type.Object({
  data: Type.Array(foundFileSchema),
  ...t.pageFacts("The number of files found, on all pages."),
  total_is_exact: Type.Boolean({
    description: "False if so many files match that not all were compared; then there are at least `total`.",
  }),
  is_relaxed: Type.Boolean({
    description: "True if no file has all the words: then these have most of them.",
  }),
});

export type FoundFilesPage = t.RecordOf<typeof foundFilesSchema>;

export const folderSchema = t.record(
  "Folder",
  {
    drive_id: t.id("The drive it is in."),
    path: t.text("Ends with `/`.", "notes/2030/"),
    file_count: t.count("Files in the folder and in all folders below."),
    total_size: t.count("Bytes in those files."),
    has_folders: Type.Boolean({ description: "Whether the folder contains other folders." }),
    created_at: t.time("When it was created."),
  },
  {
    file_count: 12,
    total_size: 49152,
    has_folders: true,
  },
);

export type FolderRecord = t.RecordOf<typeof folderSchema>;

export const foldersSchema = Type.Object({
  data: Type.Array(folderSchema),
  ...t.pageFacts("The number of folders on all pages."),
  next_cursor: t.nextCursor,
});

export type FoldersPage = t.RecordOf<typeof foldersSchema>;

const keyProperties = {
  id: t.id("The key's identifier."),
  key_prefix: t.text("The start of the key.", "cof_sk_live_1a2b"),
  name: Type.String(),
  scope: t.scope(),
  drive_id: t.nullableId("The drive that the key is limited to; null for an account key."),
  path_prefix: t.nullableText("The folder of that drive that the key is limited to; null if it is not."),
  created_at: t.time("When it was created."),
  last_used_at: t.nullable(t.time("When it was last used; null if never.")),
  expires_at: t.nullable(
    t.time(
      "When it expires; null for never. For an application's key: if the application does not use it until then.",
    ),
  ),
  client_id: t.nullableText("The application (OAuth client) that a person gave it to; null for other keys."),
  made_by: t.nullableId(
    "The key that made it, with which it goes; null if a person made it, or it came with its drive.",
  ),
};

/** A key in responses, without its secret. */
export const keySchema = t.record("Key", keyProperties, {
  name: "Night shift",
  scope: "read-write",
});

export type KeyRecord = t.RecordOf<typeof keySchema>;

/** A key with how much goes with it. */
export const keyDetailSchema = t.record(
  "KeyDetail",
  {
    ...keyProperties,
    made: Type.Object(
      {
        keys: t.count("Keys that it made, or that these made."),
        links: t.count("Links of any kind that have not expired."),
        webhooks: t.count("Webhooks."),
        members: t.count("Members of drives."),
      },
      { description: "What it made, and the keys that it made made: this goes with it. Up to 1000 of each." },
    ),
  },
  { ...t.exampleOf(keySchema), made: { keys: 3, links: 1, webhooks: 0, members: 0 } },
);

export type KeyDetailRecord = t.RecordOf<typeof keyDetailSchema>;

/** A new key, in the response to its creation. */
export const createdKeySchema = t.record(
  "CreatedKey",
  { ...keyProperties, key: t.text("The secret key. It is shown only in this response.") },
  { ...t.exampleOf(keySchema), key: "cof_sk_live_1a2b..." },
);
