import { afterAll, expect, test } from "bun:test";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { DescribedBody, DescribedOperation } from "../../support/schemas/description.ts";
import { Description } from "../../support/schemas/description.ts";
import { isObject, type JsonObject } from "../../support/schemas/json-schema.ts";
import { letIn } from "../../support/peers/oauth.ts";
import { operationOf, ROUTES } from "../../support/server/routes.ts";
import { fill } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { makeTarget, type Named } from "../../support/server/targets.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";
const URL_FORM_TYPE = "application/x-www-form-urlencoded";

/** What each example gives when it is sent as it is: its status, and what its answer says among other things. */
const CASES: readonly (readonly [id: string, type: string, status: number, answer: JsonObject])[] = [
  ["provisionDrive", JSON_TYPE, 201, { data: { drive_name: "Research Notes" } }],
  ["createDrive", JSON_TYPE, 201, { data: { name: "Research Notes", description: "" } }],
  ["updateDrive", JSON_TYPE, 200, { data: { name: "Mine" } }],
  ["claimDrive", JSON_TYPE, 200, { data: { expires_at: null } }],
  ["uploadFile", JSON_TYPE, 201, { path: "hello.txt", mime_type: "text/plain", expires_at: null }],
  ["uploadFile", FORM_TYPE, 201, { path: "hello.txt", content_preview: "Hello World!", expires_at: null }],
  ["putFile", "application/octet-stream", 201, { path: "notes/hello.txt", content_preview: "Hello World!" }],
  ["putFile", "*/*", 201, { path: "notes/hello.txt", content_preview: "Hello World!" }],
  ["updateFile", JSON_TYPE, 200, { path: "notes/2030/plan.md", tags: ["greeting"], expires_at: null }],
  ["copyFile", JSON_TYPE, 201, { path: "copies/plan.md" }],
  ["moveFile", JSON_TYPE, 200, { path: "archive/plan.md" }],
  ["editFile", JSON_TYPE, 200, { path: "notes/2030/plan.md", size: 25, diff_cut: false }],
  ["editFileByPath", JSON_TYPE, 200, { path: "notes/2030/plan.md", size: 25, diff_cut: false }],
  ["updateFileByPath", JSON_TYPE, 200, { path: "notes/2030/plan.md", tags: ["greeting"], expires_at: null }],
  ["copyFileByPath", JSON_TYPE, 201, { path: "copies/plan.md" }],
  ["moveFileByPath", JSON_TYPE, 200, { path: "archive/plan.md" }],
  ["addComment", JSON_TYPE, 201, { mentions: ["ada"], start_line: null }],
  ["addCommentByPath", JSON_TYPE, 201, { mentions: ["ada"] }],
  ["updateComment", JSON_TYPE, 200, { resolved_at: expect.any(String) }],
  ["labelVersion", JSON_TYPE, 200, { version: 1, label: "approved" }],
  ["labelVersionByPath", JSON_TYPE, 200, { version: 1, label: "approved" }],
  ["deleteFiles", JSON_TYPE, 200, { failed: [] }],
  ["readFiles", JSON_TYPE, 200, { files: [{ path: "notes/2030/plan.md" }], failed: [], left: [] }],
  ["writeFiles", "application/jsonl", 200, { created: 1, failed: 0 }],
  ["writeFiles", "application/x-ndjson", 200, { created: 1, failed: 0 }],
  ["createPresignedUrl", JSON_TYPE, 200, {}],
  ["createPresignedUrlByPath", JSON_TYPE, 200, {}],
  ["createUploadLink", JSON_TYPE, 201, {}],
  ["createLink", JSON_TYPE, 201, { kind: "folder", path: "notes/2030/" }],
  ["unlockShared", JSON_TYPE, 200, { unlocked: true }],
  ["createWebhook", JSON_TYPE, 201, { events: ["file.*", "folder.deleted"] }],
  ["updateWebhook", JSON_TYPE, 200, { disabled_at: null }],
  ["uploadByLink", "application/octet-stream", 201, { path: "notes/2030/by-link", size: 12 }],
  ["uploadByLink", "*/*", 201, { path: "notes/2030/by-link", content_preview: "Hello World!" }],
  ["createSnapshot", JSON_TYPE, 201, { data: { name: "Before the clean-up", automatic: false } }],
  ["forkDrive", JSON_TYPE, 201, { data: { name: "Research Notes, tried out" } }],
  ["restoreSnapshot", JSON_TYPE, 200, { data: { restored: true, path: "" } }],
  ["createFolder", JSON_TYPE, 200, { path: "notes/2030/" }],
  ["deleteFolder", JSON_TYPE, 200, { path: "notes/2030/", file_count: 1 }],
  ["restoreTrashEntry", JSON_TYPE, 200, { path: "notes/2030/gone", restored: true }],
  ["restoreTrashEntries", JSON_TYPE, 200, { results: [{ status: "failed" }] }],
  ["undo", JSON_TYPE, 200, { path: "notes/2030/plan.md", in_trash: true }],
  ["emptyTrash", JSON_TYPE, 200, { entry_count: 1 }],
  ["moveFolder", JSON_TYPE, 200, { path: "archive/2030/" }],
  ["copyFolder", JSON_TYPE, 201, { path: "copies/2030/" }],
  ["copyPath", JSON_TYPE, 200, { path: "copies/plan.md" }],
  ["movePath", JSON_TYPE, 200, { path: "archive/plan.md" }],
  ["addMember", JSON_TYPE, 201, { data: { username: "carl", role: "editor" } }],
  ["updateMember", JSON_TYPE, 200, { data: { username: "dora", role: "reader" } }],
  ["createKey", JSON_TYPE, 201, { scope: "read-write", drive_id: null }],
  ["decideAuthorizationRequest", JSON_TYPE, 200, { data: {} }],
  ["registerClient", JSON_TYPE, 201, { client_name: "app.example.com" }],
  ["getToken", URL_FORM_TYPE, 200, { token_type: "Bearer" }],
  ["revokeToken", URL_FORM_TYPE, 200, {}],
  ["createUser", JSON_TYPE, 201, { data: { username: "bob" } }],
  ["updateUser", JSON_TYPE, 200, { data: { plan: "pro", disabled: false } }],
  ["updateServer", JSON_TYPE, 200, { data: expect.anything() }],
  ["deleteUser", JSON_TYPE, 200, { deleted: true }],
  ["signUp", JSON_TYPE, 200, { data: { username: "carol" } }],
  ["logIn", JSON_TYPE, 200, { data: { username: "ada" } }],
  ["changePassword", JSON_TYPE, 200, { data: { changed: true } }],
  ["updateAccount", JSON_TYPE, 200, { data: { username: "ada", language: "de" } }],
  ["setUp", JSON_TYPE, 200, { data: { username: "ada" } }],
  ["mcp", JSON_TYPE, 200, { jsonrpc: "2.0", id: 1 }],
];

/** Bodies that no text can stand for. */
const ARCHIVES: readonly string[] = ["application/x-tar", "application/gzip", "application/zip"];

/** Fields that could be left out, and are what the example is about. */
const SHOWN_ALL_THE_SAME: Readonly<Record<string, readonly string[]>> = {
  movePath: ["drive_id", "path"],
  updateComment: ["resolved"],
  updateDrive: ["description"],
  updateFile: ["tags"],
  // One of two ways to name what is meant.
  deleteFiles: ["file_ids"],
  readFiles: ["drive_id", "paths"],
  undo: ["path"],
  // One edit instead of several, so its fields are not required.
  editFile: ["op", "text"],
  editFileByPath: ["op", "text"],
  updateFileByPath: ["tags"],
  updateUser: ["plan"],
  updateServer: ["keep_days"],
  updateWebhook: ["enabled"],
  // One of two ways to send the content.
  uploadFile: ["filename", "content"],
  // Without one it could not be told from others in the list.
  createKey: ["name"],
  createSnapshot: ["name"],
  // One of two things to exchange.
  getToken: ["refresh_token"],
  // They may be in the query instead.
  copyPath: ["drive_id", "path"],
  deleteFolder: ["drive_id", "path"],
  emptyTrash: ["drive_id"],
  // Without one it would be a notification.
  mcp: ["id"],
};

const coffer = await startAppliance({ signups: "open" });
const description = await Description.of(coffer.client());
const signingIn = bodyOf("logIn", JSON_TYPE).example;
if (!isObject(signingIn)) throw new Error("logIn has no example");
const [username, password] = [String(signingIn["username"]), String(signingIn["password"])];
await coffer.appliance.services.users.createFromShell(username, password);
/** The account that the examples sign in to, in a browser, and by a key. */
const ada = await signIn(coffer, username, password);
const key = await accountClient(coffer, username);
addAccount(coffer, "carl");
addAccount(coffer, "dora");
afterAll(() => coffer[Symbol.asyncDispose]());

/** The bodies of all operations, each with its operation. */
function bodies(): (readonly [DescribedOperation, DescribedBody])[] {
  return description.operations.flatMap((operation) =>
    description.requestBodies(operation).map((body) => [operation, body] as const),
  );
}

function bodyOf(id: string, type: string): DescribedBody {
  const [, body] = bodies().find(([operation, each]) => operation.id === id && each.type === type) ?? [];
  if (body === undefined) throw new Error(`${id} takes no ${type}`);
  return body;
}

/** Makes a drive of Ada's, in it the file `notes/2030/plan.md`, and what else the operation's request names. */
async function makeNamed(operation: DescribedOperation): Promise<Named> {
  const { id: drive } = await key.makeDrive("Mine");
  const dora = { username: "dora", role: "reader" };
  const { data } = await key.post<{ data: { user_id: string } }>(`/v0/drives/${drive}/members`, dora);
  const place = { coffer, client: key, drive, path: "notes/2030/plan.md", world: { carol: data.user_id } };
  const [request = "", , more] =
    ROUTES.find(([each]) => operationOf(description, each) === operation) ?? ([] as const);
  const path = request.split(/[ ?]/)[1] ?? operation.path;
  const named = await makeTarget(place, JSON.stringify([request, more]));
  return { ...named, path: fill(path, named) };
}

/** An example, with what is real in the place of what it names. */
function filled(example: JsonObject, real: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, real[name] ?? value]));
}

/** An example as a body of its type. */
function encoded({ type, example, files }: DescribedBody, real: JsonObject): string | FormData {
  if (!isObject(example)) return String(example);
  const values = filled(example, real);
  if (type === URL_FORM_TYPE) {
    const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
    return new URLSearchParams(Object.fromEntries(texts)).toString();
  }
  if (type !== FORM_TYPE) return JSON.stringify(values);
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    if (files.includes(name)) form.append(name, new File([String(value)], "hello.txt"));
    else form.append(name, String(value));
  }
  return form;
}

test.each(CASES)("the example of %s, as %s, is answered with %i", async (id, type, status, answer) => {
  // They take a server without an account.
  await using fresh = ["setUp", "mcp"].includes(id) ? await startAppliance() : null;
  const operation = description.operation(id);
  const { drive, file, claim, path = "" } = await makeNamed(operation);
  const { clientId, refreshToken } = await letIn(coffer, ada);
  const setup = new URL(fresh?.appliance.setupLink ?? "http://none").searchParams.get("token");
  const ids = { drive_id: drive, file_ids: [file], client_id: clientId, refresh_token: refreshToken };
  const real = { ...ids, token: setup ?? claim };
  // As from a page of the server's, by Ada where somebody has to be signed in.
  const { url: origin } = (fresh ?? coffer).appliance;
  const address = new URL(path, origin);
  for (const [name, value] of Object.entries(filled(description.exampleQuery(operation), real))) {
    address.searchParams.set(name, String(value));
  }
  const headers = new Headers({ origin, ...(operation.isGuarded ? { cookie: ada.cookie } : {}) });
  if (type !== FORM_TYPE) headers.set("content-type", type.replace("*/*", "text/plain"));
  const body = encoded(bodyOf(id, type), real);
  const response = await fetch(address, { method: operation.method, headers, body });
  const text = await response.text();
  expect([response.status, text]).toEqual([status, text]);
  // A revocation has no body.
  expect(JSON.parse(text || "{}")).toMatchObject(answer);
});

test("every body has an example, and each is sent above", () => {
  const all = bodies().filter(([, { type }]) => !ARCHIVES.includes(type));
  expect(all.filter(([, { example }]) => example === undefined)).toEqual([]);
  const named = all.map(([{ id }, { type }]) => `${id} ${type}`);
  expect(named.toSorted()).toEqual(CASES.map(([id, type]) => `${id} ${type}`).toSorted());
});

test("an example leaves out what can be left out, unless it is about that", () => {
  const optional = bodies().map(([{ id }, body]) => [id, body.optional] as const);
  expect(Object.fromEntries(optional.filter(([, names]) => names.length > 0))).toEqual(SHOWN_ALL_THE_SAME);
});
