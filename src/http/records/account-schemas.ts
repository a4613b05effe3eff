import { Type } from "@sinclair/typebox";
import { LANGUAGES } from "../../domain/accounts/language.ts";
import { actorSchema } from "./history-schemas.ts";
import * as t from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

export const examplePassword = "a password of your own";

const userProperties = {
  id: t.id("The user's identifier."),
  username: Type.String({ examples: ["ada"] }),
  email: t.nullable(Type.String()),
  display_name: t.nullable(Type.String()),
  plan: t.plan(),
  admin: Type.Boolean({
    description:
      "Whether the user is an administrator, who can manage users: created by the setup link or the shell, or listed in `COFFER_ADMINS`.",
  }),
  has_password: Type.Boolean({ description: "Whether the user can sign in with a password." }),
  drive_count: Type.Integer({ minimum: 0 }),
  created_at: t.time("When the user was created."),
};

/** A user as administrators see them. */
export const managedUserSchema = t.record(
  "User",
  {
    ...userProperties,
    disabled: Type.Boolean({ description: "Whether the user is disabled: sessions and keys do not work." }),
    total_size: t.count("Bytes in all the user's drives."),
  },
  {
    username: "bob",
    plan: "free",
    admin: false,
    has_password: true,
    drive_count: 2,
    disabled: false,
    total_size: 4096,
  },
);

export type ManagedUserRecord = t.RecordOf<typeof managedUserSchema>;

/** In what language the dashboard speaks to a person. */
export const languageSchema = t.nullable(
  t.oneOf(LANGUAGES, {
    description: "The language of the dashboard; null for the one that the browser asks for.",
  }),
);

/** The caller's own user record in responses. */
export const accountSchema = t.record(
  "Account",
  {
    ...userProperties,
    language: languageSchema,
    limits: Type.Object({
      requests_per_minute: Type.Integer({ description: "For each key." }),
      storage_bytes: t.nullable(
        Type.Integer({ description: "For all drives together; null without a limit." }),
      ),
      max_file_size: Type.Integer({ description: "Bytes." }),
      keep_days: Type.Integer({
        description: "For how long earlier versions and deleted files are kept; 0 if they are not.",
      }),
      keep_versions: Type.Integer({ description: "How many earlier versions of one file are kept." }),
    }),
  },
  {
    email: "ada@example.com",
    display_name: "Ada",
    plan: "free",
    admin: false,
    has_password: true,
    drive_count: 2,
    language: null,
    limits: {
      requests_per_minute: 60,
      storage_bytes: null,
      max_file_size: 5_368_709_120,
      keep_days: 30,
      keep_versions: 50,
    },
  },
);

export type AccountRecord = t.RecordOf<typeof accountSchema>;

/** What both the user and administrators see of a user. */
export type UserRecord = Pick<AccountRecord, keyof typeof userProperties>;

export const sessionSchema = t.record(
  "Session",
  {
    id: t.id("The session's identifier."),
    user_agent: t.text("The browser's `User-Agent`; may be empty."),
    current: Type.Boolean({ description: "Whether this is the session that sends the request." }),
    created_at: t.time("When the session started."),
    last_used_at: t.time("When it was last used, to the hour."),
  },
  {
    user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
    current: true,
    last_used_at: "2030-02-01T08:00:00.000Z",
  },
);

export type SessionRecord = t.RecordOf<typeof sessionSchema>;

export const signInOptionsSchema = Type.Object({
  setup: Type.Boolean({ description: "True until there is an administrator." }),
  provider: t.nullable(Type.Object({ name: t.text("The provider's host.") })),
  signups: Type.Boolean({
    description: "Whether people can register with a password. False until there is an administrator.",
  }),
});

export type SignInOptionsRecord = t.RecordOf<typeof signInOptionsSchema>;

export const authorizationSchema = Type.Object({
  client_id: t.text("The application's OAuth client id."),
  client_name: t.text("What the application calls itself. Nobody has verified it."),
  client_host: t.nullableText(
    "The host whose document describes the application; null if the application described itself.",
  ),
  redirect: Type.Object(
    {
      kind: t.oneOf(["site", "computer", "app"]),
      name: t.text("The host, or the scheme of an app's own addresses."),
    },
    {
      description:
        "Where the answer goes: to a web site, a program on the person's computer, or an app installed there.",
    },
  ),
  scope: t.scope("The most that the application asks for."),
});

export type AuthorizationRecord = t.RecordOf<typeof authorizationSchema>;

export const memberSchema = t.record(
  "Member",
  {
    user_id: t.id("The user."),
    username: Type.String({ examples: ["bob"] }),
    role: t.memberRole(),
    created_at: t.time("When the drive was shared with the user."),
    created_by: t.nullable(actorSchema),
  },
  {
    user_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
    username: "carl",
    role: "editor",
    created_by: { type: "user", id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f", name: "ada" },
  },
);

export type MemberRecord = t.RecordOf<typeof memberSchema>;
