import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ALL_AUDIT_ACTIONS, type AuditAction } from "../../../src/domain/audit/audit-actions.ts";
import { OAuthTestClient } from "../../support/peers/oauth.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import type { Json } from "../../support/server/client.ts";
import { fill, fillJson } from "../../support/server/scenario.ts";
import { signInAll } from "../../support/server/sign-in.ts";
import { HOOK, makeOwnTarget } from "../../support/server/targets.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { startWorld } from "../../support/server/world.ts";

const place = await temporaryDirectory(FAST_DIRECTORY);
const backup = join(place.path, "backups");
const world = await startWorld({ backup });
const [ada, bob] = await signInAll(world, "ada", "bob");

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

type Request = readonly [request: string, body?: Json];
/** Does it in a way of its own. Resolves with who did. */
type Deed = () => Promise<string>;

/** What leads to an event, and what that says. */
interface Case {
  /** Requests of Ada's, with a session: the last one is what is recorded. Or something else. */
  readonly by: readonly Request[] | Deed;
  readonly subject: readonly [kind: string, name: unknown];
  readonly detail?: object;
  /** Whether it is about the drive `{drive}`. */
  readonly inDrive?: true;
}

const DAN = { username: "dan", role: "editor" };
const IN_DRIVE = { drive: "Target" };
const USER = ["user", expect.stringMatching(/^user-\d+$/)] as const;
const AT_USER = "PATCH /v0/users/{user}";
const OF_DRIVE = { subject: ["drive", "Target"], inDrive: true } as const;
const OF_HOOK = { subject: ["webhook", "agent.example"], inDrive: true } as const;
const OF_LINK = {
  subject: ["link", "dir/"],
  inDrive: true,
  detail: { ...IN_DRIVE, password: false },
} as const;
const OF_SNAPSHOT = { subject: ["snapshot", expect.any(String)], inDrive: true, detail: IN_DRIVE } as const;
const OF_APP = ["key", "Example App"] as const;

/** By its action; or the test that has it. */
const CASES: Readonly<Record<AuditAction, Case | `test/${string}`>> = {
  "session.created": {
    by: async () => {
      await signInAll(world, "carol");
      return "carol";
    },
    subject: ["session", null],
    detail: { method: "password" },
  },
  "session.ended": { by: [["DELETE /v0/sessions/{session}"]], subject: ["session", null] },
  "password.changed": {
    by: async () => {
      await bob.post(
        "/v0/account/password",
        { current: "bob's password", password: "another of bob's" },
        200,
      );
      return "bob";
    },
    subject: ["user", "bob"],
  },
  "user.created": {
    by: [["POST /v0/users", { username: "made", password: "long enough" }]],
    subject: ["user", "made"],
  },
  "user.deleted": {
    by: [["DELETE /v0/users/{user}", { drives: "delete" }]],
    subject: USER,
    detail: { drives: "delete", to: null },
  },
  "user.disabled": { by: [[AT_USER, { disabled: true }]], subject: USER },
  "user.enabled": {
    by: [
      [AT_USER, { disabled: true }],
      [AT_USER, { disabled: false }],
    ],
    subject: USER,
  },
  "user.plan_changed": {
    by: [[AT_USER, { plan: "pro" }]],
    subject: USER,
    detail: { from: "free", to: "pro" },
  },
  "user.admin_granted": { by: [[AT_USER, { admin: true }]], subject: USER },
  "user.admin_revoked": {
    by: [
      [AT_USER, { admin: true }],
      [AT_USER, { admin: false }],
    ],
    subject: USER,
  },
  "key.created": {
    by: [["POST /v0/keys", { name: "K", drive_id: "{drive}", path_prefix: "dir/" }]],
    subject: ["key", "K"],
    inDrive: true,
    detail: { scope: "read-write", path_prefix: "dir/" },
  },
  "key.revoked": { by: [["DELETE /v0/keys/{key}"]], subject: ["key", ""], inDrive: true },
  "key.used": {
    by: async () => {
      const { id, key } = await bob.post<{ id: string; key: string }>("/v0/keys", { name: "of bob" });
      await bob.delete(`/v0/keys/${id}`);
      expect(await world.client(key).status("GET", "/v0/drives")).toBe(401);
      return "bob";
    },
    subject: ["key", "of bob"],
    detail: { reason: "revoked" },
  },
  "oauth.granted": {
    by: async () => {
      await (await OAuthTestClient.register(world)).signIn(bob);
      return "bob";
    },
    subject: OF_APP,
    detail: { scope: "read-write", client_id: expect.any(String) },
  },
  "oauth.revoked": {
    by: async () => {
      const app = await OAuthTestClient.register(world);
      const { access_token: token } = await app.signIn(bob);
      expect((await app.post("/oauth/revoke", { token, client_id: app.id })).status).toBe(200);
      return "bob";
    },
    subject: OF_APP,
  },
  "member.added": {
    by: [["POST /v0/drives/{drive}/members", DAN]],
    subject: ["user", "dan"],
    inDrive: true,
    detail: { ...IN_DRIVE, role: "editor" },
  },
  "member.changed": {
    by: [["PATCH /v0/drives/{drive}/members/{carol}", { role: "editor" }]],
    subject: ["user", "carol"],
    inDrive: true,
    detail: { ...IN_DRIVE, role: "editor" },
  },
  "member.removed": {
    by: [["DELETE /v0/drives/{drive}/members/{carol}"]],
    subject: ["user", "carol"],
    inDrive: true,
    detail: { ...IN_DRIVE, role: "reader" },
  },
  "link.created": { by: [["POST /v0/links", { drive_id: "{drive}", path: "dir/" }]], ...OF_LINK },
  "link.revoked": { by: [["DELETE /v0/links/{link}"]], ...OF_LINK },
  "webhook.created": { by: [["POST /v0/webhooks", { ...HOOK, drive_id: "{drive}" }]], ...OF_HOOK },
  "webhook.changed": { by: [["PATCH /v0/webhooks/{webhook}", { enabled: false }]], ...OF_HOOK },
  "webhook.deleted": { by: [["DELETE /v0/webhooks/{webhook}"]], ...OF_HOOK },
  "drive.claimed": {
    by: [["POST /v0/drives/claim", { token: "{claim}" }]],
    subject: ["drive", expect.any(String)],
  },
  "drive.given": {
    by: async () => {
      addAccount(world, "giver");
      await (await accountClient(world, "giver")).makeDrive("A gift");
      const { data } = await ada.get<{ data: { id: string; username: string }[] }>("/v0/users");
      const giver = data.find(({ username }) => username === "giver");
      await ada.delete(`/v0/users/${giver?.id}`, { drives: "give", to: "bob" });
      return "ada";
    },
    subject: ["drive", "A gift"],
    detail: { to: "bob" },
  },
  "setting.changed": {
    by: [["PATCH /v0/server", { keep_versions: "40" }]],
    subject: ["setting", "keep_versions"],
    detail: { from: "50", to: "40" },
  },
  "backup.started": { by: [["POST /v0/server/backups"]], subject: ["backup", backup] },
  "admin.requested": {
    by: async () => {
      expect(await bob.status("GET", "/v0/users")).toBe(403);
      return "bob";
    },
    subject: ["route", "GET /v0/users"],
    detail: { reason: "forbidden" },
  },
  "file.deleted_for_good": {
    by: [["DELETE /v0/trash/{trash}"]],
    subject: ["file", "dir/gone"],
    inDrive: true,
    detail: { ...IN_DRIVE, files: 1 },
  },
  "folder.deleted_for_good": {
    by: [["DELETE /v0/trash/{trashedFolder}"]],
    subject: ["folder", "removed/"],
    inDrive: true,
    detail: { ...IN_DRIVE, files: 1 },
  },
  "version.deleted_for_good": {
    by: [["DELETE /v0/files/{file}/versions/1"]],
    subject: ["version", "dir/file.txt"],
    inDrive: true,
    detail: { ...IN_DRIVE, version: 1 },
  },
  "trash.emptied": {
    by: [["DELETE /v0/trash", { drive_id: "{drive}", confirm: true }]],
    ...OF_DRIVE,
    detail: { entries: 1 },
  },
  "snapshot.deleted": { by: [["DELETE /v0/drives/{drive}/snapshots/{snapshot}"]], ...OF_SNAPSHOT },
  "snapshot.restored": { by: [["POST /v0/drives/{drive}/snapshots/{snapshot}/restore"]], ...OF_SNAPSHOT },
  "drive.deleted": { by: [["DELETE /v0/drives/{drive}"]], ...OF_DRIVE },
  "store.restored": "test/backup/recorded-restore.test.ts",
  "store.repaired": "test/verify/repair.test.ts",
};

interface Event {
  readonly id: string;
  readonly drive_id: string | null;
}

async function eventsOf(action: AuditAction): Promise<readonly Event[]> {
  const { data } = await ada.get<{ data: Event[] }>(`/v0/audit-events?action=${action}&limit=100`);
  return data;
}

/** Makes what requests are about. Resolves with what sends them, which resolves with who did. */
async function sending(requests: readonly Request[]): Promise<{ drive: string; run: Deed }> {
  const named = await makeOwnTarget({ coffer: world, world }, JSON.stringify(requests));
  const run = async () => {
    for (const [request, body] of requests) {
      const [method = "", path = ""] = fill(request, named).split(" ");
      const answer = await ada.send(method, path, body === undefined ? {} : { body: fillJson(body, named) });
      if (answer.status > 202) throw new Error(`${request}: ${answer.status} ${answer.text}`);
    }
    return "ada";
  };
  return { drive: named.drive, run };
}

test.each(ALL_AUDIT_ACTIONS.filter((action) => typeof CASES[action] !== "string"))(
  "%s is recorded once, with by whom, from where and what of",
  async (action) => {
    const found = CASES[action];
    if (typeof found === "string") return;
    const { by, subject, detail = {}, inDrive } = found;
    const { drive, run } = typeof by === "function" ? { drive: null, run: by } : await sending(by);
    const before = new Set((await eventsOf(action)).map(({ id }) => id));
    const username = await run();
    const after = (await eventsOf(action)).filter(({ id }) => !before.has(id));
    const [kind, name] = subject;
    expect(after).toMatchObject([
      {
        action,
        outcome: action === "key.used" || action === "admin.requested" ? "refused" : "success",
        count: 1,
        actor: { username },
        subject: { kind, name },
        address: expect.stringMatching(/^(127\.0\.0\.1|0:0:0:0:0:0:0:1)$/),
        request_id: expect.any(String),
        detail,
      },
    ]);
    if (inDrive === true) expect(after).toMatchObject([{ drive_id: drive }]);
  },
);
