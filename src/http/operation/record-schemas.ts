import { Type } from "@sinclair/typebox";
import { id, nextCursor, nullable, pageFacts, plan, type RecordOf, scope, time } from "./schema.ts";

// The dashboard takes its types from here. It is checked without the types of the runtime, so nothing that uses the
// runtime may be imported, be it only for a type.

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

/** See `driveSchema`. */
export type DriveRecord = RecordOf<typeof driveSchema>;

/** What a claim link shows. */
export const claimableSchema = Type.Object({
  name: Type.String(),
  file_count: Type.Integer({ minimum: 0 }),
  total_size: Type.Integer({ minimum: 0, description: "Bytes." }),
  expires_at: nullable(time("When it is deleted unless somebody claims it.")),
  created_at: time("When it was made."),
});

/** See `claimableSchema`. */
export type ClaimableRecord = RecordOf<typeof claimableSchema>;

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

/** See `fileSchema`. */
export type FileRecord = RecordOf<typeof fileSchema>;

/** A file that a search found. */
export const foundFileSchema = Type.Intersect([
  fileSchema,
  Type.Object({
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "How well it matches: filenames count most, then tags, folders and text. 0 without `q`. It depends on this file and the query alone.",
    }),
    snippet: nullable(
      Type.String({
        description:
          "The passage where its text matches, as plain text in one line: escape it before you show it as HTML. Null where only names match, or where so much is being searched that there is no time for it.",
      }),
    ),
  }),
]);

/** A page of what a search found. */
export const foundFilesSchema = Type.Object({
  data: Type.Array(foundFileSchema),
  ...pageFacts("Files that match, on all pages."),
});

/** See `foundFilesSchema`. */
export type FoundFilesPage = RecordOf<typeof foundFilesSchema>;

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

/** See `folderSchema`. */
export type FolderRecord = RecordOf<typeof folderSchema>;

/** A page of the folders that stand in a folder. */
export const foldersSchema = Type.Object({
  data: Type.Array(folderSchema),
  ...pageFacts("Folders directly in the folder, on all pages."),
  next_cursor: nextCursor,
});

/** See `foldersSchema`. */
export type FoldersPage = RecordOf<typeof foldersSchema>;

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

/** See `keySchema`. */
export type KeyRecord = RecordOf<typeof keySchema>;

/** A key as the answer to its creation shows it. */
export const createdKeySchema = Type.Object(
  { ...keyProperties, key: Type.String({ description: "The secret. It is shown here and never again." }) },
  { $id: "CreatedKey" },
);

const userProperties = {
  id: id("The user's identifier."),
  username: Type.String({ examples: ["ada"] }),
  email: nullable(Type.String()),
  display_name: nullable(Type.String()),
  plan: plan(),
  admin: Type.Boolean({
    description:
      "Whether the user is an administrator and manages users: whoever set the server up, and those that `COFFER_ADMINS` lists.",
  }),
  has_password: Type.Boolean({ description: "Whether the user can sign in with a password." }),
  drive_count: Type.Integer({ minimum: 0 }),
  created_at: time("When the user was created."),
};

/** A user as administrators see them. */
export const managedUserSchema = Type.Object(
  {
    ...userProperties,
    disabled: Type.Boolean({ description: "Whether neither sessions nor keys of the user work." }),
    total_size: Type.Integer({ minimum: 0, description: "Bytes in all drives of the user." }),
  },
  { $id: "User" },
);

/** See `managedUserSchema`. */
export type ManagedUserRecord = RecordOf<typeof managedUserSchema>;

/** The caller's own user record as answers show it. */
export const accountSchema = Type.Object(
  {
    ...userProperties,
    limits: Type.Object({
      requests_per_minute: Type.Integer({ description: "For each key." }),
      storage_bytes: nullable(Type.Integer({ description: "In all drives together; null without a limit." })),
      max_file_size: Type.Integer({ description: "Bytes." }),
    }),
  },
  { $id: "Account" },
);

/** See `accountSchema`. */
export type AccountRecord = RecordOf<typeof accountSchema>;

/** What answers show of a user, to the user and to administrators alike. */
export type UserRecord = Pick<AccountRecord, keyof typeof userProperties>;

const figure = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      limit: nullable(Type.Integer({ description: "Null without one." })),
    },
    { description },
  );

/** What an account or a drive uses. */
export const usageSchema = Type.Object({
  storage: figure("Bytes stored now."),
  operations: figure("Requests with a valid key in the period, refused ones included."),
  bandwidth: figure("Bytes of content that came in and went out in the period."),
  period: Type.Object(
    { start: time("Its first instant."), end: time("The first instant after it.") },
    { description: "The present calendar month in UTC." },
  ),
});

/** See `usageSchema`. */
export type UsageRecord = RecordOf<typeof usageSchema>;

/** A browser that is signed in. */
export const sessionSchema = Type.Object(
  {
    id: id("The session's identifier."),
    user_agent: Type.String({ description: "As the browser called itself; empty where it did not." }),
    current: Type.Boolean({ description: "Whether it is the one that asks." }),
    created_at: time("When it signed in."),
    last_used_at: time("When it was last used, to the hour."),
  },
  { $id: "Session" },
);

/** See `sessionSchema`. */
export type SessionRecord = RecordOf<typeof sessionSchema>;

/** How people sign in here. */
export const signInOptionsSchema = Type.Object({
  setup: Type.Boolean({ description: "Whether there is no administrator yet." }),
  provider: nullable(Type.Object({ name: Type.String({ description: "The provider's host." }) })),
  signups: Type.Boolean({
    description: "Whether people may register with a password; not before there is an administrator.",
  }),
});

/** See `signInOptionsSchema`. */
export type SignInOptionsRecord = RecordOf<typeof signInOptionsSchema>;
