import { Type } from "@sinclair/typebox";
import { ACCOUNT_WORDS, SERVER_KEY_WORDS } from "../../domain/accounts/usage-words.ts";
import { FILE_KINDS } from "../../domain/contents/kind.ts";
import * as t from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

const figure = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      limit: t.nullable(Type.Integer({ description: "Null without a limit." })),
    },
    { description },
  );

export const usageSchema = t.withExample(
  Type.Object({
    storage: figure("Bytes stored now."),
    versions: figure(
      "Bytes kept beside them: earlier versions, the trash and snapshots. Each content counts once, and not if a file of its drive has it too. They are the first to go when room is needed, except what snapshots that somebody took need.",
    ),
    operations: figure("Requests with a valid key in the period, including refused ones."),
    bandwidth: figure("Bytes of content uploaded and downloaded in the period."),
    period: Type.Object(
      { start: t.time("The start of the period."), end: t.time("The end of the period, exclusive.") },
      { description: "The current calendar month in UTC." },
    ),
  }),
  {
    storage: { used: 73_400_320, limit: 104_857_600 },
    versions: { used: 5_242_880, limit: null },
    operations: { used: 1204, limit: null },
    bandwidth: { used: 220_200_960, limit: null },
    period: { start: "2030-01-01T00:00:00.000Z", end: "2030-02-01T00:00:00.000Z" },
  },
);

export type UsageRecord = t.RecordOf<typeof usageSchema>;

const dayCounts = {
  day: t.text("The day in UTC.", "2030-01-31"),
  requests: t.count("Requests, including refused ones."),
  client_errors: t.count("How many of them were refused, with a status of 400 to 499."),
  server_errors: t.count("How many of them failed, with a status of 500 or above."),
  bytes_received: t.count("Bytes of content uploaded."),
  bytes_sent: t.count("Bytes of content downloaded."),
};

const exampleCounts = {
  day: "2030-01-31",
  requests: 120,
  client_errors: 2,
  server_errors: 0,
  bytes_received: 40_960,
  bytes_sent: 1_048_576,
};

/** What one key of an account did on a day. */
export const usageDaySchema = t.withExample(
  Type.Object({
    by: t.oneOf(["key", ...ACCOUNT_WORDS], {
      description:
        "`key`; `session` for those signed in; `link` for whoever has a link, of whom only the bytes are counted; `other` for keys beyond those that have entries of their own.",
    }),
    key_id: t.nullableId("The key's identifier; null for what is no key."),
    key_name: t.nullableText("The key's name; null once it is gone."),
    ...dayCounts,
  }),
  {
    by: "key",
    key_id: "01976f5e-6e8c-7000-8000-1b2c3d4e5f60",
    key_name: "night shift",
    ...exampleCounts,
  },
);

export type UsageDayRecord = t.RecordOf<typeof usageDaySchema>;

const exampleUser = { user_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a", username: "ada" };

/** What one user of the server did on a day, or one key. */
export const serverUsageDaySchema = t.withExample(
  Type.Object({
    by: t.oneOf(["user", "key", ...SERVER_KEY_WORDS], {
      description:
        "`user`, or `key` if asked by key; `session` for those signed in; `unclaimed` for the keys of unclaimed drives; `anonymous` for requests without a valid key; `other` for users or keys beyond those that have entries of their own.",
    }),
    user_id: t.nullableId("The user's identifier, also whose key it is; null for what is of no one user."),
    username: t.nullableText("Null for what is of no one user."),
    key_id: t.nullableId("The key's identifier; null for what is no key."),
    key_name: t.nullableText("The key's name; null once it is gone."),
    ...dayCounts,
  }),
  { by: "user", ...exampleUser, key_id: null, key_name: null, ...exampleCounts },
);

export type ServerUsageDayRecord = t.RecordOf<typeof serverUsageDaySchema>;

/** What the files of one kind take. */
export const usageKindSchema = t.withExample(
  Type.Object({
    kind: t.oneOf(FILE_KINDS, { description: "By the MIME type." }),
    files: t.count("How many."),
    bytes: t.count("Their size together."),
  }),
  { kind: "image", files: 12, bytes: 4_194_304 },
);

export type UsageKindRecord = t.RecordOf<typeof usageKindSchema>;

/** What one drive of the server takes. */
const usageDriveSchema = t.withExample(
  Type.Object({
    drive_id: t.id("The drive's identifier."),
    drive_name: t.nullableText("Null for a drive that the caller does not see."),
    user_id: t.nullableId("Its owner's identifier; null for an unclaimed drive."),
    username: t.nullableText("Null for an unclaimed drive."),
    files: t.count("How many."),
    bytes: t.count("Their size together."),
  }),
  {
    drive_id: "01976f5e-2b44-7000-8000-3c5d7e9f1a2b",
    drive_name: null,
    ...exampleUser,
    files: 12,
    bytes: 4_194_304,
  },
);

/** What the drives of the server take. */
export const usageDrivesSchema = Type.Object({
  data: Type.Array(usageDriveSchema),
  others: t.withExample(
    Type.Object(
      {
        drives: t.count("How many."),
        files: t.count("How many files are in them."),
        bytes: t.count("Their size together."),
      },
      { description: "All other drives together." },
    ),
    { drives: 0, files: 0, bytes: 0 },
  ),
});

export type UsageDrivesRecord = t.RecordOf<typeof usageDrivesSchema>;
