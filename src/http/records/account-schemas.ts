import { Type } from "@sinclair/typebox";
import { id, nullable, plan, type RecordOf, scope, time } from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

const userProperties = {
  id: id("The user's identifier."),
  username: Type.String({ examples: ["ada"] }),
  email: nullable(Type.String()),
  display_name: nullable(Type.String()),
  plan: plan(),
  admin: Type.Boolean({
    description:
      "Whether the user is an administrator, who can manage users: created by the setup link or the shell, or listed in `COFFER_ADMINS`.",
  }),
  has_password: Type.Boolean({ description: "Whether the user can sign in with a password." }),
  drive_count: Type.Integer({ minimum: 0 }),
  created_at: time("When the user was created."),
};

/** A user as administrators see them. */
export const managedUserSchema = Type.Object(
  {
    ...userProperties,
    disabled: Type.Boolean({ description: "Whether the user is disabled: sessions and keys do not work." }),
    total_size: Type.Integer({ minimum: 0, description: "Bytes in all the user's drives." }),
  },
  { $id: "User" },
);

export type ManagedUserRecord = RecordOf<typeof managedUserSchema>;

/** The caller's own user record in responses. */
export const accountSchema = Type.Object(
  {
    ...userProperties,
    limits: Type.Object({
      requests_per_minute: Type.Integer({ description: "For each key." }),
      storage_bytes: nullable(
        Type.Integer({ description: "For all drives together; null without a limit." }),
      ),
      max_file_size: Type.Integer({ description: "Bytes." }),
      keep_days: Type.Integer({
        description: "For how long earlier versions and deleted files are kept; 0 if they are not.",
      }),
      keep_versions: Type.Integer({ description: "How many earlier versions of one file are kept." }),
    }),
  },
  { $id: "Account" },
);

export type AccountRecord = RecordOf<typeof accountSchema>;

/** What both the user and administrators see of a user. */
export type UserRecord = Pick<AccountRecord, keyof typeof userProperties>;

const figure = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      limit: nullable(Type.Integer({ description: "Null without a limit." })),
    },
    { description },
  );

/** What an account or a drive uses. */
export const usageSchema = Type.Object({
  storage: figure("Bytes stored now."),
  versions: figure(
    "Bytes kept beside them: earlier versions, the trash and snapshots. Each content counts once, and not if a file of its drive has it too. They are the first to go when room is needed, except what snapshots that somebody took need.",
  ),
  operations: figure("Requests with a valid key in the period, including refused ones."),
  bandwidth: figure("Bytes of content uploaded and downloaded in the period."),
  period: Type.Object(
    { start: time("The start of the period."), end: time("The end of the period, exclusive.") },
    { description: "The current calendar month in UTC." },
  ),
});

export type UsageRecord = RecordOf<typeof usageSchema>;

/** A browser that is signed in. */
export const sessionSchema = Type.Object(
  {
    id: id("The session's identifier."),
    user_agent: Type.String({ description: "The browser's `User-Agent`; may be empty." }),
    current: Type.Boolean({ description: "Whether this is the session that sends the request." }),
    created_at: time("When the session started."),
    last_used_at: time("When it was last used, to the hour."),
  },
  { $id: "Session" },
);

export type SessionRecord = RecordOf<typeof sessionSchema>;

export const signInOptionsSchema = Type.Object({
  setup: Type.Boolean({ description: "True until there is an administrator." }),
  provider: nullable(Type.Object({ name: Type.String({ description: "The provider's host." }) })),
  signups: Type.Boolean({
    description: "Whether people can register with a password. False until there is an administrator.",
  }),
});

export type SignInOptionsRecord = RecordOf<typeof signInOptionsSchema>;

/** What an application asks a person for. */
export const authorizationSchema = Type.Object({
  client_id: Type.String({ description: "The application's OAuth client id." }),
  client_name: Type.String({ description: "What the application calls itself. Nobody has verified it." }),
  client_host: nullable(
    Type.String({
      description:
        "The host whose document describes the application; null if the application described itself.",
    }),
  ),
  redirect: Type.Object(
    {
      kind: Type.Union([Type.Literal("site"), Type.Literal("computer"), Type.Literal("app")]),
      name: Type.String({ description: "The host, or the scheme of an app's own addresses." }),
    },
    {
      description:
        "Where the answer goes: to a web site, a program on the person's computer, or an app installed there.",
    },
  ),
  scope: scope("The most that the application asks for."),
});

export type AuthorizationRecord = RecordOf<typeof authorizationSchema>;
