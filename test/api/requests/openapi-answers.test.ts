import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  EXTRACT_JSON_BYTES,
  KEYS,
  RECORD_ROOM_BYTES,
  SNAPSHOTS,
  WEBHOOKS,
} from "../../../src/domain/limits.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json, RequestOptions } from "../../support/server/client.ts";
import { CookieJar } from "../../support/server/cookie-jar.ts";
import { type DescribedOperation, Description } from "../../support/schemas/description.ts";
import { isObject } from "../../support/schemas/json-schema.ts";
import { letIn, pendingRequest, REDIRECT_URI } from "../../support/peers/oauth.ts";
import { CLIENT, signInThere, startRealProvider } from "../../support/peers/real-provider.ts";
import { recordWork } from "../../support/faults/recorded-work.ts";
import { type Code, eventually, HELLO, HELLO_DIGEST, STATUS_OF } from "../../support/server/scenario.ts";
import { beginSession, sessionIn } from "../../support/server/sign-in.ts";
import { type CallerName, populate, type World } from "../../support/server/world.ts";
import { HOOK, makeWebhook, putIntoTrash } from "../../support/server/targets.ts";

/** What a request to an operation fills in. */
interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly headers?: Record<string, string>;
}

/** Ada's, made for one case. */
interface Target {
  readonly drive: string;
  /** `dir/hello.txt`, "Hello World!"; beside it stands `dir/other`. */
  readonly file: string;
  readonly key: string;
  /** Of the drive as it is. */
  readonly snapshot: string;
  /** The entry of `gone` in the trash. */
  readonly trash: string;
  /** Dan's id, who is a reader. */
  readonly member: string;
  /** The token of a link to the file that is good for one time. */
  readonly link: string;
  /** A link that shows the file. */
  readonly share: { readonly id: string; readonly token: string };
  /** The tokens of a link with the password "open sesame", and of one that has expired. */
  readonly locked: string;
  readonly over: string;
  /** The ids of a webhook and of a delivery of it. */
  readonly webhook: string;
  readonly delivery: string;
  /** Links to upload to, by what becomes of that. */
  readonly uploads: Readonly<Record<"making" | "replacing" | "blocked", string>>;
  /** The claim token of an agent's drive, which holds as much as Bob may store in all. */
  readonly claim: string;
}

interface Case {
  readonly operation: string;
  /** A status of success, or the code of a refusal. */
  readonly gives: number | Code;
  readonly as?: CallerName;
  /** Asked before by the same caller, so that this one is refused. */
  readonly after?: boolean;
  readonly request?: (target: Target) => Request;
}

const HELLO_TEXT = "Hello World!";
/** The cursor of a change that has not happened. */
const NEVER = Buffer.from("999999999\n0").toString("base64url");
const NOWHERE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
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
let description: Description;
/** Files of Ada's that no text can be read from, by what is wrong with them. */
let odd: Record<"picture" | "brokenJson" | "longJson" | "noText", string>;
/** The token of a link that shows these. */
let oddShare: string;
/** The token of a link to upload to Bob's drive. */
let bobsUpload: string;
/** An entry of the trash of Bob's drive. */
let bobsTrash: string;
/** A drive of Ada's with a file `a`, and a snapshot of it with a folder `a/b/`. */
let blocked: { readonly id: string; readonly sid: string };
/** The drive and path of each file, by its id. */
const places = new Map<string, { readonly drive_id: string; readonly path: string }>();
/** The operations with what they were seen to answer, as `getFile 200` or `getFile NOT_FOUND`. */
const seen = new Set<string>();

beforeAll(async () => {
  provider = await startRealProvider();
  coffer = await startAppliance({
    ...ROOM_FOR_ONE,
    signups: "open",
    "oidc-issuer": provider.issuer,
    "oidc-client-id": CLIENT.id,
    "oidc-client-secret": CLIENT.secret,
  });
  provider.open(`${coffer.appliance.baseUrl}/auth/oidc/callback`);
  world = await populate(coffer);
  description = await Description.of(coffer.client());
  odd = {
    picture: await putNote("a.png"),
    brokenJson: await putNote("a.json"),
    longJson: await putNote("long.json"),
    noText: await putNote("a.txt", "\0"),
  };
  const everything = { body: { drive_id: world.drives.ada, path: "" } };
  oddShare = (await world.clients.ada.json<Target["share"]>(201, "POST", "/v0/links", everything)).token;
  // A file of the drive has the same content.
  bobsTrash = await putIntoTrash(world.clients.bob, world.drives.bob, "gone", HELLO_TEXT);
  const rest = { body: FULL.slice(HELLO_TEXT.length) };
  await world.clients.bob.json(201, "PUT", `/v0/files?drive_id=${world.drives.bob}&path=rest`, rest);
  places.set(world.files.bob, { drive_id: world.drives.bob, path: "notes/hello.txt" });
  bobsUpload = await linkTo(world.clients.bob, world.drives.bob, "by-link");
  await fillWithKeys(world.drives.bob);
  await fillWithSnapshots(world.drives.bob);
  blocked = await makeBlocked();
  await fillWithWebhooks();
  changeDatabase(
    coffer.dataDir,
    `UPDATE drive SET record_size = ${RECORD_ROOM_BYTES} WHERE id = '${world.drives.bob}'`,
  );
  // Only its size is looked at.
  changeDatabase(
    coffer.dataDir,
    `UPDATE file SET size = ${EXTRACT_JSON_BYTES + 1} WHERE id = '${odd.longJson}'`,
  );
});
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Makes a link to upload to; its token. */
async function linkTo(client: Client, drive_id: string, path: string): Promise<string> {
  const body = { drive_id, path };
  const { url } = await client.post<{ url: string }>("/v0/upload-links", body);
  return url.split("/").at(-1) ?? "";
}

/** Makes as many keys for a drive of Bob's as there may be. */
async function fillWithKeys(drive: string): Promise<void> {
  const body = { drive_id: drive };
  const create = () => world.clients.bob.makeKey(body);
  await Promise.all(Array.from({ length: KEYS.drive }, create));
}

/** Uploads text under any name to Ada's drive; the file's id. */
async function putNote(path: string, body = HELLO_TEXT): Promise<string> {
  const address = `/v0/files?drive_id=${world.drives.ada}&path=${path}`;
  const { id } = await world.clients.ada.json<{ id: string }>(201, "PUT", address, { body });
  places.set(id, { drive_id: world.drives.ada, path });
  return id;
}

function addressOf({ path }: DescribedOperation, { params = {}, query = {} }: Request): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? NOWHERE);
  return Object.keys(query).length === 0 ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
}

/** Sends a request, and expects the answer to be what is asked for and as it is described. */
async function send(
  operation: DescribedOperation,
  gives: number | Code,
  address: string,
  options: RequestOptions,
  as: CallerName,
  at: TestAppliance = coffer,
): Promise<Answer> {
  const key = at === coffer ? world.keys[as] : undefined;
  const answer = await at.client(key).send(operation.method, address, options);
  const status = typeof gives === "number" ? gives : STATUS_OF[gives];
  const what = `${operation.method} ${address}`;
  expect([what, answer.status, answer.status === status ? "" : answer.text]).toEqual([what, status, ""]);
  expect([what, description.answerFaults(operation, answer)]).toEqual([what, []]);
  if (typeof gives !== "number") {
    const error: unknown = operation.path.startsWith("/oauth/") ? expect.any(String) : { code: gives };
    expect(JSON.parse(answer.text)).toMatchObject({ error });
  }
  seen.add(`${operation.id} ${gives}`);
  return answer;
}

/** Asks an operation; a write that succeeds is asked again under its Idempotency-Key, and then otherwise. */
async function ask(
  id: string,
  gives: number | Code,
  request: Request = {},
  as: CallerName = "ada",
  at: TestAppliance = coffer,
): Promise<Answer> {
  const operation = description.operation(id);
  const { body, headers = {} } = request;
  const address = addressOf(operation, request);
  const isKeyed = typeof gives === "number" && operation.parameters.header.includes("Idempotency-Key");
  const options: RequestOptions = {
    ...(body === undefined ? {} : { body }),
    headers: isKeyed ? { ...headers, "idempotency-key": crypto.randomUUID() } : headers,
  };
  if (isObject(body) && typeof gives === "number") {
    expect(description.requestFaults(operation, body)).toEqual([]);
  }
  const answer = await send(operation, gives, address, options, as, at);
  if (isKeyed) {
    const again = await send(operation, gives, address, options, as, at);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = address + (address.includes("?") ? "&other" : "?other");
    const lenient = { ...options, headers: { ...options.headers, ...LENIENT } };
    await send(operation, "IDEMPOTENCY_KEY_REUSED", other, lenient, as, at);
  }
  return answer;
}

async function makeBlocked(): Promise<typeof blocked> {
  const { ada } = world.clients;
  const drive = await ada.makeDrive("Blocked");
  const put = (path: string) => ada.put(drive.id, path, HELLO_TEXT);
  await put("a/b/f");
  const taken = await ada.post<{ data: { id: string } }>(`/v0/drives/${drive.id}/snapshots`);
  const body = { drive_id: drive.id, path: "a/", confirm: true };
  await ada.delete("/v0/folders", body);
  await put("a");
  return { id: drive.id, sid: taken.data.id };
}

/** Takes as many snapshots of a drive of Bob's as there may be. */
async function fillWithSnapshots(drive: string): Promise<void> {
  const take = () => world.clients.bob.post(`/v0/drives/${drive}/snapshots`);
  await Promise.all(Array.from({ length: SNAPSHOTS.taken }, take));
}

async function makeTarget(): Promise<Target> {
  const { ada, nobody } = world.clients;
  const created = await ada.makeDrive("Target");
  const put = (path: string, body = HELLO_TEXT, status = 201) => ada.put(created.id, path, body, status);
  const file = await put("dir/hello.txt", "Before that");
  await put("dir/hello.txt", HELLO_TEXT, 200);
  places.set(file.id, { drive_id: created.id, path: "dir/hello.txt" });
  await put("dir/other");
  const key = await ada.makeKey();
  const taken = await ada.post<{ data: { id: string } }>(`/v0/drives/${created.id}/snapshots`);
  const member = await ada.post<{ data: { user_id: string } }>(`/v0/drives/${created.id}/members`, {
    username: "dan",
    role: "reader",
  });
  const link = await ada.post<{ token: string }>(
    `/v0/files/${file.id}/presigned-url`,
    { one_time: true },
    200,
  );
  const share = await ada.post<Target["share"]>("/v0/links", { drive_id: created.id, path: "dir/hello.txt" });
  const shareWith = async (more: { [name: string]: Json }) => {
    const made = { body: { drive_id: created.id, path: "dir/", ...more } };
    return ada.json<Target["share"]>(201, "POST", "/v0/links", made);
  };
  const locked = await shareWith({ password: "open sesame" });
  const over = await shareWith({});
  changeDatabase(coffer.dataDir, `UPDATE share_link SET expires_at = 1 WHERE id = '${over.id}'`);
  const uploads = {
    making: await linkTo(ada, created.id, "by-link"),
    replacing: await linkTo(ada, created.id, "dir/other"),
    blocked: await linkTo(ada, created.id, "dir/other/x"),
  };
  const { data: unclaimed } = await nobody.post<{
    data: { claim_url: string; api_key: string; drive_id: string };
  }>("/v0/drives/provision", { name: "Unclaimed" });
  await coffer.client(unclaimed.api_key).put(unclaimed.drive_id, "full", FULL);
  const claim = unclaimed.claim_url.split("/").at(-1) ?? "";
  const trash = await putIntoTrash(ada, created.id, "gone", HELLO_TEXT);
  return {
    drive: created.id,
    file: file.id,
    key: key.id,
    trash,
    snapshot: taken.data.id,
    member: member.data.user_id,
    link: link.token,
    ...(await makeWebhook(ada, created.id)),
    share,
    locked: locked.token,
    over: over.token,
    uploads,
    claim,
  };
}

const hook = ({ webhook: id }: Target): Request => ({ params: { id } });
const hookDelivery = ({ webhook: id, delivery: did }: Target): Request => ({ params: { id, did } });
/** One of Bob's, which is disabled. */
let bobsHook = "";

/** Makes as many webhooks of Bob's as there may be. */
async function fillWithWebhooks(): Promise<void> {
  const { bob } = world.clients;
  for (let n = 0; n < WEBHOOKS.each.claimed; n += 1) {
    bobsHook = (await bob.post<{ id: string }>("/v0/webhooks", HOOK)).id;
  }
  await bob.patch(`/v0/webhooks/${bobsHook}`, { enabled: false });
}

const drive = ({ drive: id }: Target): Request => ({ params: { id } });
const snapshot = ({ drive: id, snapshot: sid }: Target): Request => ({ params: { id, sid } });
/** A removal of `dir/`, which nothing does. */
const work = ({ drive: id }: Target) => ({ params: { id, wid: recordWork(coffer.dataDir, id, "dir/") } });
const trashed = ({ trash: id }: Target): Request => ({ params: { id } });
const member = ({ drive: id, member: user_id }: Target): Request => ({ params: { id, user_id } });
const file = ({ file: id }: Target): Request => ({ params: { id } });
const version = ({ file: id }: Target): Request => ({ params: { id, n: "1" } });
const compared = (id: string): Request => ({ params: { id }, query: { from: "1", to: "1" } });
const link = ({ link: token }: Target): Request => ({ params: { token } });
const sharing = ({ share }: Target): Request => ({ params: { token: share.token } });
const guessing = (token: string, password: string): Request => ({ params: { token }, body: { password } });
const uploadLink = ({ uploads }: Target): Request => ({
  params: { token: uploads.making },
  body: HELLO_TEXT,
});
const replacingLink = ({ uploads }: Target): Request => ({
  params: { token: uploads.replacing },
  body: HELLO_TEXT,
});
const upload = (target: Target): Request => ({
  body: { drive_id: target.drive, filename: "new.txt", content: HELLO },
});
const put = (target: Target, path = "new.txt"): Request => ({
  query: { drive_id: target.drive, path },
  body: HELLO_TEXT,
});
const to = (target: Target, path: string): Request => ({ ...file(target), body: { destination_path: path } });
const folder = (target: Target, path: string): Request => ({ body: { drive_id: target.drive, path } });
const transfer = (target: Target, path: string) => also(folder(target, "dir/"), { destination_path: path });
const claimLink = ({ claim: token }: Target): Request => ({ params: { token } });
const claim = ({ claim: token }: Target): Request => ({ body: { token } });

/** A message for the MCP server. */
function message(method: string, params: { [name: string]: Json } = {}): Request {
  return { body: { jsonrpc: "2.0", id: 1, method, params } };
}

/** More fields of a request's JSON body. */
function also(request: Request, fields: { [name: string]: Json }): Request {
  return { ...request, body: { ...(isJsonObject(request.body) ? request.body : {}), ...fields } };
}
function isJsonObject(json: Json | undefined): json is { [name: string]: Json } {
  return isObject(json);
}
function under(request: Request, headers: Record<string, string>): Request {
  return { ...request, headers };
}

const ATTRIBUTES = { tags: ["a"], metadata: { a: { b: [1] } }, expires_at: "2099-01-01T00:00:00Z" };
const OTHER_ETAG = { "if-match": '"0"' };

/** A form that puts other content over `dir/hello.txt`. */
function form({ drive: id }: Target): Request {
  const parts = [
    ['name="drive_id"', id],
    ['name="path"', "dir/hello.txt"],
    ['name="file"; filename="hello.txt"', "Hello!"],
  ].map(([name, value]) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`);
  return {
    body: `${parts.join("")}--b--\r\n`,
    headers: { "content-type": "multipart/form-data; boundary=b" },
  };
}

const SUCCESSES: readonly Case[] = [
  { operation: "getStart", gives: 200, as: "nobody" },
  { operation: "provisionDrive", gives: 201, as: "nobody", request: () => ({ body: { name: "New" } }) },
  { operation: "claimDrive", gives: 200, request: claim },
  { operation: "createDrive", gives: 201, request: () => ({ body: { name: "New", description: "D" } }) },
  { operation: "listDrives", gives: 200 },
  { operation: "listDrives", gives: 200, as: "agent" },
  { operation: "listDrives", gives: 200, request: () => ({ query: { slug: "ada/notes" } }) },
  { operation: "getDrive", gives: 200, request: drive },
  { operation: "updateDrive", gives: 200, request: (t) => also(drive(t), { name: "N", description: "D" }) },
  { operation: "deleteDrive", gives: 200, request: drive },
  { operation: "createSnapshot", gives: 201, request: (t) => also(drive(t), { name: "Taken" }) },
  { operation: "listSnapshots", gives: 200, request: drive },
  { operation: "getSnapshot", gives: 200, request: snapshot },
  { operation: "forkDrive", gives: 201, request: (t) => also(drive(t), { name: "Fork" }) },
  {
    operation: "forkDrive",
    gives: 201,
    request: (t) => also(drive(t), { name: "Fork", snapshot_id: t.snapshot }),
  },
  { operation: "compareSnapshot", gives: 200, request: snapshot },
  { operation: "compareSnapshot", gives: 200, request: () => ({ params: blocked, query: { limit: "1" } }) },
  { operation: "restoreSnapshot", gives: 200, request: snapshot },
  { operation: "restoreSnapshot", gives: 200, request: (t) => also(snapshot(t), { path: "dir/" }) },
  { operation: "deleteSnapshot", gives: 200, request: snapshot },
  { operation: "listWorks", gives: 200, request: (t) => ({ params: { id: work(t).params.id } }) },
  { operation: "getWork", gives: 200, request: work },
  { operation: "cancelWork", gives: 200, request: work },
  { operation: "listTrash", gives: 200 },
  {
    operation: "listTrash",
    gives: 200,
    request: (t) => ({ query: { drive_id: t.drive, prefix: "g", limit: "1" } }),
  },
  { operation: "getTrashEntry", gives: 200, request: trashed },
  { operation: "restoreTrashEntry", gives: 200, request: trashed },
  { operation: "restoreTrashEntry", gives: 200, request: (t) => also(trashed(t), { path: "back" }) },
  { operation: "deleteTrashEntry", gives: 200, request: trashed },
  { operation: "emptyTrash", gives: 200, request: (t) => ({ body: { drive_id: t.drive } }) },
  { operation: "emptyTrash", gives: 200, request: (t) => ({ body: { drive_id: t.drive, confirm: true } }) },
  { operation: "addMember", gives: 201, request: (t) => also(drive(t), { username: "bob", role: "editor" }) },
  { operation: "addMember", gives: 200, request: (t) => also(drive(t), { username: "dan", role: "reader" }) },
  { operation: "listMembers", gives: 200, request: drive },
  { operation: "updateMember", gives: 200, request: (t) => also(member(t), { role: "editor" }) },
  { operation: "removeMember", gives: 200, request: member },
  { operation: "previewClaim", gives: 200, as: "nobody", request: claimLink },
  { operation: "listFiles", gives: 200, request: (t) => ({ query: { drive_id: t.drive } }) },
  {
    operation: "listFiles",
    gives: 200,
    request: (t) => ({ query: { drive_id: t.drive, delimiter: "/", limit: "1" } }),
  },
  {
    operation: "listFiles",
    gives: 200,
    request: (t) => ({ query: { drive_id: t.drive, prefix: "dir/", limit: "1", page: "2", tags: "" } }),
  },
  {
    operation: "listFiles",
    gives: 200,
    request: (t) => ({
      query: { drive_id: t.drive, prefix: "dir/", delimiter: "/", sort: "-size", limit: "1" },
    }),
  },
  { operation: "uploadFile", gives: 201, request: upload },
  {
    operation: "uploadFile",
    gives: 201,
    request: (t) => also(upload(t), { path: "a/b", content_type: "image/png", ...ATTRIBUTES }),
  },
  { operation: "uploadFile", gives: 200, request: (t) => also(upload(t), { path: "dir/hello.txt" }) },
  { operation: "uploadFile", gives: 200, request: form },
  { operation: "putFile", gives: 201, request: (t) => put(t) },
  { operation: "putFile", gives: 200, request: (t) => put(t, "dir/hello.txt") },
  { operation: "getFile", gives: 200, request: file },
  { operation: "getFile", gives: 304, request: (t) => under(file(t), { "if-none-match": "*" }) },
  {
    operation: "updateFile",
    gives: 200,
    request: (t) => also(file(t), { filename: "f", path: "p/f", ...ATTRIBUTES }),
  },
  { operation: "deleteFile", gives: 200, request: file },
  { operation: "copyFile", gives: 201, request: (t) => to(t, "copy.txt") },
  {
    operation: "copyFile",
    gives: 201,
    request: (t) => also(to(t, "copy.txt"), { destination_drive_id: "ada/notes", overwrite: true }),
  },
  { operation: "moveFile", gives: 200, request: (t) => to(t, "moved.txt") },
  { operation: "deleteFiles", gives: 200, request: (t) => ({ body: { file_ids: [t.file, NOWHERE] } }) },
  { operation: "listVersions", gives: 200, request: file },
  { operation: "downloadVersion", gives: 200, request: version },
  { operation: "downloadVersion", gives: 206, request: (t) => under(version(t), { range: "bytes=0-1" }) },
  { operation: "downloadVersion", gives: 304, request: (t) => under(version(t), { "if-none-match": "*" }) },
  { operation: "compareVersions", gives: 200, request: file },
  {
    operation: "compareVersions",
    gives: 200,
    request: (t) => ({ ...file(t), query: { from: "2", to: "1" } }),
  },
  { operation: "restoreVersion", gives: 200, request: version },
  { operation: "deleteVersion", gives: 200, request: version },
  { operation: "downloadFile", gives: 200, request: file },
  { operation: "downloadFile", gives: 200, request: (t) => ({ ...file(t), query: { inline: "1" } }) },
  { operation: "downloadFile", gives: 206, request: (t) => under(file(t), { range: "bytes=0-1" }) },
  {
    operation: "downloadFile",
    gives: 304,
    request: (t) => under(file(t), { "if-none-match": `"${HELLO_DIGEST}"` }),
  },
  { operation: "downloadArchive", gives: 200, request: (t) => ({ query: { drive_id: t.drive } }) },
  {
    operation: "downloadArchive",
    gives: 200,
    request: (t) => ({ query: { drive_id: t.drive, path: "dir/" } }),
  },
  { operation: "readText", gives: 200, request: file },
  { operation: "readText", gives: 200, request: (t) => ({ ...file(t), query: { max_bytes: "3" } }) },
  { operation: "editFile", gives: 200, request: (t) => also(file(t), { op: "append", text: "!" }) },
  {
    operation: "editFile",
    gives: 200,
    request: (t) => also(file(t), { edits: [{ op: "insert", line: 0, text: "!" }], dry_run: true }),
  },
  { operation: "extractFile", gives: 200, request: file },
  { operation: "getExtract", gives: 200, request: file },
  { operation: "mcp", gives: 200, request: () => message("tools/list") },
  { operation: "mcp", gives: 200, request: () => message("tools/call", { name: "list_drives" }) },
  {
    operation: "mcp",
    gives: 202,
    request: () => ({ body: { jsonrpc: "2.0", method: "notifications/initialized" } }),
  },
  { operation: "createPresignedUrl", gives: 200, request: file },
  {
    operation: "createPresignedUrl",
    gives: 200,
    request: (t) => also(file(t), { expires_in: 1, one_time: true }),
  },
  { operation: "downloadByLink", gives: 200, as: "nobody", request: link },
  {
    operation: "downloadByLink",
    gives: 206,
    as: "nobody",
    request: (t) => under(link(t), { range: "bytes=0-1" }),
  },
  {
    operation: "downloadByLink",
    gives: 304,
    as: "nobody",
    request: (t) => under(link(t), { "if-none-match": `"${HELLO_DIGEST}"` }),
  },
  {
    operation: "createUploadLink",
    gives: 201,
    request: (t) => ({ body: { drive_id: t.drive, path: "a/b", max_size: 10, expires_in: 1 } }),
  },
  { operation: "uploadByLink", gives: 201, as: "nobody", request: uploadLink },
  { operation: "uploadByLink", gives: 200, as: "nobody", request: replacingLink },
  { operation: "createLink", gives: 201, request: (t) => ({ body: { drive_id: t.drive, path: "dir/" } }) },
  {
    operation: "createLink",
    gives: 201,
    as: "agent",
    request: () => ({ body: { drive_id: world.drives.agent, path: "/", password: "open sesame" } }),
  },
  { operation: "createWebhook", gives: 201, request: (t) => ({ body: { ...HOOK, drive_id: t.drive } }) },
  { operation: "createWebhook", gives: 201, as: "agent", request: () => ({ body: HOOK }) },
  { operation: "listWebhooks", gives: 200 },
  { operation: "listWebhooks", gives: 200, request: (t) => ({ query: { drive_id: t.drive } }) },
  { operation: "getWebhook", gives: 200, request: hook },
  { operation: "updateWebhook", gives: 200, request: (t) => ({ ...hook(t), body: { enabled: false } }) },
  { operation: "deleteWebhook", gives: 200, request: hook },
  { operation: "testWebhook", gives: 201, request: hook },
  { operation: "listWebhookDeliveries", gives: 200, request: hook },
  { operation: "resendWebhookDelivery", gives: 200, request: hookDelivery },
  { operation: "listLinks", gives: 200 },
  { operation: "listLinks", gives: 200, as: "bob", request: () => ({ query: { limit: "1" } }) },
  { operation: "revokeLink", gives: 200, request: ({ share: { id } }) => ({ params: { id } }) },
  { operation: "getShared", gives: 200, as: "nobody", request: sharing },
  { operation: "listSharedFiles", gives: 200, as: "nobody", request: sharing },
  { operation: "downloadShared", gives: 200, as: "nobody", request: sharing },
  {
    operation: "downloadShared",
    gives: 206,
    as: "nobody",
    request: (t) => under(sharing(t), { range: "bytes=0-1" }),
  },
  {
    operation: "downloadShared",
    gives: 304,
    as: "nobody",
    request: (t) => under(sharing(t), { "if-none-match": `"${HELLO_DIGEST}"` }),
  },
  { operation: "extractShared", gives: 200, as: "nobody", request: sharing },
  { operation: "downloadSharedArchive", gives: 200, as: "nobody", request: sharing },
  { operation: "unlockShared", gives: 200, as: "nobody", request: (t) => guessing(t.locked, "open sesame") },
  { operation: "searchFiles", gives: 200, request: () => ({ query: { q: "hello" } }) },
  { operation: "searchFiles", gives: 200, request: () => ({ query: { min_size: "0", limit: "1" } }) },
  { operation: "grepFiles", gives: 200, request: () => ({ query: { pattern: "Hello", context: "1" } }) },
  { operation: "listChanges", gives: 200, request: (t) => ({ query: { drive_id: t.drive, limit: "2" } }) },
  { operation: "listChanges", gives: 200, request: () => ({ query: { sort: "-id", cursor: "latest" } }) },
  { operation: "listFolders", gives: 200, request: (t) => ({ query: { drive_id: t.drive, limit: "1" } }) },
  { operation: "createFolder", gives: 201, request: (t) => folder(t, "new/sub/") },
  { operation: "createFolder", gives: 200, request: (t) => folder(t, "dir/") },
  { operation: "moveFolder", gives: 200, request: (t) => transfer(t, "moved/") },
  { operation: "copyFolder", gives: 201, request: (t) => transfer(t, "copied/") },
  { operation: "deleteFolder", gives: 200, request: (t) => folder(t, "dir/") },
  { operation: "deleteFolder", gives: 200, request: (t) => also(folder(t, "dir/"), { confirm: true }) },
  { operation: "createKey", gives: 201, request: () => ({ body: {} }) },
  {
    operation: "createKey",
    gives: 201,
    request: (t) => ({ body: { name: "N", scope: "read-only", drive_id: t.drive } }),
  },
  { operation: "listKeys", gives: 200 },
  { operation: "getKey", gives: 200, request: ({ key: id }) => ({ params: { id } }) },
  { operation: "revokeKey", gives: 200, request: ({ key: id }) => ({ params: { id } }) },
  { operation: "getAccount", gives: 200 },
  { operation: "getAccount", gives: 200, as: "bob" },
  { operation: "getUsage", gives: 200 },
  { operation: "getUsage", gives: 200, as: "agent" },
  { operation: "listSessions", gives: 200 },
  { operation: "endSessions", gives: 200 },
  { operation: "getSignInOptions", gives: 200, as: "nobody" },
  { operation: "checkSetup", gives: 200, as: "nobody", request: () => ({ query: { token: "x" } }) },
  {
    operation: "logIn",
    gives: 200,
    as: "nobody",
    request: () => ({ body: { username: "ada", password: "ada's password" } }),
  },
  {
    operation: "signUp",
    gives: 200,
    as: "nobody",
    request: () => ({ body: { username: "grace", password: "long enough" } }),
  },
  { operation: "logOut", gives: 200, as: "nobody" },
  { operation: "startOidc", gives: 303, as: "nobody", request: () => ({ query: { return_to: "/docs" } }) },
];

const REFUSALS: readonly Case[] = [
  // First: another write of Bob's has his trash pruned.
  {
    operation: "restoreTrashEntry",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => ({ params: { id: bobsTrash } }),
  },
  { operation: "getAccount", gives: "FORBIDDEN", as: "adaDrive" },
  { operation: "listSessions", gives: "FORBIDDEN", as: "adaDrive" },
  { operation: "listUsers", gives: "FORBIDDEN" },
  { operation: "getAuthorizationRequest", gives: "FORBIDDEN" },
  { operation: "claimDrive", gives: "NOT_FOUND", request: () => ({ body: { token: "clm_none" } }) },
  { operation: "claimDrive", gives: "CONFLICT", after: true, request: claim },
  { operation: "claimDrive", gives: "QUOTA_EXCEEDED", as: "bob", request: claim },
  {
    operation: "addMember",
    gives: "CONFLICT",
    request: (t) => also(drive(t), { username: "ada", role: "reader" }),
  },
  {
    operation: "downloadArchive",
    gives: "NOT_FOUND",
    request: (t) => ({ query: { drive_id: t.drive, path: "none" } }),
  },
  { operation: "listFiles", gives: "NOT_FOUND", request: () => ({ query: { drive_id: NOWHERE } }) },
  { operation: "uploadFile", gives: "NOT_FOUND", request: (t) => upload({ ...t, drive: NOWHERE }) },
  { operation: "uploadFile", gives: "CONFLICT", request: (t) => also(upload(t), { path: "dir/other/x" }) },
  {
    operation: "uploadFile",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(also(upload(t), { path: "dir/other" }), { "if-none-match": "*" }),
  },
  {
    operation: "uploadFile",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(upload(bobs()), { content: btoa(FULL) }),
  },
  { operation: "putFile", gives: "NOT_FOUND", request: (t) => put({ ...t, drive: NOWHERE }) },
  { operation: "putFile", gives: "CONFLICT", request: (t) => put(t, "dir/other/x") },
  {
    operation: "putFile",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(put(t, "dir/other"), OTHER_ETAG),
  },
  {
    operation: "putFile",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => ({ ...put(bobs()), body: FULL }),
  },
  { operation: "getFile", gives: "PRECONDITION_FAILED", request: (t) => under(file(t), OTHER_ETAG) },
  { operation: "updateFile", gives: "CONFLICT", request: (t) => also(file(t), { path: "dir/other" }) },
  {
    operation: "updateFile",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(also(file(t), {}), OTHER_ETAG),
  },
  {
    operation: "updateFile",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(file(bobs()), { metadata: { more: "x" } }),
  },
  { operation: "deleteFile", gives: "PRECONDITION_FAILED", request: (t) => under(file(t), OTHER_ETAG) },
  { operation: "copyFile", gives: "CONFLICT", request: (t) => to(t, "dir/other") },
  { operation: "copyFile", gives: "QUOTA_EXCEEDED", as: "bob", request: () => to(bobs(), "copy") },
  { operation: "copyFile", gives: "PRECONDITION_FAILED", request: (t) => under(to(t, "copy"), OTHER_ETAG) },
  { operation: "moveFile", gives: "CONFLICT", request: (t) => to(t, "dir/other") },
  { operation: "moveFile", gives: "QUOTA_EXCEEDED", as: "bob", request: () => to(bobs(), "new/moved") },
  {
    operation: "createPresignedUrl",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(file(bobs()), {}),
  },
  { operation: "moveFile", gives: "PRECONDITION_FAILED", request: (t) => under(to(t, "moved"), OTHER_ETAG) },
  {
    operation: "editFile",
    gives: "CONFLICT",
    request: (t) => also(file(t), { op: "str_replace", old_string: "none", new_string: "" }),
  },
  {
    operation: "editFile",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(also(file(t), { op: "append", text: "!" }), OTHER_ETAG),
  },
  {
    operation: "editFile",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(file(bobs()), { op: "append", text: "!" }),
  },
  {
    operation: "editFile",
    gives: "UNSUPPORTED_MEDIA_TYPE",
    request: () => also({ params: { id: odd.picture } }, { op: "append", text: "!" }),
  },
  {
    operation: "editFile",
    gives: "EXTRACTION_FAILED",
    request: () => also({ params: { id: odd.noText } }, { op: "append", text: "!" }),
  },
  {
    operation: "readText",
    gives: "UNSUPPORTED_MEDIA_TYPE",
    request: () => ({ params: { id: odd.picture } }),
  },
  { operation: "readText", gives: "EXTRACTION_FAILED", request: () => ({ params: { id: odd.noText } }) },
  {
    operation: "mcp",
    gives: "UNAUTHORIZED",
    as: "nobody",
    request: () => message("tools/call", { name: "list_drives" }),
  },
  {
    operation: "mcp",
    gives: "FORBIDDEN",
    as: "adaReader",
    request: () => message("tools/call", { name: "delete_files" }),
  },
  { operation: "compareVersions", gives: "UNSUPPORTED_MEDIA_TYPE", request: () => compared(odd.picture) },
  { operation: "compareVersions", gives: "EXTRACTION_FAILED", request: () => compared(odd.noText) },
  { operation: "compareVersions", gives: "PAYLOAD_TOO_LARGE", request: () => compared(odd.longJson) },
  ...["extractFile", "getExtract"].flatMap((operation): Case[] => [
    { operation, gives: "UNSUPPORTED_MEDIA_TYPE", request: () => ({ params: { id: odd.picture } }) },
    { operation, gives: "EXTRACTION_FAILED", request: () => ({ params: { id: odd.brokenJson } }) },
    { operation, gives: "PAYLOAD_TOO_LARGE", request: () => ({ params: { id: odd.longJson } }) },
  ]),
  ...(
    [
      ["a.png", "UNSUPPORTED_MEDIA_TYPE"],
      ["a.json", "EXTRACTION_FAILED"],
      ["long.json", "PAYLOAD_TOO_LARGE"],
    ] as const
  ).map(([path, gives]): Case => {
    const request = () => ({ params: { token: oddShare }, query: { path } });
    return { operation: "extractShared", gives, as: "nobody", request };
  }),
  {
    operation: "downloadFile",
    gives: "FORBIDDEN",
    request: (t) => under(file(t), { "sec-fetch-dest": "script" }),
  },
  {
    operation: "downloadByLink",
    gives: "FORBIDDEN",
    as: "nobody",
    request: (t) => under(link(t), { "sec-fetch-dest": "style" }),
  },
  {
    operation: "downloadVersion",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(version(t), OTHER_ETAG),
  },
  {
    operation: "downloadVersion",
    gives: "RANGE_NOT_SATISFIABLE",
    request: (t) => under(version(t), { range: "bytes=99-" }),
  },
  {
    operation: "downloadVersion",
    gives: "FORBIDDEN",
    request: (t) => under(version(t), { "sec-fetch-dest": "script" }),
  },
  {
    operation: "restoreVersion",
    gives: "PRECONDITION_FAILED",
    request: (t) => under(version(t), OTHER_ETAG),
  },
  { operation: "downloadFile", gives: "PRECONDITION_FAILED", request: (t) => under(file(t), OTHER_ETAG) },
  {
    operation: "downloadFile",
    gives: "RANGE_NOT_SATISFIABLE",
    request: (t) => under(file(t), { range: "bytes=99-" }),
  },
  {
    operation: "downloadByLink",
    gives: "PRECONDITION_FAILED",
    as: "nobody",
    request: (t) => under(link(t), OTHER_ETAG),
  },
  {
    operation: "downloadByLink",
    gives: "RANGE_NOT_SATISFIABLE",
    as: "nobody",
    request: (t) => under(link(t), { range: "bytes=99-" }),
  },
  { operation: "downloadByLink", gives: "GONE", as: "nobody", after: true, request: link },
  {
    operation: "createUploadLink",
    gives: "NOT_FOUND",
    request: () => ({ body: { drive_id: NOWHERE, path: "a" } }),
  },
  {
    operation: "createUploadLink",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => ({ body: { drive_id: bobs().drive, path: "a" } }),
  },
  {
    operation: "createLink",
    gives: "NOT_FOUND",
    request: () => ({ body: { drive_id: NOWHERE, path: "a" } }),
  },
  {
    operation: "createLink",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => ({ body: { drive_id: bobs().drive, path: "/" } }),
  },
  { operation: "listLinks", gives: "NOT_FOUND", request: () => ({ query: { drive_id: NOWHERE } }) },
  {
    operation: "createWebhook",
    gives: "NOT_FOUND",
    request: () => ({ body: { ...HOOK, drive_id: NOWHERE } }),
  },
  { operation: "createWebhook", gives: "QUOTA_EXCEEDED", as: "bob", request: () => ({ body: HOOK }) },
  { operation: "listWebhooks", gives: "NOT_FOUND", request: () => ({ query: { drive_id: NOWHERE } }) },
  { operation: "getWebhook", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE } }) },
  { operation: "updateWebhook", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE }, body: {} }) },
  { operation: "deleteWebhook", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE } }) },
  { operation: "testWebhook", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE } }) },
  { operation: "testWebhook", gives: "CONFLICT", as: "bob", request: () => ({ params: { id: bobsHook } }) },
  { operation: "listWebhookDeliveries", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE } }) },
  {
    operation: "resendWebhookDelivery",
    gives: "NOT_FOUND",
    request: ({ webhook }) => ({ params: { id: webhook, did: NOWHERE } }),
  },
  {
    operation: "resendWebhookDelivery",
    gives: "CONFLICT",
    as: "bob",
    request: () => ({ params: { id: bobsHook, did: NOWHERE } }),
  },
  { operation: "revokeLink", gives: "NOT_FOUND", request: () => ({ params: { id: NOWHERE } }) },
  ...["getShared", "listSharedFiles", "downloadShared", "extractShared", "downloadSharedArchive"].flatMap(
    (operation): Case[] => [
      { operation, gives: "NOT_FOUND", as: "nobody", request: () => ({ params: { token: "none" } }) },
      { operation, gives: "UNAUTHORIZED", as: "nobody", request: (t) => ({ params: { token: t.locked } }) },
      { operation, gives: "GONE", as: "nobody", request: (t) => ({ params: { token: t.over } }) },
    ],
  ),
  {
    operation: "downloadShared",
    gives: "FORBIDDEN",
    as: "nobody",
    request: (t) => under(sharing(t), { "sec-fetch-dest": "script" }),
  },
  {
    operation: "downloadShared",
    gives: "PRECONDITION_FAILED",
    as: "nobody",
    request: (t) => under(sharing(t), OTHER_ETAG),
  },
  {
    operation: "downloadShared",
    gives: "RANGE_NOT_SATISFIABLE",
    as: "nobody",
    request: (t) => under(sharing(t), { range: "bytes=99-" }),
  },
  { operation: "unlockShared", gives: "NOT_FOUND", as: "nobody", request: () => guessing("none", "x") },
  { operation: "unlockShared", gives: "UNAUTHORIZED", as: "nobody", request: (t) => guessing(t.locked, "x") },
  { operation: "unlockShared", gives: "GONE", as: "nobody", request: (t) => guessing(t.over, "x") },
  { operation: "uploadByLink", gives: "NOT_FOUND", as: "nobody", request: () => ({ body: HELLO_TEXT }) },
  { operation: "uploadByLink", gives: "GONE", as: "nobody", after: true, request: replacingLink },
  {
    operation: "uploadByLink",
    gives: "CONFLICT",
    as: "nobody",
    request: (t) => ({ params: { token: t.uploads.blocked }, body: HELLO_TEXT }),
  },
  {
    operation: "uploadByLink",
    gives: "PRECONDITION_FAILED",
    as: "nobody",
    request: (t) => under(replacingLink(t), { "if-none-match": "*" }),
  },
  {
    operation: "uploadByLink",
    gives: "QUOTA_EXCEEDED",
    as: "nobody",
    request: () => ({ params: { token: bobsUpload }, body: FULL }),
  },
  { operation: "searchFiles", gives: "NOT_FOUND", request: () => ({ query: { q: "x", drive_id: NOWHERE } }) },
  { operation: "listChanges", gives: "NOT_FOUND", request: () => ({ query: { drive_id: NOWHERE } }) },
  { operation: "listChanges", gives: "GONE", request: () => ({ query: { cursor: NEVER } }) },
  {
    operation: "grepFiles",
    gives: "NOT_FOUND",
    request: () => ({ query: { pattern: "x", drive_id: NOWHERE } }),
  },
  {
    operation: "listFolders",
    gives: "NOT_FOUND",
    request: (t) => ({ query: { drive_id: t.drive, path: "none/" } }),
  },
  { operation: "createFolder", gives: "NOT_FOUND", request: (t) => folder({ ...t, drive: NOWHERE }, "a/") },
  { operation: "createFolder", gives: "CONFLICT", request: (t) => folder(t, "dir/other/") },
  { operation: "createFolder", gives: "QUOTA_EXCEEDED", as: "bob", request: () => folder(bobs(), "new/") },
  {
    operation: "moveFolder",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(transfer(bobs(), "new/moved/"), { path: "notes/" }),
  },
  { operation: "moveFolder", gives: "NOT_FOUND", request: (t) => transfer({ ...t, drive: NOWHERE }, "a/") },
  { operation: "moveFolder", gives: "CONFLICT", request: (t) => transfer(t, "dir/") },
  { operation: "copyFolder", gives: "NOT_FOUND", request: (t) => transfer({ ...t, drive: NOWHERE }, "a/") },
  { operation: "copyFolder", gives: "CONFLICT", request: (t) => transfer(t, "dir/inside/") },
  {
    operation: "copyFolder",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(transfer(bobs(), "copied/"), { path: "notes/" }),
  },
  { operation: "deleteFolder", gives: "NOT_FOUND", request: (t) => folder(t, "none/") },
  { operation: "listTrash", gives: "NOT_FOUND", request: () => ({ query: { drive_id: NOWHERE } }) },
  {
    operation: "restoreTrashEntry",
    gives: "CONFLICT",
    request: (t) => also(trashed(t), { path: "dir/other" }),
  },
  { operation: "emptyTrash", gives: "NOT_FOUND", request: () => ({ body: { drive_id: NOWHERE } }) },
  {
    operation: "restoreSnapshot",
    gives: "CONFLICT",
    request: () => also({ params: blocked }, { path: "a/b/" }),
  },
  {
    operation: "forkDrive",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => also(drive(bobs()), { name: "Fork" }),
  },
  ...["listWorks", "getWork", "cancelWork"].map((operation) => ({
    operation,
    gives: "NOT_FOUND" as const,
    request: () => ({ params: { id: NOWHERE } }),
  })),
  { operation: "createSnapshot", gives: "QUOTA_EXCEEDED", as: "bob", request: () => drive(bobs()) },
  {
    operation: "createKey",
    gives: "QUOTA_EXCEEDED",
    as: "bob",
    request: () => ({ body: { drive_id: world.drives.bob } }),
  },
  { operation: "createKey", gives: "NOT_FOUND", request: () => ({ body: { drive_id: NOWHERE } }) },
  {
    operation: "logIn",
    gives: "UNAUTHORIZED",
    as: "nobody",
    request: () => ({ body: { username: "ada", password: "wrong" } }),
  },
  {
    operation: "signUp",
    gives: "CONFLICT",
    as: "nobody",
    request: () => ({ body: { username: "ada", password: "long enough" } }),
  },
  {
    operation: "setUp",
    gives: "GONE",
    as: "nobody",
    request: () => ({ body: { token: "x", username: "ada", password: "long enough" } }),
  },
];

/** The records of an answer, bare or in an envelope. */
function listIn<T>({ text }: Answer): T[] {
  const json: T[] | { data: T[] } = JSON.parse(text);
  return Array.isArray(json) ? json : json.data;
}

/** Bob's drive, which is as full as it may be, and a file in it. */
function bobs(): Target {
  return {
    drive: world.drives.bob,
    file: world.files.bob,
    key: "",
    snapshot: "",
    trash: "",
    member: "",
    link: "",
    share: { id: "", token: "" },
    locked: "",
    over: "",
    webhook: "",
    delivery: "",
    uploads: { making: "", replacing: "", blocked: "" },
    claim: "",
  };
}

/** The operations on a file that is named by its id; each has another that takes its drive and path. */
const OF_FILE: readonly string[] = [
  "getFile",
  "updateFile",
  "deleteFile",
  "copyFile",
  "moveFile",
  "downloadFile",
  "listVersions",
  "downloadVersion",
  "compareVersions",
  "restoreVersion",
  "deleteVersion",
  "readText",
  "editFile",
  "extractFile",
  "getExtract",
  "createPresignedUrl",
];

function withByPath(cases: readonly Case[]): Case[] {
  const ofFile = cases.filter(({ operation }) => OF_FILE.includes(operation));
  return [
    ...cases,
    ...ofFile.map((each) => ({
      ...each,
      operation: `${each.operation}ByPath`,
      request: (target: Target) => byPath(each.request?.(target) ?? {}),
    })),
  ];
}

function byPath({ params: { id = "", ...params } = {}, ...request }: Request): Request {
  return { ...request, params, query: { ...request.query, ...places.get(id) } };
}

for (const [name, cases] of [
  ["every success", withByPath(SUCCESSES)],
  ["the refusals of its own", withByPath(REFUSALS)],
] as const) {
  describe(`each operation answers as described: ${name}`, () => {
    for (const { operation, gives, as = "ada", after = false, request } of cases) {
      test(`${operation} ${gives}`, async () => {
        const asked: Request = request?.(await makeTarget()) ?? {};
        const { method } = description.operation(operation);
        if (after) {
          const options = asked.body === undefined ? {} : { body: asked.body };
          const address = addressOf(description.operation(operation), asked);
          expect((await world.clients[as].send(method, address, options)).status).toBe(200);
        }
        await ask(operation, gives, asked, as);
      });
    }
  });
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

/** One body for all operations has fields that one of them does not know. */
const LENIENT = { prefer: "handling=lenient" };

/** What no body of a request about something that is not there lacks. */
const ANY_BODY = {
  name: "x",
  destination_path: "x",
  allow: true,
  op: "append",
  text: "x",
  username: "bob",
  role: "reader",
  password: "x",
};

/** What is refused before its meaning counts, by code: the operations to which it is, and what is sent. */
const GENERAL: readonly {
  readonly code: Code;
  readonly as: CallerName;
  readonly isMet: (operation: DescribedOperation) => boolean;
  readonly request: (operation: DescribedOperation, address: string) => [string, RequestOptions];
}[] = [
  {
    code: "UNAUTHORIZED",
    as: "nobody",
    isMet: ({ isGuarded }) => isGuarded,
    request: (_, address) => [address, {}],
  },
  {
    code: "FORBIDDEN",
    as: "adaReader",
    isMet: ({ method, path }) => path.startsWith("/v0/") && method !== "GET",
    request: (_, address) => [address, {}],
  },
  {
    code: "FORBIDDEN",
    as: "nobody",
    isMet: ({ method, path }) => path.startsWith("/auth/") && method === "POST",
    request: (_, address) => [
      address,
      { body: { token: "x", username: "x", password: "x" }, headers: { origin: "https://evil.example" } },
    ],
  },
  {
    code: "VALIDATION_ERROR",
    as: "ada",
    isMet: ({ codes }) => codes.includes("VALIDATION_ERROR"),
    request: malformed,
  },
  {
    code: "PAYLOAD_TOO_LARGE",
    as: "ada",
    isMet: ({ method }) => method !== "GET",
    request: (_, address) => [address, { body: PAST_ANY_LIMIT }],
  },
  {
    code: "UNSUPPORTED_MEDIA_TYPE",
    as: "ada",
    isMet: ({ hasBody }) => hasBody,
    request: (_, address) => [address, { body: "coded", headers: { "content-encoding": "gzip" } }],
  },
  {
    code: "NOT_FOUND",
    as: "ada",
    isMet: ({ path, parameters }) => parameters.path.length > 0 && !path.startsWith("/v0/files/by-path"),
    request: ({ hasBody }, address) => [address, hasBody ? { body: ANY_BODY, headers: LENIENT } : {}],
  },
  {
    code: "NOT_FOUND",
    as: "ada",
    isMet: ({ path }) => path.startsWith("/v0/files/by-path"),
    request: ({ hasBody }, address) => [
      `${address}?drive_id=${world.drives.ada}&path=none`,
      hasBody ? { body: { destination_path: "x", op: "append", text: "x" }, headers: LENIENT } : {},
    ],
  },
];

/** What a key may not ask, only somebody signed in. */
const SIGNED_IN: readonly string[] = [
  "listUsers",
  "createUser",
  "updateUser",
  "changePassword",
  "getAuthorizationRequest",
  "decideAuthorizationRequest",
];

/** The headers of Ada's browser, newly signed in, on a page of ours. */
async function browserOf(appliance: TestAppliance, password: string): Promise<Record<string, string>> {
  const answer = await appliance
    .client()
    .send("POST", "/auth/login", { body: { username: "ada", password } });
  return { cookie: `coffer_session=${sessionIn(answer)}`, origin: appliance.appliance.url };
}

describe("each operation answers as described: the refusals of many", () => {
  for (const { code, as, isMet, request } of GENERAL) {
    test(`${code} to ${as}`, async () => {
      const operations = description.operations.filter(isMet);
      expect(operations).not.toEqual([]);
      const headers = as === "ada" ? await browserOf(coffer, "ada's password") : {};
      for (const operation of operations) {
        const [address, options] = request(operation, addressOf(operation, {}));
        const isSignedIn = as === "ada" && SIGNED_IN.includes(operation.id);
        await send(
          operation,
          code,
          address,
          isSignedIn ? { ...options, headers: { ...options.headers, ...headers } } : options,
          isSignedIn ? "nobody" : as,
        );
      }
    });
  }

  test("RATE_LIMITED", async () => {
    await using strict = await startAppliance({ "rate-limits": "free=1,pro=1,team=1" });
    await strict.client().send("GET", "/v0/drives");
    for (const operation of description.operations.filter(({ path }) => /^\/(v0|mcp)(\/|$)/.test(path))) {
      await send(operation, "RATE_LIMITED", addressOf(operation, {}), {}, "nobody", strict);
    }
  });
});

describe("what takes an appliance or a browser of its own is answered as described", () => {
  test("the setup link", async () => {
    await using fresh = await startAppliance();
    const first = { username: "ada", password: "long enough" };
    const token = new URL(fresh.appliance.setupLink ?? "").searchParams.get("token") ?? "";
    await ask("checkSetup", 200, { query: { token } }, "nobody", fresh);
    await ask("setUp", "NOT_FOUND", { body: { ...first, token: "x" } }, "nobody", fresh);
    const answer = await ask("setUp", 200, { body: { ...first, token } }, "nobody", fresh);
    const cookie = `coffer_session=${sessionIn(answer)}`;
    await ask("getAccount", 200, { headers: { cookie } }, "nobody", fresh);
    const origin = fresh.appliance.url;
    await ask("createDrive", 201, { body: { name: "D" }, headers: { cookie, origin } }, "nobody", fresh);
    await ask("createDrive", "FORBIDDEN", { body: { name: "D" }, headers: { cookie } }, "nobody", fresh);
    await ask("logOut", 200, { headers: { cookie } }, "nobody", fresh);
  });

  test("what only somebody signed in may ask", async () => {
    await using fresh = await startAppliance();
    await fresh.appliance.services.users.createFromShell("ada", "long enough");
    const headers = await browserOf(fresh, "long enough");
    const asSignedIn = (id: string, gives: number | Code, request: Request = {}) =>
      ask(id, gives, { ...request, headers }, "nobody", fresh);
    await asSignedIn("listUsers", 200);
    const bob = { username: "bob", password: "long enough" };
    const made: { data: { id: string } } = JSON.parse(
      (await asSignedIn("createUser", 201, { body: bob })).text,
    );
    await asSignedIn("createUser", "CONFLICT", { body: bob });
    await asSignedIn("updateUser", 200, {
      params: { id: made.data.id },
      body: { plan: "pro", disabled: true },
    });
    const params = { id: await pendingRequest(fresh) };
    await asSignedIn("getAuthorizationRequest", 200, { params });
    await asSignedIn("decideAuthorizationRequest", 200, { params, body: { allow: true } });
    await asSignedIn("changePassword", 200, {
      body: { current: "long enough", password: "longer than that" },
    });
    await browserOf(fresh, "longer than that");
    const sessions: { id: string; current: boolean }[] = listIn(await asSignedIn("listSessions", 200));
    const other = sessions.find(({ current }) => !current);
    await asSignedIn("endSession", 200, { params: { id: other?.id ?? "" } });
  });

  test("an Idempotency-Key whose response there is no room for", async () => {
    const limits = { "storage-limits": "free=1000,pro=1000,team=1000" };
    await using fresh = await startAppliance(limits);
    const { id } = await fresh.appliance.services.users.createFromShell("ada", "long enough");
    const headers = { ...(await browserOf(fresh, "long enough")), "idempotency-key": crypto.randomUUID() };
    changeDatabase(fresh.dataDir, `INSERT INTO idempotency_use VALUES ('${id}', ${RECORD_ROOM_BYTES})`);
    const keyed = description.operations.filter(
      ({ isGuarded, parameters }) => isGuarded && parameters.header.includes("Idempotency-Key"),
    );
    expect(keyed.length).toBeGreaterThan(15);
    for (const operation of keyed) await ask(operation.id, "QUOTA_EXCEEDED", { headers }, "nobody", fresh);
  });

  test("a claim link that was used", async () => {
    const { claim: token } = await makeTarget();
    await ask("claimDrive", 200, { body: { token } });
    await ask("previewClaim", "CONFLICT", { params: { token } }, "nobody");
  });

  test("a claim that comes too late", async () => {
    const { claim: token } = await makeTarget();
    coffer.clock.advance(31 * 24 * 60 * 60 * 1000);
    await ask("claimDrive", "GONE", { body: { token } });
    await ask("previewClaim", "GONE", { params: { token } }, "nobody");
  });

  test("the way through a provider", async () => {
    const jar = new CookieJar();
    const back = await signInThere(jar, `${coffer.appliance.baseUrl}/auth/oidc/start`, "sub-ada");
    const headers = { cookie: jar.header(back) };
    await ask("finishOidc", 303, { query: Object.fromEntries(back.searchParams), headers }, "nobody");
    await ask("finishOidc", "VALIDATION_ERROR", { headers }, "nobody");
    for (const [code, query] of [
      ["UNAUTHORIZED", { code: "x" }],
      ["FORBIDDEN", { error: "access_denied" }],
    ] as const) {
      const start = await ask("startOidc", 303, {}, "nobody");
      const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? "";
      const [cookie = ""] = (start.headers.get("set-cookie") ?? "").split(";");
      const said = { ...query, state, iss: provider.issuer };
      await ask("finishOidc", code, { query: said, headers: { cookie } }, "nobody");
    }
  });

  const often: readonly (readonly [operation: string, request: Request])[] = [
    ["logIn", { body: { username: "zoe", password: "wrong" } }],
    ["signUp", { body: { username: "-", password: "long enough" } }],
    ["startOidc", {}],
    ["authorize", {}],
    ["getToken", {}],
    ["revokeToken", {}],
    ["registerClient", { body: {} }],
  ];
  test.each(often)("%s, too often", async (id, request) => {
    const operation = description.operation(id);
    const address = addressOf(operation, request);
    const options = request.body === undefined ? {} : { body: request.body };
    for (let n = 0; n < 61; n += 1) {
      const { status } = await coffer.client().send(operation.method, address, options);
      if (status === 429) break;
    }
    await ask(id, "RATE_LIMITED", request, "nobody");
  });

  test("the way of an application", async () => {
    // Only so many may come from one address in an hour.
    coffer.clock.advance(60 * 60 * 1000);
    for (const id of ["getMcpMetadata", "getResourceMetadata", "getServerMetadata"]) {
      await ask(id, 200, {}, "nobody");
      await ask(id, "NOT_FOUND");
    }
    const registered = await ask(
      "registerClient",
      201,
      { body: { redirect_uris: [REDIRECT_URI] } },
      "nobody",
    );
    const { client_id }: { client_id: string } = JSON.parse(registered.text);
    await ask("authorize", 303, { query: { client_id, redirect_uri: REDIRECT_URI } }, "nobody");
    const { clientId, refreshToken } = await letIn(coffer, beginSession(coffer, "ada").browser);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const fields = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
    await ask("getToken", 200, { body: new URLSearchParams(fields).toString(), headers }, "nobody");
    await ask("revokeToken", 200, { body: "token=none", headers }, "nobody");
  });

  test("a provider that does not answer", async () => {
    await using alone = await startAppliance({
      "oidc-issuer": "http://127.0.0.1:1",
      "oidc-client-id": CLIENT.id,
      "oidc-client-secret": CLIENT.secret,
    });
    await ask("startOidc", "INTERNAL", {}, "nobody", alone);
  });

  test("a disk at its reserve", async () => {
    await using full = await startAppliance({ "disk-reserve": "1000TB" });
    const { data } = await full
      .client()
      .post<{ data: { drive_id: string; api_key: string } }>("/v0/drives/provision", { name: "D" });
    const headers = { authorization: `Bearer ${data.api_key}` };
    const body = { drive_id: data.drive_id, filename: "f", content: HELLO };
    await ask("uploadFile", "STORAGE_FULL", { body, headers }, "nobody", full);
  });

  test("a content that drips", async () => {
    await using patient = await startAppliance({ "min-upload-speed": "1KiB" });
    const { data } = await patient
      .client()
      .post<{ data: { drive_id: string; api_key: string } }>("/v0/drives/provision", { name: "D" });
    const headers = { authorization: `Bearer ${data.api_key}` };
    const operation = description.operation("putFile");
    const address = addressOf(operation, { query: { drive_id: data.drive_id, path: "slow" } });
    // A minute passes before each byte.
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        patient.clock.advance(60_000);
        controller.enqueue(new Uint8Array(1));
        await Bun.sleep(1);
      },
    });
    const answer = await patient.client().send("PUT", address, { body, headers });
    expect([answer.status, description.answerFaults(operation, answer)]).toEqual([408, []]);
    seen.add("putFile REQUEST_TIMEOUT");
  });

  test("a write whose first try is still under way", async () => {
    const { drive: id } = await makeTarget();
    const operation = description.operation("putFile");
    const address = addressOf(operation, { query: { drive_id: id, path: "slow" } });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const hold = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        controller.enqueue(new Uint8Array(10));
        await hold.promise;
        controller.close();
      },
    });
    const slow = world.clients.ada.send("PUT", address, { body, headers });
    // Once it was let in, another under its key is told to wait; one that is refused leaves the key to it.
    const refused = { body: {}, headers };
    await eventually(
      async () => (await world.clients.ada.send("POST", "/v0/folders", refused)).status === 409,
    );
    await send(operation, "IDEMPOTENCY_IN_PROGRESS", address, { body: "x", headers }, "ada");
    hold.resolve();
    expect((await slow).status).toBe(201);
  });
});

test("every operation was seen to give every success and every refusal it describes", () => {
  const described = description.operations.flatMap(({ id, successes, codes }) =>
    [...successes, ...codes.filter((code) => code !== BROKEN && !RARE.includes(code))].map(
      (gives) => `${id} ${gives}`,
    ),
  );
  expect(described.filter((each) => !seen.has(each))).toEqual([FLOODED]);
  for (const code of RARE) expect([...seen].some((each) => each.endsWith(` ${code}`))).toBe(true);
});

test("every example and default is what its schema says", () => {
  expect(description.exampleFaults()).toEqual([]);
});
