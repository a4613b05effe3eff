import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { Description } from "../../support/schemas/description.ts";
import { pendingRequest } from "../../support/peers/oauth.ts";
import { fill, fillJson, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { byPath, HOOK, putIntoTrash, takeSnapshot } from "../../support/server/targets.ts";
import { populate, type World } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";

// The gate lets a caller in before the request's body is read, and a client may take as long over the body as
// it likes. Who is revoked, signed out or disabled meanwhile must not act any more.

let coffer: TestAppliance;
let world: World;
/** What the writes below name. */
let named: Readonly<Record<string, string>>;

beforeAll(async () => {
  coffer = await startAppliance();
  world = await populate(coffer);
  const { ada } = world.clients;
  const drive = world.drives.ada;
  // Nothing that happens here is what it is told of.
  const hook = { ...HOOK, events: ["drive.restored"] };
  named = {
    drive,
    file: world.files.ada,
    ticket: await pendingRequest(coffer),
    trash: await putIntoTrash(ada, drive, "deleted.txt"),
    snapshot: await takeSnapshot(ada, drive),
    webhook: (await ada.post<{ id: string }>("/v0/webhooks", hook)).id,
    bob: idOf("bob"),
    carol: world.carol,
  };
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

async function begin(sender: Sender, [request, body]: Write): Promise<Begun> {
  const [method = "", path = ""] = fill(request, named).split(" ");
  const text = JSON.stringify(fillJson(body, named));
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

type Write = readonly [request: string, body: Json];
const NEW_KEY: Write = ["POST /v0/keys", {}];

const FILE = "/v0/files/{file}";
const drive_id = "{drive}";
const moved = { drive_id, path: "notes/", destination_path: "late/" };

/** Every write that takes a JSON body, by its operationId, and what Ada asks with it. */
const WRITES: Readonly<Record<string, Write>> = {
  createDrive: ["POST /v0/drives", { name: "Late" }],
  updateDrive: ["PATCH /v0/drives/{drive}", { description: "Late" }],
  addMember: ["POST /v0/drives/{drive}/members", { username: "bob", role: "editor" }],
  updateMember: ["PATCH /v0/drives/{drive}/members/{carol}", { role: "editor" }],
  createSnapshot: ["POST /v0/drives/{drive}/snapshots", { name: "Late" }],
  claimDrive: ["POST /v0/drives/claim", { token: "clm_late" }],
  updateFile: [`PATCH ${FILE}`, { tags: ["late"] }],
  copyFile: [`POST ${FILE}/copy`, { destination_path: "late.txt" }],
  moveFile: [`POST ${FILE}/move`, { destination_path: "late.txt" }],
  deleteFiles: ["POST /v0/files/bulk-delete", { file_ids: ["{file}"] }],
  editFile: [`POST ${FILE}/edit`, { op: "append", text: "late" }],
  createPresignedUrl: [`POST ${FILE}/presigned-url`, {}],
  uploadFile: ["POST /v0/files", { drive_id, filename: "late.txt", content: "SGVsbG8=" }],
  createFolder: ["POST /v0/folders", { drive_id, path: "late/" }],
  deleteFolder: ["DELETE /v0/folders", { drive_id, path: "notes/", confirm: true }],
  moveFolder: ["POST /v0/folders/move", moved],
  copyFolder: ["POST /v0/folders/copy", moved],
  restoreTrashEntry: ["POST /v0/trash/{trash}/restore", { path: "late.txt" }],
  emptyTrash: ["DELETE /v0/trash", { drive_id, confirm: true }],
  createLink: ["POST /v0/links", { drive_id, path: "notes/" }],
  createUploadLink: ["POST /v0/upload-links", { drive_id, path: "late.txt" }],
  restoreSnapshot: ["POST /v0/drives/{drive}/snapshots/{snapshot}/restore", {}],
  forkDrive: ["POST /v0/drives/{drive}/fork", { name: "Late" }],
  createWebhook: ["POST /v0/webhooks", { url: "https://agent.example/late", events: ["*"] }],
  updateWebhook: ["PATCH /v0/webhooks/{webhook}", { events: ["file.deleted"] }],
  createKey: ["POST /v0/keys", { name: "Late" }],
};

/** Those about a file, which is named by its drive and path. */
const BY_PATH = Object.fromEntries(
  Object.entries(WRITES).flatMap(([id, [request, body]]): [string, Write][] =>
    request.includes(FILE) ? [[`${id}ByPath`, [byPath(request, "notes/hello.txt"), body]]] : [],
  ),
);

/** The same, for somebody who is signed in alone. */
const SIGNED_IN: typeof WRITES = {
  changePassword: ["POST /v0/account/password", { current: "ada's password", password: "a late password" }],
  decideAuthorizationRequest: ["POST /v0/oauth/requests/{ticket}", { allow: true }],
  createUser: ["POST /v0/users", { username: "late", password: "a late password" }],
  updateUser: ["PATCH /v0/users/{bob}", { plan: "pro" }],
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
    const { secret, key } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
    const begun = await begin(coffer.client(secret), request);
    await world.clients.ada.delete(`/v0/keys/${key.id}`);
    const before = everything();
    expect((await begun.complete()).status).toBe(401);
    expect(everything()).toEqual(before);
  });
});

describe("a request whose body comes after its session ended changes nothing", () => {
  test.each(Object.entries({ ...WRITES, ...SIGNED_IN }))("%s", async (_, request) => {
    const { browser } = beginSession(coffer, "ada");
    const begun = await begin(browser, request);
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
  const begun = await begin(browser, NEW_KEY);
  await end(id);
  expect((await begun.complete()).status).toBe(401);
});

test("a key asked for with a drive's key is not made once the drive is deleted", async () => {
  const { client, id } = await provision(coffer);
  const begun = await begin(client, NEW_KEY);
  await client.delete(`/v0/drives/${id}`);
  expect((await begun.complete()).status).toBe(401);
});

test("a disabled user's request that was on its way changes nothing", async () => {
  const begun = [
    await begin(world.clients.bob, NEW_KEY),
    await begin(beginSession(coffer, "bob").browser, NEW_KEY),
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
