import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { byPath } from "../../support/samples/by-path.ts";
import type { Answer, Client, Json, RequestOptions } from "../../support/server/client.ts";
import { Description } from "../../support/schemas/description.ts";
import { pendingRequest } from "../../support/peers/oauth.ts";
import { provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { populate, type World } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";

// The gate lets a caller in before the request's body is read, and a client may take as long over the body as
// it likes. Who is revoked, signed out or disabled meanwhile must not act any more.

let coffer: TestAppliance;
let world: World;
/** The ticket of an application's request. */
let ticket: string;
/** The entry of a file of Ada's in the trash. */
let trashed: string;
/** The ids of a snapshot of her drive, and of a webhook that is told of nothing that happens here. */
let snapshot: string;
let webhook: string;

beforeAll(async () => {
  coffer = await startAppliance();
  world = await populate(coffer);
  ticket = await pendingRequest(coffer);
  const { ada } = world.clients;
  const place = `drive_id=${world.drives.ada}&path=deleted.txt`;
  await ada.json(201, "PUT", `/v0/files?${place}`, { body: "x" });
  const deleted = await ada.delete<{ trash_id: string }>(`/v0/files/by-path?${place}`);
  trashed = deleted.trash_id;
  const taken = `/v0/drives/${world.drives.ada}/snapshots`;
  snapshot = (await ada.post<{ data: { id: string } }>(taken)).data.id;
  const hook = { url: "https://agent.example/hook", events: ["drive.restored"] };
  webhook = (await ada.post<{ id: string }>("/v0/webhooks", hook)).id;
});
afterAll(() => coffer[Symbol.asyncDispose]());

interface Sender {
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

/** A request that was let in and whose body is not complete. */
interface Begun {
  /** Sends the rest of the body; the answer. */
  complete(): Promise<Answer>;
}

async function begin(sender: Sender, method: string, path: string, body: Json): Promise<Begun> {
  const text = JSON.stringify(body);
  const { promise: isToEnd, resolve: complete } = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, 1)));
      await isToEnd;
      controller.enqueue(new TextEncoder().encode(text.slice(1)));
      controller.close();
    },
  });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const answer = sender.send(method, path, { body: stream, headers });
  // Once it was let in, another request with its key is told to wait.
  while ((await sender.send("POST", "/v0/folders", { body: {}, headers })).status !== 409) await Bun.sleep(2);
  return {
    complete: () => {
      complete();
      return answer;
    },
  };
}

/** Every write that takes a JSON body, by its operationId, and what Ada asks with it. */
const WRITES: Readonly<Record<string, () => readonly [method: string, path: string, body: Json]>> = {
  createDrive: () => ["POST", "/v0/drives", { name: "Late" }],
  updateDrive: () => ["PATCH", `/v0/drives/${world.drives.ada}`, { description: "Late" }],
  addMember: () => ["POST", `/v0/drives/${world.drives.ada}/members`, { username: "bob", role: "editor" }],
  updateMember: () => [
    "PATCH",
    `/v0/drives/${world.drives.ada}/members/${idOf("carol")}`,
    { role: "editor" },
  ],
  createSnapshot: () => ["POST", `/v0/drives/${world.drives.ada}/snapshots`, { name: "Late" }],
  claimDrive: () => ["POST", "/v0/drives/claim", { token: "clm_late" }],
  updateFile: () => ["PATCH", `/v0/files/${world.files.ada}`, { tags: ["late"] }],
  copyFile: () => ["POST", `/v0/files/${world.files.ada}/copy`, { destination_path: "late.txt" }],
  moveFile: () => ["POST", `/v0/files/${world.files.ada}/move`, { destination_path: "late.txt" }],
  deleteFiles: () => ["POST", "/v0/files/bulk-delete", { file_ids: [world.files.ada] }],
  editFile: () => ["POST", `/v0/files/${world.files.ada}/edit`, { op: "append", text: "late" }],
  createPresignedUrl: () => ["POST", `/v0/files/${world.files.ada}/presigned-url`, {}],
  uploadFile: () => [
    "POST",
    "/v0/files",
    { drive_id: world.drives.ada, filename: "late.txt", content: "SGVsbG8=" },
  ],
  createFolder: () => ["POST", "/v0/folders", { drive_id: world.drives.ada, path: "late/" }],
  deleteFolder: () => [
    "DELETE",
    "/v0/folders",
    { drive_id: world.drives.ada, path: "notes/", confirm: true },
  ],
  moveFolder: () => [
    "POST",
    "/v0/folders/move",
    { drive_id: world.drives.ada, path: "notes/", destination_path: "late/" },
  ],
  copyFolder: () => [
    "POST",
    "/v0/folders/copy",
    { drive_id: world.drives.ada, path: "notes/", destination_path: "late/" },
  ],
  restoreTrashEntry: () => ["POST", `/v0/trash/${trashed}/restore`, { path: "late.txt" }],
  emptyTrash: () => ["DELETE", "/v0/trash", { drive_id: world.drives.ada, confirm: true }],
  createLink: () => ["POST", "/v0/links", { drive_id: world.drives.ada, path: "notes/" }],
  createUploadLink: () => ["POST", "/v0/upload-links", { drive_id: world.drives.ada, path: "late.txt" }],
  restoreSnapshot: () => ["POST", `/v0/drives/${world.drives.ada}/snapshots/${snapshot}/restore`, {}],
  forkDrive: () => ["POST", `/v0/drives/${world.drives.ada}/fork`, { name: "Late" }],
  createWebhook: () => ["POST", "/v0/webhooks", { url: "https://agent.example/late", events: ["*"] }],
  updateWebhook: () => ["PATCH", `/v0/webhooks/${webhook}`, { events: ["file.deleted"] }],
  createKey: () => ["POST", "/v0/keys", { name: "Late" }],
};

/** Those about a file, which is named by its drive and path. */
const BY_PATH: typeof WRITES = Object.fromEntries(
  ["updateFile", "copyFile", "moveFile", "editFile", "createPresignedUrl"].map((id) => [
    `${id}ByPath`,
    () => {
      const [method, address, body] = WRITES[id]?.() ?? ["", "", {}];
      const placed = { file: world.files.ada, drive: world.drives.ada, path: "notes/hello.txt" };
      return [method, byPath(address, placed), body] as const;
    },
  ]),
);

/** The same, for somebody who is signed in alone. */
const SIGNED_IN: typeof WRITES = {
  changePassword: () => [
    "POST",
    "/v0/account/password",
    { current: "ada's password", password: "a late password" },
  ],
  decideAuthorizationRequest: () => ["POST", `/v0/oauth/requests/${ticket}`, { allow: true }],
  createUser: () => ["POST", "/v0/users", { username: "late", password: "a late password" }],
  updateUser: () => ["PATCH", `/v0/users/${idOf("bob")}`, { plan: "pro" }],
};

function idOf(username: string): string {
  using sql = open();
  return (
    sql.query<{ id: string }, [string]>("SELECT id FROM user WHERE username = ?").get(username)?.id ?? ""
  );
}

function open(): Database {
  const sql = new Database(join(coffer.dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  return sql;
}

/** Everything that a write could have changed. */
function everything(): unknown {
  using sql = open();
  const tables = [
    "user",
    "drive",
    "drive_member",
    "folder",
    "file",
    "file_version",
    "trash",
    "trash_file",
    "snapshot",
    "webhook",
    "api_key",
    "presigned_link",
    "share_link",
    "upload_link",
    "claim_token",
    "oauth_grant",
  ];
  return tables.map((table) => sql.query(`SELECT * FROM ${table} ORDER BY 1`).all());
}

function adaKey(): Promise<{ client: Client; id: string }> {
  const { apiKeys } = coffer.appliance.services;
  return apiKeys
    .createFor("ada", "", "read-write")
    .then(({ secret, key }) => ({ client: coffer.client(secret), id: key.id }));
}

test("every write that takes a JSON body is tried below", async () => {
  const { operations } = await Description.of(coffer.client());
  const taking = operations
    .filter(({ path, hasBody, isGuarded }) => path.startsWith("/v0/") && hasBody && isGuarded)
    .map(({ id }) => id)
    // Its body is the content: see sessions.test.ts.
    .filter((id) => id !== "putFile");
  expect(Object.keys({ ...WRITES, ...BY_PATH, ...SIGNED_IN }).toSorted()).toEqual(taking.toSorted());
});

describe("a request whose body comes after its key was revoked changes nothing", () => {
  test.each(Object.entries({ ...WRITES, ...BY_PATH }))("%s", async (_, request) => {
    const { client, id } = await adaKey();
    const begun = await begin(client, ...request());
    await world.clients.ada.delete(`/v0/keys/${id}`);
    const before = everything();
    expect((await begun.complete()).status).toBe(401);
    expect(everything()).toEqual(before);
  });
});

describe("a request whose body comes after its session ended changes nothing", () => {
  test.each(Object.entries({ ...WRITES, ...SIGNED_IN }))("%s", async (_, request) => {
    const { browser } = beginSession(coffer, "ada");
    const begun = await begin(browser, ...request());
    expect((await browser.send("POST", "/auth/logout")).status).toBe(200);
    const before = everything();
    expect((await begun.complete()).status).toBe(401);
    expect(everything()).toEqual(before);
  });
});

const ENDS: readonly [how: string, end: (session: string) => Promise<unknown>][] = [
  ["signed out there", (session) => world.clients.ada.delete(`/v0/sessions/${session}`)],
  ["signed out everywhere", () => world.clients.ada.delete("/v0/sessions")],
  ["given another password", () => coffer.appliance.services.users.resetPassword("ada", "another password")],
];

test.each(ENDS)("a key asked for by a session that was %s is not made", async (_, end) => {
  const { id, browser } = beginSession(coffer, "ada");
  const begun = await begin(browser, "POST", "/v0/keys", {});
  await end(id);
  expect((await begun.complete()).status).toBe(401);
});

test("a key asked for with a drive's key is not made once the drive is deleted", async () => {
  const { data } = await coffer
    .client()
    .post<{ data: { api_key: string; drive_id: string } }>("/v0/drives/provision", { name: "Short-lived" });
  const agent = coffer.client(data.api_key);
  const begun = await begin(agent, "POST", "/v0/keys", {});
  await agent.delete(`/v0/drives/${data.drive_id}`);
  expect((await begun.complete()).status).toBe(401);
});

test("a disabled user's request that was on its way changes nothing", async () => {
  const begun = [
    await begin(world.clients.bob, "POST", "/v0/keys", {}),
    await begin(beginSession(coffer, "bob").browser, "POST", "/v0/keys", {}),
  ];
  const { browser: admin } = beginSession(coffer, "ada");
  const disabled = await admin.send("PATCH", `/v0/users/${idOf("bob")}`, { body: { disabled: true } });
  expect(disabled.status).toBe(200);
  const before = everything();
  const answers = await Promise.all(begun.map((each) => each.complete()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  expect(everything()).toEqual(before);
});

test("a report of use by a drive's key is refused once the drive is deleted", async () => {
  const own = await provision(coffer);
  const { apiKeys, drives, usage } = coffer.appliance.services;
  const caller = callerWith({ apiKeys }, own.key);
  // The report waits for the counts to be written, and they are written in one transaction with the deletion.
  const report = usage.report(caller).catch((error: unknown) => error);
  await drives.remove(caller, own.id);
  expect(await report).toMatchObject({ code: "UNAUTHORIZED" });
});
