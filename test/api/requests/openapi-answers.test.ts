import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  EXTRACT_JSON_BYTES,
  KEYS,
  RECORD_ROOM_BYTES,
  SNAPSHOTS,
  WEBHOOKS,
} from "../../../src/domain/limits.ts";
import { THUMBNAIL_LIMITS } from "../../../src/domain/contents/thumbnail.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json, RequestOptions } from "../../support/server/client.ts";
import { CookieJar } from "../../support/server/cookie-jar.ts";
import type { DescribedOperation } from "../../support/schemas/description.ts";
import { isObject } from "../../support/schemas/json-schema.ts";
import { letIn, REDIRECT_URI } from "../../support/peers/oauth.ts";
import { CLIENT, signInThere, startRealProvider } from "../../support/peers/real-provider.ts";
import { expectCommonRules, fill, fillJson, provision } from "../../support/server/scenario.ts";
import { type Code, NOWHERE, STATUS_OF } from "../../support/server/steps.ts";
import { FORM_TYPE, formOf, HELLO, HELLO_DIGEST } from "../../support/server/uploads.ts";
import { holdRequest, idempotencyKey } from "../../support/server/held-request.ts";
import { beginSession, browserWith, sessionIn } from "../../support/server/sign-in.ts";
import { CALLERS, type CallerName, populate, type World } from "../../support/server/world.ts";
import { describedApi, operationOf, ROUTES, successOf } from "../../support/server/routes.ts";
import type { Named, Target } from "../../support/server/targets.ts";
import {
  deleteMany,
  HOOK,
  linkUpload,
  makeTarget,
  putIntoTrash,
  takeSnapshot,
} from "../../support/server/targets.ts";

const description = await describedApi();

/** A request to an operation: by default to its path, with nothing real in the place of its parameters. */
interface Request extends RequestOptions {
  readonly address?: string;
  readonly query?: Named;
}

/**
 * A request, such as `bob listLinks?limit=1`, by default of Ada, or by `session` of her signed in; and a status of
 * success, or the code of a refusal. In braces stands what is named; what the path names, as in `ROUTES`.
 */
type Case = readonly [request: string, gives: number | Code, more?: More];

interface More {
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** What else is meant by names. */
  readonly on?: Named;
  /** Asked before by the same caller, so that this one is refused. */
  readonly again?: true;
}

const HELLO_TEXT = "Hello World!";
/** The cursor of a change that has not happened. */
const NEVER = Buffer.from("999999999\n0").toString("base64url");
const MAX_FILE_SIZE = 1000;
const FULL = "x".repeat(MAX_FILE_SIZE);
const PAST_ANY_LIMIT = " ".repeat(2 * 1024 * 1024);
const ROOM_FOR_ONE = { "max-file-size": String(MAX_FILE_SIZE), "storage-limits": `free=${MAX_FILE_SIZE}` };

/** Codes that the cases do not meet at each operation: their one answer is asked for at one. */
const RARE: readonly string[] = ["INTERNAL", "STORAGE_FULL", "IDEMPOTENCY_IN_PROGRESS", "REQUEST_TIMEOUT"];
/** A code that takes a server with a broken disk: it is met elsewhere. */
const BROKEN = "UNAVAILABLE";
/** What takes a flood of people who set up at once; others give this refusal too. */
const FLOODED = "setUp RATE_LIMITED";

let provider: Awaited<ReturnType<typeof startRealProvider>>;
let coffer: TestAppliance;
let world: World;
/** What stands in no target. */
let others: Named;
/** What Bob means, whose drive is as full as it may be, and the agent. */
let own: Partial<Record<CallerName, Named>>;
/** The drive and path of files that are in no target, by their ids. */
const places = new Map<string, { readonly drive: string; readonly path: string }>();
/** The operations with what they were seen to answer, as `getFile 200` or `getFile NOT_FOUND`. */
const seen = new Set<string>();

beforeAll(async () => {
  provider = await startRealProvider();
  coffer = await startAppliance({
    // No directory: one is begun, and fails.
    backup: "/dev/null",
    ...ROOM_FOR_ONE,
    signups: "open",
    "oidc-issuer": provider.issuer,
    "oidc-client-id": CLIENT.id,
    "oidc-client-secret": CLIENT.secret,
  });
  provider.open(`${coffer.appliance.baseUrl}/auth/oidc/callback`);
  world = await populate(coffer);
  const { bob } = world.clients;
  others = {
    // Files of Ada's that no text can be read from.
    picture: await putNote("a.png"),
    brokenJson: await putNote("a.json"),
    longJson: await putNote("long.json"),
    cutPicture: await putNote("cut.gif", "GIF89a"),
    longPicture: await putNote("long.png"),
    noText: await putNote("a.txt", "\0"),
    /** A link that shows these. */
    oddShare: await linkTo("", world.drives.ada),
    bobsUpload: await linkUpload(bob, world.drives.bob, "by-link"),
    ...(await makeBlocked()),
  };
  // A file of the drive has the same content.
  const trash = await putIntoTrash(bob, world.drives.bob, "gone", HELLO_TEXT);
  await bob.put(world.drives.bob, "rest", FULL.slice(HELLO_TEXT.length));
  // As many of each as there may be.
  await Promise.all(Array.from({ length: KEYS.drive }, () => bob.makeKey({ drive_id: world.drives.bob })));
  await Promise.all(Array.from({ length: SNAPSHOTS.taken }, () => takeSnapshot(bob, world.drives.bob)));
  const path = "notes/hello.txt";
  const bobs = { drive: world.drives.bob, file: world.files.bob, path, trash, delivery: NOWHERE };
  own = { agent: { drive: world.drives.agent }, bob: { ...bobs, webhook: await fillWithWebhooks() } };
  const full = `UPDATE drive SET record_size = ${RECORD_ROOM_BYTES} WHERE id = '${world.drives.bob}'`;
  changeDatabase(coffer.dataDir, full);
  // Only their sizes are looked at.
  for (const [name, most] of [
    ["longJson", EXTRACT_JSON_BYTES],
    ["longPicture", THUMBNAIL_LIMITS.inputBytes],
  ] as const) {
    changeDatabase(coffer.dataDir, `UPDATE file SET size = ${most + 1} WHERE id = '${others[name]}'`);
  }
});
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** A link that shows a folder of Ada's; its token. */
async function linkTo(path: string, drive_id: string, more: { [name: string]: Json } = {}): Promise<string> {
  const { ada } = world.clients;
  return (await ada.post<{ token: string }>("/v0/links", { drive_id, path, ...more })).token;
}

/** Uploads text under any name to Ada's drive; the file's id. */
async function putNote(path: string, body = HELLO_TEXT): Promise<string> {
  const { id } = await world.clients.ada.put(world.drives.ada, path, body);
  places.set(id, { drive: world.drives.ada, path });
  return id;
}

function addressOf({ path }: DescribedOperation): string {
  return path.replaceAll(/\{\w+\}/g, NOWHERE);
}

/** Sends a request, and expects the answer to be what is asked for, as it is described, and as every answer is. */
async function send(
  client: Client,
  operation: DescribedOperation,
  gives: number | Code,
  address: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const headers = { ...options.headers, "x-request-id": "mine" };
  const answer = await client.send(operation.method, address, { ...options, headers });
  const status = typeof gives === "number" ? gives : STATUS_OF[gives];
  const what = `${operation.method} ${address}`;
  expect([what, answer.status, answer.status === status ? "" : answer.text]).toEqual([what, status, ""]);
  expect([what, description.answerFaults(operation, answer)]).toEqual([what, []]);
  expect([what, answer.headers.get("x-request-id")]).toEqual([what, "mine"]);
  if (operation.path.startsWith("/v0")) expectCommonRules(operation.method, answer);
  if (typeof gives !== "number") {
    const error: unknown = operation.path.startsWith("/oauth/") ? expect.any(String) : { code: gives };
    expect(JSON.parse(answer.text)).toMatchObject({ error });
  }
  seen.add(`${operation.id} ${gives}`);
  return answer;
}

/** Asks an operation; a write that succeeds is asked again under its Idempotency-Key, and then otherwise. */
async function ask(client: Client, id: string, gives: number | Code, request: Request = {}): Promise<Answer> {
  const operation = description.operation(id);
  const { query = {}, address: to = addressOf(operation), ...sent } = request;
  const address = `${to}?${new URLSearchParams(query).toString()}`.replace(/\?$/, "");
  if (typeof gives !== "number") return send(client, operation, gives, address, sent);
  if (isObject(sent.body)) expect(description.requestFaults(operation, sent.body)).toEqual([]);
  if (!operation.parameters.header.includes("Idempotency-Key")) {
    return send(client, operation, gives, address, sent);
  }
  const options = { ...sent, headers: { ...sent.headers, ...idempotencyKey() } };
  const answer = await send(client, operation, gives, address, options);
  const again = await send(client, operation, gives, address, options);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const other = address + (address.includes("?") ? "&other" : "?other");
  const headers = { ...options.headers, ...LENIENT };
  await send(client, operation, "IDEMPOTENCY_KEY_REUSED", other, { ...options, headers });
  return answer;
}

/** A drive of Ada's with a file `a`, and a snapshot of it with a folder `a/b/`. */
async function makeBlocked(): Promise<Named> {
  const { ada } = world.clients;
  const { id } = await ada.makeDrive("Blocked");
  await ada.put(id, "a/b/f", HELLO_TEXT);
  const blockedSnapshot = await takeSnapshot(ada, id);
  await ada.delete("/v0/folders", { drive_id: id, path: "a/", confirm: true });
  await ada.put(id, "a", HELLO_TEXT);
  await ada.patch(`/v0/files/${await ada.store(id, "retagged", HELLO_TEXT)}`, { tags: ["a"] });
  return { blockedDrive: id, blockedSnapshot };
}

/** Makes as many webhooks of Bob's as there may be. Returns one, which is disabled. */
async function fillWithWebhooks(): Promise<string> {
  const { bob } = world.clients;
  let id = "";
  for (let n = 0; n < WEBHOOKS.each.claimed; n += 1) {
    ({ id } = await bob.post<{ id: string }>("/v0/webhooks", HOOK));
  }
  await bob.patch(`/v0/webhooks/${id}`, { enabled: false });
  return id;
}

/** What Ada has, made for one case: in her drive `dir/hello.txt`, "Hello World!", and `dir/other`; and what is mentioned. */
async function prepare(mentioned: string): Promise<Target> {
  const client = world.clients.ada;
  const { id: drive } = await client.makeDrive("Target");
  await client.put(drive, "dir/other", HELLO_TEXT);
  const rest: Record<string, string> = {};
  for (const [name, make] of Object.entries(RARELY)) {
    if (mentioned.includes(`{${name}}`)) rest[name] = await make(drive);
  }
  const place = { coffer, world, client, drive, path: "dir/hello.txt" };
  return { ...(await makeTarget(place, mentioned)), ...rest };
}

/** What few cases are about. */
const RARELY: Readonly<Record<string, (drive: string) => Promise<string>>> = {
  // Links that show the folder: they have a password, or have expired.
  locked: (drive) => linkTo("dir/", drive, { password: "open sesame" }),
  over: async (drive) => {
    const token = await linkTo("dir/", drive);
    const id = "SELECT id FROM share_link ORDER BY id DESC LIMIT 1";
    changeDatabase(coffer.dataDir, `UPDATE share_link SET expires_at = 1 WHERE id = (${id})`);
    return token;
  },
  // Links to upload to, by what becomes of that.
  replacing: (drive) => linkUpload(world.clients.ada, drive, "dir/other"),
  blocked: (drive) => linkUpload(world.clients.ada, drive, "dir/other/x"),
  fullClaim: makeClaim,
  oldBatch: makeOldBatch,
};

/** A batch of which a change is not kept any more. */
async function makeOldBatch(drive: string): Promise<string> {
  const batch = await deleteMany(world.clients.ada, drive, "dir/old");
  changeDatabase(coffer.dataDir, `DELETE FROM change WHERE batch = '${batch}' AND file_id IS NOT NULL`);
  return batch;
}

/** A claim token of an agent's drive, which holds as much as Bob may store in all. */
async function makeClaim(): Promise<string> {
  const { id, client, claimToken } = await provision(coffer);
  await client.put(id, "full", FULL);
  return claimToken;
}

/** A message for the MCP server. */
function message(method: string, params: { [name: string]: Json } = {}): More {
  return { body: { jsonrpc: "2.0", id: 1, method, params } };
}

const drive_id = "{drive}";
const ATTRIBUTES = { tags: ["a"], metadata: { a: { b: [1] } }, expires_at: "2099-01-01T00:00:00Z" };
const UPLOAD = { drive_id, filename: "new.txt", content: HELLO };
const APPEND = { op: "append", text: "!" };
const WHOLE = { drive_id, path: "dir/" };

const IF_NEW = { headers: { "if-none-match": `"${HELLO_DIGEST}"` } };
const IF_NONE = { headers: { "if-none-match": "*" } };

/** A form that puts other content over `dir/hello.txt`. */
const FORM: More = {
  body: formOf(
    ['name="drive_id"', drive_id],
    ['name="path"', "dir/hello.txt"],
    ['name="file"; filename="hello.txt"', "Hello!"],
  ),
  headers: FORM_TYPE,
};

/** Beside those of `ROUTES`. */
const SUCCESSES: readonly Case[] = [
  ["agent listDrives", 200],
  ["listDrives?slug=ada/notes", 200],
  ["updateDrive", 200, { body: { name: "N", description: "D" } }],
  ["createSnapshot", 201, { body: { name: "Taken" } }],
  ["forkDrive", 201, { body: { name: "Fork", snapshot_id: "{snapshot}" } }],
  ["compareSnapshot?limit=1", 200, { on: { drive: "{blockedDrive}", snapshot: "{blockedSnapshot}" } }],
  ["restoreSnapshot", 200, { body: { path: "dir/" } }],
  ["listTrash?drive_id={drive}&prefix=g&limit=1", 200],
  ["restoreTrashEntry", 200],
  ["emptyTrash", 200, { body: { drive_id } }],
  ["addMember", 200, { body: { username: "carol", role: "reader" } }],
  ["listFiles?drive_id={drive}&delimiter=/&limit=1", 200],
  ["listFiles?drive_id={drive}&prefix=dir/&limit=1&page=2&tags=", 200],
  ["listFiles?drive_id={drive}&prefix=dir/&delimiter=/&sort=-size&limit=1", 200],
  [
    "uploadFile",
    201,
    { body: { ...UPLOAD, filename: "b", path: "a/b", content_type: "image/png", ...ATTRIBUTES } },
  ],
  ["uploadFile", 200, FORM],
  ["putFile?drive_id={drive}&path=dir/hello.txt", 200, { body: HELLO_TEXT }],
  ["getFile", 304, IF_NONE],
  ["updateFile", 200, { body: { filename: "f", path: "p/f", ...ATTRIBUTES } }],
  [
    "copyFile",
    201,
    { body: { destination_path: "copy.txt", destination_drive_id: "ada/notes", overwrite: true } },
  ],
  ["downloadVersion", 304, IF_NONE],
  ["compareVersions", 200],
  ["compareVersions?from=2&to=1", 200],
  ["downloadFile?inline=1", 200],
  ["downloadFile", 304, IF_NEW],
  ["getThumbnail", 304, { ...IF_NONE, on: { file: "{cutPicture}" } }],
  ["nobody getSharedThumbnail?path=cut.gif", 304, { ...IF_NONE, on: { share: "{oddShare}" } }],
  ["downloadArchive?drive_id={drive}&path=dir/", 200],
  ["readText?max_bytes=3", 200],
  ["editFile", 200, { body: { edits: [{ op: "insert", line: 0, text: "!" }], dry_run: true } }],
  ["mcp", 200, message("tools/list")],
  ["mcp", 200, message("tools/call", { name: "list_drives" })],
  ["mcp", 202, { body: { jsonrpc: "2.0", method: "notifications/initialized" } }],
  ["createPresignedUrl", 200],
  ["createPresignedUrl", 200, { body: { expires_in: 1, one_time: true } }],
  ["nobody downloadByLink", 304, IF_NEW],
  ["createUploadLink", 201, { body: { drive_id, path: "a/b", max_size: 10, expires_in: 1 } }],
  ["nobody uploadByLink", 200, { body: HELLO_TEXT, on: { upload: "{replacing}" } }],
  ["agent createLink", 201, { body: { drive_id, path: "/", password: "open sesame" } }],
  ["agent createWebhook", 201, { body: HOOK }],
  ["updateWebhook", 200, { body: { enabled: false } }],
  ["bob listLinks?limit=1", 200],
  ["nobody downloadShared?path=hello.txt", 304, IF_NEW],
  ["searchFiles?min_size=0&limit=1", 200],
  ["grepFiles?pattern=Hello&context=1", 200],
  ["listChanges?drive_id={drive}&limit=2", 200],
  ["listChanges?sort=-id&cursor=latest", 200],
  ["listFolders?drive_id={drive}&limit=1", 200],
  ["createFolder", 200, { body: WHOLE }],
  ["createKey", 201, { body: { name: "N", scope: "read-only", drive_id } }],
  ["bob getAccount", 200],
  ["agent getUsage", 200],
  ["nobody getSignInOptions", 200],
  ["nobody checkSetup?token=x", 200],
  ["nobody logIn", 200, { body: { username: "ada", password: "ada's password" } }],
  ["nobody signUp", 200, { body: { username: "grace", password: "long enough" } }],
  ["nobody logOut", 200],
  ["nobody startOidc?return_to=/docs", 303],
];

const OF_SHARED = [
  "getShared",
  "listSharedFiles",
  "downloadShared",
  "extractShared",
  "getSharedThumbnail",
  "downloadSharedArchive",
];

/** What takes more of Bob's drive than there is left. */
const FULL_FOR_BOB = [
  "copyFile",
  "moveFile",
  "createPresignedUrl",
  "editFile",
  "createUploadLink",
  "createWebhook",
  "createFolder",
  "forkDrive",
  "createSnapshot",
];

/** Files that are written all or not at all. */
function atOnce(by = ""): string {
  return `${by}writeFiles?drive_id={drive}&atomic=true`;
}

function line(fields: { [name: string]: Json }): More {
  const body = JSON.stringify({ text: HELLO_TEXT, ...fields });
  return { body, headers: { "content-type": "application/jsonl" } };
}

/** Beside what `byHeader` and `inNoDrive` make. What they do not say is as in `ROUTES`. */
const REFUSALS: readonly Case[] = [
  // First: another write of Bob's has his trash pruned.
  ["bob restoreTrashEntry", "QUOTA_EXCEEDED"],
  ["bob undo", "QUOTA_EXCEEDED", { body: { drive_id, path: "gone" } }],
  ["undo", "CONFLICT", { body: { drive_id: "{blockedDrive}", path: "retagged" } }],
  ["undo", "GONE", { body: { drive_id, batch_id: "{oldBatch}" } }],
  ...FULL_FOR_BOB.map((id): Case => [`bob ${id}`, "QUOTA_EXCEEDED"]),
  ["adaDrive getAccount", "FORBIDDEN"],
  ["adaDrive listSessions", "FORBIDDEN"],
  ["updateAccount", "FORBIDDEN"],
  ["listUsers", "FORBIDDEN"],
  ["adaDrive listUsageDays", "FORBIDDEN"],
  ["adaDrive listUsageKinds", "FORBIDDEN"],
  ["listServerUsageDays", "FORBIDDEN"],
  ["listServerUsageDrives", "FORBIDDEN"],
  ["listServerUsageKinds", "FORBIDDEN"],
  ["listAddresses", "FORBIDDEN"],
  ["listAuditEvents", "FORBIDDEN"],
  ["getServer", "FORBIDDEN"],
  ["startBackup", "FORBIDDEN"],
  ["session startBackup", "CONFLICT", { again: true }],
  ["session updateServer", "CONFLICT", { body: { rate_limits: "free=1" } }],
  ["listNews", "FORBIDDEN"],
  ["session listNews?drive_id=none", "NOT_FOUND"],
  ["showLinkUrl", "FORBIDDEN"],
  ["getAuthorizationRequest", "FORBIDDEN"],
  ["session createUser", "CONFLICT", { body: { username: "ada", password: "long enough" } }],
  ["claimDrive", "NOT_FOUND", { body: { token: "clm_none" } }],
  ["claimDrive", "CONFLICT", { body: { token: "{claim}" }, again: true }],
  ["bob claimDrive", "QUOTA_EXCEEDED", { body: { token: "{fullClaim}" } }],
  ["addMember", "CONFLICT", { body: { username: "ada", role: "reader" } }],
  ["downloadArchive?drive_id={drive}&path=none", "NOT_FOUND"],
  ["uploadFile", "CONFLICT", { body: { ...UPLOAD, filename: "x", path: "dir/other/x" } }],
  [
    "uploadFile",
    "PRECONDITION_FAILED",
    { body: { ...UPLOAD, filename: "other", path: "dir/other" }, ...IF_NONE },
  ],
  ["bob uploadFile", "QUOTA_EXCEEDED", { body: { ...UPLOAD, content: btoa(FULL) } }],
  ["putFile?drive_id={drive}&path=dir/other/x", "CONFLICT", { body: HELLO_TEXT }],
  ["bob putFile?drive_id={drive}&path=new.txt", "QUOTA_EXCEEDED", { body: FULL }],
  [atOnce(), "CONFLICT", line({ path: "dir/other/x" })],
  [atOnce(), "PRECONDITION_FAILED", line({ path: "dir/other", only_create: true })],
  [atOnce(), "PAYLOAD_TOO_LARGE", line({ path: "new", text: `${FULL}x` })],
  [atOnce("bob "), "QUOTA_EXCEEDED", line({ path: "new", text: FULL })],
  ["updateFile", "CONFLICT", { body: { path: "dir/other" } }],
  ["bob updateFile", "QUOTA_EXCEEDED", { body: { metadata: { more: "x" } } }],
  ["copyFile", "CONFLICT", { body: { destination_path: "dir/other" } }],
  ["moveFile", "CONFLICT", { body: { destination_path: "dir/other" } }],
  ["editFile", "CONFLICT", { body: { op: "str_replace", old_string: "none", new_string: "" } }],
  ["editFile", "UNSUPPORTED_MEDIA_TYPE", { body: APPEND, on: { file: "{picture}" } }],
  ["editFile", "EXTRACTION_FAILED", { body: APPEND, on: { file: "{noText}" } }],
  ["addComment", "EXTRACTION_FAILED", { on: { file: "{noText}" } }],
  ["readText", "UNSUPPORTED_MEDIA_TYPE", { on: { file: "{picture}" } }],
  ["readText", "EXTRACTION_FAILED", { on: { file: "{noText}" } }],
  ["nobody mcp", "UNAUTHORIZED", message("tools/call", { name: "list_drives" })],
  ["adaReader mcp", "FORBIDDEN", message("tools/call", { name: "delete" })],
  ["compareVersions?from=1&to=1", "UNSUPPORTED_MEDIA_TYPE", { on: { file: "{picture}" } }],
  ["compareVersions?from=1&to=1", "EXTRACTION_FAILED", { on: { file: "{noText}" } }],
  ["compareVersions?from=1&to=1", "PAYLOAD_TOO_LARGE", { on: { file: "{longJson}" } }],
  ...["extractFile", "getExtract"].flatMap((operation): Case[] => [
    [operation, "UNSUPPORTED_MEDIA_TYPE", { on: { file: "{picture}" } }],
    [operation, "EXTRACTION_FAILED", { on: { file: "{brokenJson}" } }],
    [operation, "PAYLOAD_TOO_LARGE", { on: { file: "{longJson}" } }],
  ]),
  ["nobody extractShared?path=a.png", "UNSUPPORTED_MEDIA_TYPE", { on: { share: "{oddShare}" } }],
  ["nobody extractShared?path=a.json", "EXTRACTION_FAILED", { on: { share: "{oddShare}" } }],
  ["nobody extractShared?path=long.json", "PAYLOAD_TOO_LARGE", { on: { share: "{oddShare}" } }],
  ["getThumbnail", "UNSUPPORTED_MEDIA_TYPE", { on: { file: "{noText}" } }],
  ["getThumbnail", "EXTRACTION_FAILED", { on: { file: "{cutPicture}" } }],
  ["getThumbnail", "PAYLOAD_TOO_LARGE", { on: { file: "{longPicture}" } }],
  ["nobody getSharedThumbnail?path=a.txt", "UNSUPPORTED_MEDIA_TYPE", { on: { share: "{oddShare}" } }],
  ["nobody getSharedThumbnail?path=cut.gif", "EXTRACTION_FAILED", { on: { share: "{oddShare}" } }],
  ["nobody getSharedThumbnail?path=long.png", "PAYLOAD_TOO_LARGE", { on: { share: "{oddShare}" } }],
  ["nobody downloadByLink", "GONE", { again: true }],
  ["bob createLink", "QUOTA_EXCEEDED", { body: { drive_id, path: "/" } }],
  ["bob testWebhook", "CONFLICT"],
  ["resendWebhookDelivery", "NOT_FOUND", { on: { delivery: NOWHERE } }],
  ["bob resendWebhookDelivery", "CONFLICT"],
  ...OF_SHARED.flatMap((operation): Case[] => [
    [`nobody ${operation}`, "UNAUTHORIZED", { on: { share: "{locked}" } }],
    [`nobody ${operation}`, "GONE", { on: { share: "{over}" } }],
  ]),
  ["nobody unlockShared", "UNAUTHORIZED", { body: { password: "x" }, on: { share: "{locked}" } }],
  ["nobody unlockShared", "GONE", { body: { password: "x" }, on: { share: "{over}" } }],
  ["nobody uploadByLink", "GONE", { body: HELLO_TEXT, on: { upload: "{replacing}" }, again: true }],
  ["nobody uploadByLink", "CONFLICT", { body: HELLO_TEXT, on: { upload: "{blocked}" } }],
  [
    "nobody uploadByLink",
    "PRECONDITION_FAILED",
    { body: HELLO_TEXT, on: { upload: "{replacing}" }, ...IF_NONE },
  ],
  ["nobody uploadByLink", "QUOTA_EXCEEDED", { body: FULL, on: { upload: "{bobsUpload}" } }],
  [`listChanges?cursor=${NEVER}`, "GONE"],
  ["listFolders?drive_id={drive}&path=none/", "NOT_FOUND"],
  ["createFolder", "CONFLICT", { body: { drive_id, path: "dir/other/" } }],
  [
    "bob moveFolder",
    "QUOTA_EXCEEDED",
    { body: { drive_id, path: "notes/", destination_path: "new/moved/" } },
  ],
  ["moveFolder", "CONFLICT", { body: { ...WHOLE, destination_path: "dir/" } }],
  ["copyFolder", "CONFLICT", { body: { ...WHOLE, destination_path: "dir/inside/" } }],
  ["bob copyFolder", "QUOTA_EXCEEDED", { body: { drive_id, path: "notes/", destination_path: "copied/" } }],
  ["movePath", "CONFLICT", { body: { ...WHOLE, destination_path: "dir/inside/" } }],
  ["copyPath", "CONFLICT", { body: { ...WHOLE, destination_path: "dir/inside/" } }],
  ["deleteFiles", "NOT_FOUND", { body: { drive_id: NOWHERE, paths: ["a"] } }],
  ["deleteFolder", "NOT_FOUND", { body: { drive_id, path: "none/" } }],
  ["restoreTrashEntry", "CONFLICT", { body: { path: "dir/other" } }],
  [
    "restoreSnapshot",
    "CONFLICT",
    { body: { path: "a/b/" }, on: { drive: "{blockedDrive}", snapshot: "{blockedSnapshot}" } },
  ],
  ["bob createKey", "QUOTA_EXCEEDED", { body: { drive_id } }],
  ["nobody logIn", "UNAUTHORIZED", { body: { username: "ada", password: "wrong" } }],
  ["nobody signUp", "CONFLICT", { body: { username: "ada", password: "long enough" } }],
  ["nobody setUp", "GONE", { body: { token: "x", username: "ada", password: "long enough" } }],
];

/** What a request names: its target's, or its caller's own. */
function namedBy(as: CallerName | "session", target: Named, { on = {} }: More): Named {
  const named = { ...others, ...target, ...(as === "session" ? {} : own[as]) };
  const meant = Object.entries(on).map(([name, text]) => [name, fill(text, named)]);
  return { ...named, ...Object.fromEntries(meant) };
}

/** What a key may not ask, only somebody signed in. */
const SIGNED_IN = ROUTES.filter(([, , more]) => more?.by === "session").map(
  ([request]) => operationOf(description, request).id,
);

/** A case, with the request that `ROUTES` has to its operation. */
interface Asked {
  readonly id: string;
  /** Or Ada, signed in. */
  readonly as: CallerName | "session";
  readonly request: string;
  readonly gives: number | Code;
  readonly more: More;
}

const ROUTED = ROUTES.map((row): Asked => {
  const [request, , { by, ...more } = {}] = row;
  const { id } = operationOf(description, request);
  return { id, as: by ?? "ada", request, gives: successOf(row), more };
});

/** The first request to each operation, by its operationId. */
const FIRSTS = new Map(ROUTED.map((asked) => [asked.id, asked] as const).toReversed());

function parsed([asked, gives, more = {}]: Case): Asked[] {
  const [words = "", query] = asked.split("?");
  const [name = "", by = "ada"] = words.split(" ").toReversed();
  const as = by === "session" ? by : (CALLERS.find((caller) => caller === by) ?? "ada");
  const ids = FIRSTS.get(name)?.request.includes("/v0/files/{file}") ? [name, `${name}ByPath`] : [name];
  return ids.map((id) => {
    const { method, path } = description.operation(id);
    const first = FIRSTS.get(id);
    const [way, usual] = (first?.request ?? `${method} ${path}`).split("?");
    const isRefused = typeof gives !== "number";
    const place = id.endsWith("ByPath") ? "&drive_id={drive}&path={path}" : "";
    const asUsual = isRefused && query === undefined ? usual : `${query ?? ""}${place}`;
    const { body = isRefused ? first?.more.body : undefined } = more;
    return {
      id,
      as,
      request: `${way}?${asUsual ?? ""}`,
      gives,
      more: { ...more, ...(body === undefined ? {} : { body }) },
    };
  });
}

/** What is answered for some headers by each operation that takes one of this name. */
const BY_HEADER: readonly (readonly [name: string, headers: Record<string, string>, gives: number | Code])[] =
  [
    ["If-Match", { "if-match": '"0"' }, "PRECONDITION_FAILED"],
    ["Range", { range: "bytes=0-1" }, 206],
    ["Range", { range: "bytes=99-" }, "RANGE_NOT_SATISFIABLE"],
    ["Range", { "sec-fetch-dest": "script" }, "FORBIDDEN"],
  ];

function byHeader(asked: Asked): Asked[] {
  const { header } = description.operation(asked.id).parameters;
  return BY_HEADER.filter(([name]) => header.includes(name)).map(([, headers, gives]) => {
    return { ...asked, gives, more: { ...asked.more, headers } };
  });
}

/** The same about a drive that there is not, where the path does not name it. */
function inNoDrive(asked: Asked): Asked[] {
  const { id, request, more } = asked;
  const isNamed = request.includes("={drive}") || JSON.stringify(more.body ?? "").includes(drive_id);
  if (!isNamed || id.endsWith("ByPath")) return [];
  return [{ ...asked, gives: "NOT_FOUND", more: { ...more, on: { drive: NOWHERE } } }];
}

const ALL = [
  ...ROUTED,
  ...[...SUCCESSES, ...REFUSALS].flatMap(parsed),
  ...[...FIRSTS.values()].flatMap(byHeader),
  ...ROUTED.flatMap(inNoDrive),
];

for (const [name, cases] of [
  ["every success", ALL.filter(({ gives }) => typeof gives === "number")],
  ["the refusals of its own", ALL.filter(({ gives }) => typeof gives !== "number")],
] as const) {
  describe(`each operation answers as described: ${name}`, () => {
    for (const { id, as, request, gives, more } of cases) {
      test(`${id} ${gives}`, async () => {
        const named = namedBy(as, await prepare(JSON.stringify([request, more])), more);
        const place = places.get(named["file"] ?? "");
        const [method = "", address = ""] = fill(request, { ...named, ...place }).split(" ");
        const { body, headers = {} } = more;
        const options = { headers, ...(body === undefined ? {} : { body: fillJson(body, named) }) };
        const client = as === "session" ? beginSession(coffer, "ada").browser : world.clients[as];
        if (more.again) expect(await client.status(method, address, options)).toBeLessThan(300);
        const answer = await ask(client, id, gives, { address, ...options });
        expectSame(JSON.stringify([request, gives, as, more]), answer);
      });
    }
  });
}

/** What was answered to requests, by what was asked; for a file, whether its id or its path named it. */
const answered = new Map<string, string>();
let compared = 0;

/** What can be done with a file's id can be done with its path: the answer must be the same. */
function expectSame(asked: string, { status, headers, text }: Answer): void {
  const where = /\??&?drive_id=\{drive\}&path=\{path\}|\?(?=")/;
  const key = asked.replace("/by-path", "/{file}").replace(where, "");
  const shown = ["content-type", "content-disposition", "content-range"].map((name) => headers.get(name));
  // Ids, tokens, ports, and the ends of names.
  const made = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[a-z]{3}_[0-9a-f]{32,}|:\d{4,5}\/|-\d+(?=")/g;
  const essence = JSON.stringify([status, shown, text.replaceAll(made, "made")]);
  if (answered.has(key)) compared += 1;
  expect([key, essence]).toEqual([key, answered.get(key) ?? essence]);
  answered.set(key, essence);
}

/** A request that is malformed at the first place where this one can be. */
function malformed({ parameters, hasBody }: DescribedOperation, address: string): [string, RequestOptions] {
  if (parameters.path.length > 0) return [address.replace(NOWHERE, "%ff"), {}];
  if (hasBody && parameters.query.length === 0) return [address, { body: "{" }];
  const [name] = parameters.query;
  if (name === undefined && parameters.header.includes("Idempotency-Key")) {
    return [address, { headers: { "idempotency-key": "x".repeat(256) } }];
  }
  if (name === undefined) return [`${address}?%ff`, {}];
  return [`${address}?${name}=a&${name}=b`, {}];
}

const SIGNING_IN = { token: "x", username: "x", password: "x" };
const CODED: RequestOptions = { body: "coded", headers: { "content-encoding": "gzip" } };

/** One body for all operations has fields that one of them does not know. */
const LENIENT = { prefer: "handling=lenient" };

/** What no body of a request about something that is not there lacks. */
const ANY_BODY = {
  name: "x",
  destination_path: "x",
  allow: true,
  op: "append",
  text: "x",
  label: "x",
  username: "bob",
  role: "reader",
  password: "long enough",
  drives: "delete",
};

function isByPath(path: string): boolean {
  return path.startsWith("/v0/files/by-path");
}

function aboutNothing({ path, hasBody }: DescribedOperation, address: string): [string, RequestOptions] {
  const query = isByPath(path) ? `?drive_id=${world.drives.ada}&path=none` : "";
  return [address + query, hasBody ? { body: ANY_BODY, headers: LENIENT } : {}];
}

type Sent = (operation: DescribedOperation, address: string) => [address: string, RequestOptions];

/** What is refused before its meaning counts: the operations to which it is, and what is sent. */
const GENERAL: readonly (readonly [
  code: Code,
  as: CallerName,
  isMet: (operation: DescribedOperation) => boolean,
  request?: Sent,
])[] = [
  ["UNAUTHORIZED", "nobody", ({ isGuarded }) => isGuarded],
  ["FORBIDDEN", "adaReader", ({ method, path }) => path.startsWith("/v0/") && method !== "GET"],
  [
    "FORBIDDEN",
    "nobody",
    ({ method, path }) => path.startsWith("/auth/") && method === "POST",
    (_, address) => [address, { body: SIGNING_IN, headers: { origin: "https://evil.example" } }],
  ],
  ["VALIDATION_ERROR", "ada", ({ codes }) => codes.includes("VALIDATION_ERROR"), malformed],
  // A batch may be longer: it is among the refusals above.
  [
    "PAYLOAD_TOO_LARGE",
    "ada",
    ({ method, id }) => method !== "GET" && id !== "writeFiles",
    (_, to) => [to, { body: PAST_ANY_LIMIT }],
  ],
  ["UNSUPPORTED_MEDIA_TYPE", "ada", ({ hasBody }) => hasBody, (_, to) => [to, CODED]],
  ["NOT_FOUND", "ada", ({ path, parameters }) => isByPath(path) || parameters.path.length > 0, aboutNothing],
];

describe("each operation answers as described: the refusals of many", () => {
  test.each(GENERAL)("%s to %s", async (code, as, isMet, request = (_, address) => [address, {}]) => {
    const operations = description.operations.filter(isMet);
    expect(operations).not.toEqual([]);
    const { browser } = beginSession(coffer, "ada");
    for (const operation of operations) {
      const isSignedIn = as === "ada" && SIGNED_IN.includes(operation.id);
      const client = isSignedIn ? browser : world.clients[as];
      await send(client, operation, code, ...request(operation, addressOf(operation)));
    }
  });

  test("RATE_LIMITED", async () => {
    await using strict = await startAppliance({ "rate-limits": "free=1,pro=1,team=1" });
    await strict.client().send("GET", "/v0/drives");
    for (const operation of description.operations.filter(({ path }) => /^\/(v0|mcp)(\/|$)/.test(path))) {
      await send(strict.client(), operation, "RATE_LIMITED", addressOf(operation));
    }
  });
});

describe("what takes an appliance or a browser of its own is answered as described", () => {
  test("the setup link", async () => {
    await using fresh = await startAppliance();
    const first = { username: "ada", password: "long enough" };
    const token = new URL(fresh.appliance.setupLink ?? "").searchParams.get("token") ?? "";
    const nobody = fresh.client();
    await ask(nobody, "checkSetup", 200, { query: { token } });
    await ask(nobody, "setUp", "NOT_FOUND", { body: { ...first, token: "x" } });
    const answer = await ask(nobody, "setUp", 200, { body: { ...first, token } });
    const ada = browserWith(fresh, sessionIn(answer) ?? "");
    await ask(ada, "getAccount", 200);
    await ask(ada, "createDrive", 201, { body: { name: "D" } });
    const headers = { cookie: ada.cookie };
    await ask(nobody, "createDrive", "FORBIDDEN", { body: { name: "D" }, headers });
    await ask(nobody, "logOut", 200, { headers });
  });

  test("an Idempotency-Key whose response there is no room for", async () => {
    const limits = { "storage-limits": "free=1000,pro=1000,team=1000" };
    await using fresh = await startAppliance(limits);
    const { id } = await fresh.appliance.services.users.createFromShell("ada", "long enough");
    const { browser } = beginSession(fresh, "ada");
    changeDatabase(fresh.dataDir, `INSERT INTO idempotency_use VALUES ('${id}', ${RECORD_ROOM_BYTES})`);
    const keyed = description.operations.filter(
      ({ isGuarded, parameters }) => isGuarded && parameters.header.includes("Idempotency-Key"),
    );
    expect(keyed.length).toBeGreaterThan(15);
    for (const operation of keyed) {
      await ask(browser, operation.id, "QUOTA_EXCEEDED", { headers: idempotencyKey() });
    }
  });

  test("a claim link that was used", async () => {
    const token = await makeClaim();
    await ask(world.clients.ada, "claimDrive", 200, { body: { token } });
    await ask(world.clients.nobody, "previewClaim", "CONFLICT", { address: `/v0/drives/claim/${token}` });
  });

  test("a claim that comes too late", async () => {
    const token = await makeClaim();
    coffer.clock.advance(31 * 24 * 60 * 60 * 1000);
    await ask(world.clients.ada, "claimDrive", "GONE", { body: { token } });
    await ask(world.clients.nobody, "previewClaim", "GONE", { address: `/v0/drives/claim/${token}` });
  });

  test("the way through a provider", async () => {
    const { nobody } = world.clients;
    const jar = new CookieJar();
    const back = await signInThere(jar, `${coffer.appliance.baseUrl}/auth/oidc/start`, "sub-ada");
    const headers = { cookie: jar.header(back) };
    await ask(nobody, "finishOidc", 303, { query: Object.fromEntries(back.searchParams), headers });
    await ask(nobody, "finishOidc", "VALIDATION_ERROR", { headers });
    for (const [code, query] of [
      ["UNAUTHORIZED", { code: "x" }],
      ["FORBIDDEN", { error: "access_denied" }],
    ] as const) {
      const start = await ask(nobody, "startOidc", 303);
      const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? "";
      const [cookie = ""] = (start.headers.get("set-cookie") ?? "").split(";");
      const said = { ...query, state, iss: provider.issuer };
      await ask(nobody, "finishOidc", code, { query: said, headers: { cookie } });
    }
  });

  const often: readonly (readonly [operation: string, request: RequestOptions])[] = [
    ["logIn", { body: { username: "zoe", password: "wrong" } }],
    ["signUp", { body: { username: "-", password: "long enough" } }],
    ["startOidc", {}],
    ["authorize", {}],
    ["getToken", {}],
    ["revokeToken", {}],
    ["registerClient", { body: {} }],
  ];
  test.each(often)("%s, too often", async (id, request) => {
    const { method, path } = description.operation(id);
    const { nobody } = world.clients;
    for (let n = 0; n < 61 && (await nobody.status(method, path, request)) !== 429; n += 1);
    await ask(nobody, id, "RATE_LIMITED", request);
  });

  test("the way of an application", async () => {
    const { ada, nobody } = world.clients;
    // Only so many may come from one address in an hour.
    coffer.clock.advance(60 * 60 * 1000);
    for (const id of ["getMcpMetadata", "getResourceMetadata", "getServerMetadata"]) {
      await ask(nobody, id, 200);
      await ask(ada, id, "NOT_FOUND");
    }
    const registered = await ask(nobody, "registerClient", 201, { body: { redirect_uris: [REDIRECT_URI] } });
    const { client_id }: { client_id: string } = JSON.parse(registered.text);
    await ask(nobody, "authorize", 303, { query: { client_id, redirect_uri: REDIRECT_URI } });
    const { clientId, refreshToken } = await letIn(coffer, beginSession(coffer, "ada").browser);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const fields = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
    await ask(nobody, "getToken", 200, { body: new URLSearchParams(fields).toString(), headers });
    await ask(nobody, "revokeToken", 200, { body: "token=none", headers });
  });

  test("a provider that does not answer", async () => {
    await using alone = await startAppliance({
      "oidc-issuer": "http://127.0.0.1:1",
      "oidc-client-id": CLIENT.id,
      "oidc-client-secret": CLIENT.secret,
    });
    await ask(alone.client(), "startOidc", "INTERNAL");
  });

  test("a disk at its reserve", async () => {
    await using full = await startAppliance({ "disk-reserve": "1000TB" });
    const { id, client } = await provision(full);
    const body = { drive_id: id, filename: "f", content: HELLO };
    await ask(client, "uploadFile", "STORAGE_FULL", { body });
  });

  test("a content that drips", async () => {
    await using patient = await startAppliance({ "min-upload-speed": "1KiB" });
    const { id, client } = await provision(patient);
    // A minute passes before each byte.
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        patient.clock.advance(60_000);
        controller.enqueue(new Uint8Array(1));
        await Bun.sleep(1);
      },
    });
    await ask(client, "putFile", "REQUEST_TIMEOUT", { query: { drive_id: id, path: "slow" }, body });
  });

  test("a write whose first try is still under way", async () => {
    const { drive: id } = await prepare("");
    const { ada } = world.clients;
    const address = `/v0/files?drive_id=${id}&path=slow`;
    const headers = idempotencyKey();
    const slow = await holdRequest(ada, ["PUT", address], undefined, headers);
    await ask(ada, "putFile", "IDEMPOTENCY_IN_PROGRESS", { address, body: "x", headers });
    expect((await slow.complete()).status).toBe(201);
  });
});

test("every operation was seen to give every success and every refusal it describes", () => {
  const described = description.operations.flatMap(({ id, successes, codes }) =>
    [...successes, ...codes.filter((code) => code !== BROKEN && !RARE.includes(code))].map(
      (gives) => `${id} ${gives}`,
    ),
  );
  expect(described.filter((each) => !seen.has(each))).toEqual([FLOODED]);
  expect(compared).toBeGreaterThan(50);
  for (const code of RARE) expect([...seen].some((each) => each.endsWith(` ${code}`))).toBe(true);
});

test("every example and default is what its schema says", () => {
  expect(description.exampleFaults()).toEqual([]);
});
