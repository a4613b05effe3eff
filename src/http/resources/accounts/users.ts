import { Type } from "@sinclair/typebox";
import type { UserId } from "../../../domain/id.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Account } from "../../../services/accounts/accounts.ts";
import type { ManagedUser, UserView } from "../../../services/accounts/users.ts";
import { operation, tagged } from "../../operation/route.ts";
import {
  type AccountRecord,
  accountSchema,
  examplePassword,
  languageSchema,
  type ManagedUserRecord,
  managedUserSchema,
  type UserRecord,
} from "../../records/account-schemas.ts";
import * as t from "../../operation/schema.ts";
import { asData, asJson, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

function userRecord({ user, hasPassword, driveCount }: UserView): UserRecord {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    display_name: user.displayName,
    plan: user.plan,
    admin: user.admin !== null,
    has_password: hasPassword,
    drive_count: driveCount,
    created_at: formatInstant(user.createdAt),
  };
}

function managedUserRecord(managed: ManagedUser): ManagedUserRecord {
  return {
    ...userRecord(managed),
    disabled: managed.user.disabledAt !== null,
    total_size: managed.totalSize,
  };
}

const oneUser = Type.Object({ data: managedUserSchema });

export function users({ users: service, userRemoval, addresses }: Parts) {
  return tagged("Users", [
    operation("GET", "/v0/addresses", {
      operationId: "listAddresses",
      summary: "List the server's addresses",
      description:
        "For the dashboard, where somebody has opened it as `localhost`, which leads no other machine here. Needs the session of an administrator: the addresses tell of the network that the server is in.",
      signedIn: true,
      administrators: true,
      answers: {
        description:
          "Where other machines may reach the server; none where a base URL is configured, or it listens on its own machine alone.",
        json: Type.Object({
          data: Type.Array(t.text("A URL without a trailing slash.", "http://192.168.1.20:2633")),
        }),
      },
      handle: ({ caller }) => {
        service.requireAdmin(caller);
        return Response.json({ data: addresses() });
      },
    }),
    operation("GET", "/v0/users", {
      operationId: "listUsers",
      summary: "List users",
      description: "Needs the session of an administrator: others, and all keys, get 403.",
      signedIn: true,
      administrators: true,
      answers: {
        description: "All users, by username.",
        json: Type.Object({ data: Type.Array(managedUserSchema) }),
      },
      handle: ({ caller }) => Response.json({ data: service.list(caller).map(managedUserRecord) }),
    }),
    write("POST", "/v0/users", {
      operationId: "createUser",
      summary: "Create a user",
      description:
        "The user signs in with the password and can change it. Needs the session of an administrator.",
      signedIn: true,
      body: Type.Object({
        username: t.text("3 to 32 of `a-z`, `0-9` and `-`, with a letter or digit at both ends.", "bob"),
        password: t.newPassword("A temporary password"),
      }),
      example: { username: "bob", password: examplePassword },
      administrators: true,
      audited: true,
      answers: { status: 201, description: "The new user.", json: oneUser },
      errors: ["CONFLICT"],
      perform: ({ body, caller }, reply) =>
        service.create(caller, body.username, body.password, reply.with(asData(managedUserRecord))),
    }),
    write("PATCH", "/v0/users/:id", {
      operationId: "updateUser",
      summary: "Update a user",
      description:
        "Changes a user's plan, disables or enables the user, makes the user an administrator or no longer one, or resets the password; takes effect at once. A disabled user is signed out everywhere, and their keys do not work until they are enabled; their drives stay. A user whose password is reset is signed out everywhere too, and all their keys and those of their drives are revoked. Administrators cannot be disabled; the last one stays one. Needs the session of an administrator.",
      signedIn: true,
      params: Type.Object({ id: t.id("The user's identifier.") }),
      body: Type.Object({
        plan: Type.Optional(t.plan()),
        disabled: Type.Optional(Type.Boolean()),
        admin: Type.Optional(Type.Boolean({ description: "Whether the user is an administrator." })),
        password: Type.Optional(t.newPassword("A temporary password, in place of a forgotten one")),
      }),
      example: { plan: "pro" },
      administrators: true,
      audited: true,
      answers: { description: "The user.", json: oneUser },
      perform: ({ params, body, caller }, reply) =>
        service.update(caller, params.id, body, reply.with(asData(managedUserRecord))),
    }),
    write("DELETE", "/v0/users/:id", {
      operationId: "deleteUser",
      summary: "Delete a user",
      description:
        "Ends the user's sessions, keys and links at once. Their drives are deleted with them, or another user gets these, without the keys and webhooks they had. Who was a member of such a drive still is. The username stays taken: what the user did still names them. Administrators cannot be deleted. Needs the session of an administrator.",
      signedIn: true,
      params: Type.Object({ id: t.id("The user's identifier.") }),
      body: Type.Object({
        drives: t.oneOf(["delete", "give"], { description: "What becomes of the user's drives." }),
        to: t.optionalText("With `give`: the username of who gets the drives.", "ada"),
      }),
      example: { drives: "delete" },
      administrators: true,
      audited: true,
      answers: {
        description: "The user is deleted.",
        json: Type.Object({ id: t.id("The deleted user."), deleted: Type.Literal(true) }),
      },
      perform: ({ params, body: { drives, to }, caller }, reply) => {
        const after = drives === "delete" ? ({ drives } as const) : { drives, to: to ?? "" };
        const answer = reply.with(asJson((id: UserId) => ({ id, deleted: true })));
        return userRemoval.remove(caller, params.id, after, answer);
      },
    }),
  ]);
}

export function accountRecord({ limits, ...view }: Account): AccountRecord {
  return {
    ...userRecord(view),
    language: view.user.language,
    limits: {
      requests_per_minute: limits.requestsPerMinute,
      storage_bytes: limits.storage,
      max_file_size: limits.fileSize,
      keep_days: limits.kept.days,
      keep_versions: limits.kept.versions,
    },
  };
}

export function account({ accounts }: Parts) {
  return tagged("Account", [
    operation("GET", "/v0/account", {
      operationId: "getAccount",
      summary: "Get your account",
      description: "Needs an account key or a session.",
      account: true,
      answers: { description: "The account.", json: Type.Object({ data: accountSchema }) },
      handle: ({ caller }) => Response.json({ data: accountRecord(accounts.get(caller)) }),
    }),
    write("PATCH", "/v0/account", {
      operationId: "updateAccount",
      summary: "Choose the language of the dashboard",
      description: "What the API answers stays English. Needs a session: all keys get 403.",
      signedIn: true,
      body: Type.Object({ language: languageSchema }),
      example: { language: "de" },
      answers: { description: "The account.", json: Type.Object({ data: accountSchema }) },
      perform: ({ body, caller }, reply) =>
        accounts.setLanguage(caller, body.language, reply.with(asData(accountRecord))),
    }),
  ]);
}
