import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { RawClient } from "../../http/raw-client.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { byPath } from "../../support/samples/by-path.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json, RequestOptions } from "../../support/server/client.ts";
import { pendingRequest } from "../../support/peers/oauth.ts";
import { recordWork } from "../../support/faults/recorded-work.ts";
import {
  eventually,
  expectCommonRules,
  HELLO,
  HELLO_DIGEST,
  openStage,
} from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { HOOK, makeWebhook, takeSnapshot } from "../../support/server/targets.ts";

const stage = openStage();
const DAY = 24 * 60 * 60 * 1000;

let keys = 0;
function newKey(): string {
  keys += 1;
  return `key ${keys} ${crypto.randomUUID()}`;
}

/** A request as it can be sent any number of times. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: Json | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(client: Client, key: string, { method, path, body, headers }: Sent): Promise<Answer> {
  const options: RequestOptions = { headers: { ...headers, "idempotency-key": key } };
  return client.send(method, path, body === undefined ? options : { ...options, body });
}

/** The answer as a repeated request must get it again. */
function essence({ status, headers, text }: Answer): unknown {
  return { status, text, type: headers.get("content-type"), etag: headers.get("etag") };
}

function expectReplay(answer: Answer, first: Answer): void {
  expectCommonRules("POST", answer);
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  expect(essence(answer)).toEqual(essence(first));
}

function expectFirst(answer: Answer, status: number): void {
  expectCommonRules("POST", answer);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(answer.headers.get("idempotency-replayed")).toBeNull();
}

/** A drive of Ada's with a file, a folder and a key, for one test alone. */
interface Target {
  readonly drive: string;
  readonly file: string;
  readonly key: string;
  /** Carol's id, who is a reader of the drive. */
  readonly member: string;
  /** Of an unclaimed drive. */
  readonly claimToken: string;
  /** Somebody who is in no other test. */
  readonly user: string;
  /** Of a link to upload to. */
  readonly uploadToken: string;
  /** The ids of a webhook and of a delivery of it. */
  readonly webhook: string;
  readonly delivery: string;
  /** The id of that link. */
  readonly link: string;
  /** A session of Ada's. */
  readonly session: string;
  /** The ticket of an application's request. */
  readonly request: string;
  /** Of the drive. */
  readonly snapshot: string;
  /** The entries of a file and of a folder in the trash of the drive. */
  readonly trash: { readonly file: string; readonly folder: string };
}

async function makeTarget(): Promise<Target> {
  const { ada } = stage.world.clients;
  const made = await ada.post<{ data: { id: string } }>("/v0/drives", { name: "Target" });
  const drive = made.data.id;
  const address = `/v0/files?drive_id=${drive}&path=sub/f.txt`;
  const file = await ada.json<{ id: string }>(201, "PUT", address, { body: "w" });
  await ada.json(200, "PUT", address, { body: "x" });
  const key = await ada.makeKey();
  const member = await ada.post<{ data: { user_id: string } }>(`/v0/drives/${drive}/members`, {
    username: "carol",
    role: "reader",
  });
  const unclaimed = await stage.coffer
    .client()
    .post<{ data: { claim_url: string } }>("/v0/drives/provision", { name: "Unclaimed" });
  const claimToken = unclaimed.data.claim_url.split("/").at(-1) ?? "";
  const link = await ada.post<{ id: string; url: string }>("/v0/upload-links", {
    drive_id: drive,
    path: "by-link",
  });
  return {
    uploadToken: link.url.split("/").at(-1) ?? "",
    link: link.id,
    ...(await makeWebhook(ada, drive)),
    drive,
    file: file.id,
    key: key.id,
    member: member.data.user_id,
    claimToken,
    user: makeUser(),
    session: beginSession(stage.coffer, "ada").id,
    request: await pendingRequest(stage.coffer),
    snapshot: await takeSnapshot(ada, drive),
    trash: await fillTrash(drive),
  };
}

async function fillTrash(drive: string): Promise<Target["trash"]> {
  const { ada } = stage.world.clients;
  const gone = `drive_id=${drive}&path=gone.txt`;
  await ada.json(201, "PUT", `/v0/files?${gone}`, { body: "x" });
  const file = await ada.delete<{ trash_id: string }>(`/v0/files/by-path?${gone}`);
  await ada.put(drive, "gone/x.txt", "x");
  const body = { drive_id: drive, path: "gone/", confirm: true };
  const folder = await ada.delete<{ trash_id: string }>("/v0/folders", body);
  return { file: file.trash_id, folder: folder.trash_id };
}

/** All that Ada can see of the target, and how many unclaimed drives there are. */
async function snapshot({ drive }: Target): Promise<unknown> {
  const { ada } = stage.world.clients;
  // So that refusals of the same kind are equal.
  const headers = { "x-request-id": "snapshot" };
  const list = await ada.send("GET", `/v0/files?drive_id=${drive}&limit=1000`, { headers });
  const folders = await ada.send("GET", `/v0/files?drive_id=${drive}&delimiter=/`, { headers });
  const own = await ada.get<{ data: { id: string; updated_at: string }[] }>("/v0/drives");
  const ids = await ada.get<{ id: string }[]>("/v0/keys");
  return [
    list.text,
    folders.text,
    own,
    ids.map(({ id }) => id),
    (await ada.send("GET", `/v0/drives/${drive}/members`, { headers })).text,
    countRows("drive"),
    countRows("presigned_link"),
    countRows("upload_link"),
    countRows("snapshot"),
    countRows("trash WHERE state = 'kept'"),
    countRows("file_version"),
    countRows("share_link"),
    countRows("webhook"),
    countRows("webhook_delivery WHERE type = 'webhook.test'"),
    countRows("user"),
  ];
}

function countRows(table: string, dataDir = stage.coffer.dataDir): number {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  return sql.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1;
}

let users = 0;

/** Somebody new, who has no password; their id. */
function makeUser(): string {
  users += 1;
  const user = Bun.randomUUIDv7();
  changeDatabase(
    stage.coffer.dataDir,
    `INSERT INTO user (id, username, plan, created_at) VALUES ('${user}', 'user-${users}', 'free', 1)`,
  );
  return user;
}

interface Route {
  /** As the API description has it. */
  readonly route: string;
  readonly about?: string;
  readonly anonymous?: boolean;
  /** Whether it needs somebody signed in, whom no key stands for. */
  readonly signedIn?: boolean;
  readonly path?: (target: Target) => string;
  readonly body?: (target: Target) => Json | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

const BOUNDARY = "a-boundary";

function form(fields: Record<string, string>, content: string): Uint8Array<ArrayBuffer> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="form.txt"\r\n\r\n${content}\r\n`;
  return new TextEncoder().encode(`${parts.join("")}${file}--${BOUNDARY}--\r\n`);
}

const ofFile = ({ file }: Target) => `/v0/files/${file}`;

const ENTRIES: readonly Route[] = [
  { route: "POST /v0/drives/provision", anonymous: true, body: () => ({ name: "Provisioned" }), status: 201 },
  { route: "POST /v0/drives", body: () => ({ name: "Made" }), status: 201 },
  { route: "POST /v0/drives/claim", body: ({ claimToken }) => ({ token: claimToken }), status: 200 },
  {
    route: "PATCH /v0/drives/{id}",
    path: ({ drive }) => `/v0/drives/${drive}`,
    body: () => ({ name: "Renamed", description: "Anew" }),
    status: 200,
  },
  { route: "DELETE /v0/drives/{id}", path: ({ drive }) => `/v0/drives/${drive}`, status: 200 },
  {
    route: "POST /v0/drives/{id}/snapshots",
    path: ({ drive }) => `/v0/drives/${drive}/snapshots`,
    body: () => ({ name: "Taken" }),
    status: 201,
  },
  {
    route: "POST /v0/drives/{id}/fork",
    path: ({ drive }) => `/v0/drives/${drive}/fork`,
    body: () => ({ name: "Forked" }),
    status: 201,
  },
  {
    route: "POST /v0/drives/{id}/snapshots/{sid}/restore",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}/restore`,
    body: () => ({ path: "sub/" }),
    status: 200,
  },
  {
    route: "DELETE /v0/drives/{id}/snapshots/{sid}",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}`,
    status: 200,
  },
  {
    route: "POST /v0/drives/{id}/works/{wid}/cancel",
    path: ({ drive }) =>
      `/v0/drives/${drive}/works/${recordWork(stage.coffer.dataDir, drive, "sub/")}/cancel`,
    status: 200,
  },
  {
    route: "POST /v0/trash/{id}/restore",
    path: ({ trash }) => `/v0/trash/${trash.file}/restore`,
    body: () => ({ path: "back.txt" }),
    status: 200,
  },
  {
    route: "POST /v0/trash/{id}/restore",
    about: "of a folder",
    path: ({ trash }) => `/v0/trash/${trash.folder}/restore`,
    status: 200,
  },
  { route: "DELETE /v0/trash/{id}", path: ({ trash }) => `/v0/trash/${trash.file}`, status: 200 },
  { route: "DELETE /v0/trash", body: ({ drive }) => ({ drive_id: drive, confirm: true }), status: 200 },
  {
    route: "POST /v0/drives/{id}/members",
    path: ({ drive }) => `/v0/drives/${drive}/members`,
    body: () => ({ username: "dan", role: "editor" }),
    status: 201,
  },
  {
    route: "POST /v0/drives/{id}/members",
    about: "of a member",
    path: ({ drive }) => `/v0/drives/${drive}/members`,
    body: () => ({ username: "carol", role: "editor" }),
    status: 200,
  },
  {
    route: "PATCH /v0/drives/{id}/members/{user_id}",
    path: ({ drive, member }) => `/v0/drives/${drive}/members/${member}`,
    body: () => ({ role: "editor" }),
    status: 200,
  },
  {
    route: "DELETE /v0/drives/{id}/members/{user_id}",
    path: ({ drive, member }) => `/v0/drives/${drive}/members/${member}`,
    status: 200,
  },
  {
    route: "POST /v0/files",
    body: ({ drive }) => ({ drive_id: drive, filename: "new.txt", content: HELLO, tags: ["a"] }),
    status: 201,
  },
  {
    route: "POST /v0/files",
    about: "over a file",
    body: ({ drive }) => ({ drive_id: drive, filename: "f.txt", path: "sub/f.txt", content: HELLO }),
    status: 200,
  },
  {
    route: "POST /v0/files",
    about: "as a form",
    body: ({ drive }) => form({ drive_id: drive }, "Hello World!"),
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    status: 201,
  },
  {
    route: "PUT /v0/files",
    path: ({ drive }) => `/v0/files?drive_id=${drive}&path=put.txt`,
    body: () => "Hello World!",
    status: 201,
  },
  {
    route: "PUT /v0/files",
    about: "of nothing",
    path: ({ drive }) => `/v0/files?drive_id=${drive}&path=empty.txt`,
    status: 201,
  },
  {
    route: "PUT /v0/files",
    about: "if there is none",
    path: ({ drive }) => `/v0/files?drive_id=${drive}&path=put.txt`,
    body: () => "Hello World!",
    headers: { "if-none-match": "*" },
    status: 201,
  },
  { route: "PATCH /v0/files/{id}", path: ofFile, body: () => ({ tags: ["b"] }), status: 200 },
  {
    route: "PATCH /v0/files/{id}",
    about: "if it is unchanged",
    path: ofFile,
    body: () => ({ filename: "renamed.txt" }),
    headers: { "if-match": "*" },
    status: 200,
  },
  { route: "DELETE /v0/files/{id}", path: ofFile, status: 200 },
  {
    route: "POST /v0/files/{id}/versions/{n}/restore",
    path: (target) => `${ofFile(target)}/versions/1/restore`,
    status: 200,
  },
  {
    route: "DELETE /v0/files/{id}/versions/{n}",
    path: (target) => `${ofFile(target)}/versions/1`,
    status: 200,
  },
  {
    route: "POST /v0/files/{id}/copy",
    path: (target) => `${ofFile(target)}/copy`,
    body: () => ({ destination_path: "copy.txt" }),
    status: 201,
  },
  {
    route: "POST /v0/files/{id}/move",
    path: (target) => `${ofFile(target)}/move`,
    body: () => ({ destination_path: "moved.txt" }),
    status: 200,
  },
  {
    route: "POST /v0/files/{id}/move",
    about: "onto itself",
    path: (target) => `${ofFile(target)}/move`,
    body: () => ({ destination_path: "sub/f.txt" }),
    status: 200,
  },
  {
    route: "POST /v0/files/{id}/presigned-url",
    path: (target) => `${ofFile(target)}/presigned-url`,
    body: () => ({ one_time: true }),
    status: 200,
  },
  {
    route: "POST /v0/upload-links",
    path: () => "/v0/upload-links",
    body: ({ drive }) => ({ drive_id: drive, path: "by-link" }),
    status: 201,
  },
  {
    route: "POST /v0/links",
    body: ({ drive }) => ({ drive_id: drive, path: "/", password: "open sesame" }),
    status: 201,
  },
  { route: "POST /v0/webhooks", body: ({ drive }) => ({ ...HOOK, drive_id: drive }), status: 201 },
  {
    route: "PATCH /v0/webhooks/{id}",
    path: ({ webhook }) => `/v0/webhooks/${webhook}`,
    body: () => ({ events: ["file.*"] }),
    status: 200,
  },
  { route: "DELETE /v0/webhooks/{id}", path: ({ webhook }) => `/v0/webhooks/${webhook}`, status: 200 },
  {
    route: "POST /v0/webhooks/{id}/test",
    path: ({ webhook }) => `/v0/webhooks/${webhook}/test`,
    status: 201,
  },
  {
    route: "POST /v0/webhooks/{id}/deliveries/{did}/resend",
    path: ({ webhook, delivery }) => `/v0/webhooks/${webhook}/deliveries/${delivery}/resend`,
    status: 200,
  },
  { route: "DELETE /v0/links/{id}", path: ({ link }) => `/v0/links/${link}`, status: 200 },
  {
    route: "PUT /v0/uploads/{token}",
    anonymous: true,
    path: ({ uploadToken }) => `/v0/uploads/${uploadToken}`,
    body: () => new TextEncoder().encode("by link"),
    status: 201,
  },
  {
    route: "POST /v0/files/{id}/edit",
    path: (target) => `${ofFile(target)}/edit`,
    body: () => ({ op: "append", text: "more" }),
    status: 200,
  },
  {
    route: "POST /v0/files/{id}/edit",
    about: "as a dry run",
    path: (target) => `${ofFile(target)}/edit`,
    body: () => ({ op: "append", text: "more", dry_run: true }),
    status: 200,
  },
  {
    route: "POST /v0/files/bulk-delete",
    path: () => "/v0/files/bulk-delete",
    body: ({ file }) => ({ file_ids: [file, "nothing"] }),
    status: 200,
  },
  { route: "POST /v0/folders", body: ({ drive }) => ({ drive_id: drive, path: "made/" }), status: 201 },
  {
    route: "POST /v0/folders",
    about: "that is there",
    body: ({ drive }) => ({ drive_id: drive, path: "sub/" }),
    status: 200,
  },
  {
    route: "POST /v0/folders/move",
    body: ({ drive }) => ({ drive_id: drive, path: "sub/", destination_path: "moved/" }),
    status: 200,
  },
  {
    route: "POST /v0/folders/copy",
    body: ({ drive }) => ({ drive_id: drive, path: "sub/", destination_path: "copied/" }),
    status: 201,
  },
  {
    route: "DELETE /v0/folders",
    body: ({ drive }) => ({ drive_id: drive, path: "sub/", confirm: true }),
    status: 200,
  },
  {
    route: "DELETE /v0/folders",
    about: "as a preview",
    body: ({ drive }) => ({ drive_id: drive, path: "sub/" }),
    status: 200,
  },
  { route: "POST /v0/keys", body: () => ({ name: "Made" }), status: 201 },
  { route: "DELETE /v0/keys/{id}", path: ({ key }) => `/v0/keys/${key}`, status: 200 },
  { route: "DELETE /v0/sessions", status: 200 },
  { route: "DELETE /v0/sessions/{id}", path: ({ session }) => `/v0/sessions/${session}`, status: 200 },
  {
    route: "POST /v0/account/password",
    signedIn: true,
    body: () => ({ current: "ada's password", password: "ada's password" }),
    status: 200,
  },
  {
    route: "POST /v0/oauth/requests/{id}",
    signedIn: true,
    path: ({ request }) => `/v0/oauth/requests/${request}`,
    body: () => ({ allow: true }),
    status: 200,
  },
  {
    route: "POST /v0/users",
    signedIn: true,
    body: ({ user }) => ({ username: `made-${user.slice(-12)}`, password: "long enough" }),
    status: 201,
  },
  {
    route: "PATCH /v0/users/{id}",
    signedIn: true,
    path: ({ user }) => `/v0/users/${user}`,
    body: () => ({ plan: "pro", disabled: true }),
    status: 200,
  },
];

function requestOf(route: Route, target: Target): Sent {
  const [method = "", template = ""] = route.route.split(" ");
  const path = route.path?.(target) ?? template;
  const headers = route.signedIn === true ? signedInHeaders() : route.headers;
  return {
    method,
    path,
    ...(route.body === undefined ? {} : { body: route.body(target) }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function signedInHeaders(): Record<string, string> {
  const { cookie } = beginSession(stage.coffer, "ada").browser;
  return { cookie, origin: stage.coffer.appliance.url };
}

/** Requests that differ from one in one thing each. */
function othersThan(request: Sent): Sent[] {
  const { path, body, headers } = request;
  const others = [
    { ...request, headers: { ...headers, "if-match": '"other"' } },
    {
      ...request,
      headers: { ...headers, prefer: "handling=lenient" },
      path: `${path}${path.includes("?") ? "&" : "?"}other=1`,
    },
  ];
  if (typeof body === "string") return [...others, { ...request, body: `${body}!` }];
  if (typeof body !== "object" || body === null || Array.isArray(body) || body instanceof Uint8Array) {
    return others;
  }
  return [...others, { ...request, body: { ...body, filename: "other", tags: ["other"] } }];
}

/** The same about a file at a path. */
const BY_PATH = ENTRIES.filter(({ route }) => route.includes("/v0/files/{id}")).map((entry): Route => ({
  ...entry,
  route: entry.route.replace("{id}", "by-path"),
  path: (target) => byPath(entry.path?.(target) ?? "", { ...target, path: "sub/f.txt" }),
}));

/** Every write there is. */
const ROUTES: readonly Route[] = [...ENTRIES, ...BY_PATH];

/** Those that store nothing: one has an answer of any length, the other a cookie of its own each time. */
const CHANGES_NOTHING = [
  "POST /v0/files/{id}/extract",
  "POST /v0/files/by-path/extract",
  "POST /v0/shared/{token}/unlock",
];

test("every write of the API description takes a key, and is tried here", async () => {
  interface Described {
    parameters?: { $ref?: string }[];
    responses: object;
  }
  const description = await stage.coffer
    .client()
    .get<{ paths: Record<string, Record<string, Described>> }>("/docs/openapi.json");
  const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      takesKey: parameters?.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key")) === true,
    })),
  );
  const keyed = routes.filter(({ takesKey }) => takesKey).map(({ name }) => name);
  const writes = routes.map(({ name }) => name).filter((name) => /^(?!GET )\w+ \/v0\//.test(name));
  expect([...keyed, ...CHANGES_NOTHING].toSorted()).toEqual(writes.toSorted());
  expect([...new Set(ROUTES.map(({ route }) => route))].toSorted()).toEqual(keyed.toSorted());
});

for (const route of ROUTES) {
  const name = route.about === undefined ? route.route : `${route.route} ${route.about}`;
  const hasNoKey = route.anonymous === true || route.signedIn === true;
  const client = () => (hasNoKey ? stage.coffer.client() : stage.world.clients.ada);

  describe(name, () => {
    test("is done once and answered twice, and never answers another request", async () => {
      const target = await makeTarget();
      const request = requestOf(route, target);
      const key = newKey();
      const first = await send(client(), key, request);
      expectFirst(first, route.status);
      const after = await snapshot(target);
      stage.coffer.clock.advance(1);
      expectReplay(await send(client(), key, request), first);
      expectReplay(await send(client(), key, request), first);
      for (const other of othersThan(request)) {
        expectRefused(await send(client(), key, other), "IDEMPOTENCY_KEY_REUSED");
      }
      expect(await snapshot(target)).toEqual(after);
    });

    test("has one effect, however many ask at once", async () => {
      const target = await makeTarget();
      const request = requestOf(route, target);
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 12 }, () => send(client(), key, request)));
      const firsts = answers.filter(
        ({ status, headers }) => status < 300 && headers.get("idempotency-replayed") === null,
      );
      expect(firsts.length).toBe(1);
      const [first] = firsts;
      if (first === undefined) throw new Error("nobody was first");
      expectFirst(first, route.status);
      for (const answer of answers.filter((each) => each !== first)) {
        if (answer.status < 300) expectReplay(answer, first);
        else expectRefused(answer, "IDEMPOTENCY_IN_PROGRESS");
      }
      const after = await snapshot(target);
      expectReplay(await send(client(), key, request), first);
      expect(await snapshot(target)).toEqual(after);
    });
  });
}

const folder = (drive: string, path: string): Sent => ({
  method: "POST",
  path: "/v0/folders",
  body: { drive_id: drive, path },
});

describe("the header", () => {
  test.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
    ["not ASCII", "caf\u00e9"],
    ["with a tab", "a\tb"],
  ])("%s is refused by its name, and nothing is done", async (_, key) => {
    const own = await stage.ownDrive();
    expectRefused(await send(own.client, key, folder(own.id, "a/")), "VALIDATION_ERROR", "Idempotency-Key");
    expect(
      await own.client.get<{ folders: string[] }>(`/v0/files?drive_id=${own.id}&delimiter=/`),
    ).toMatchObject({ folders: [] });
  });

  test.each([
    ["one character", "1"],
    ["255 characters", "x".repeat(255)],
    [
      "every printable character",
      Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join(" "),
    ],
  ])("%s is taken", async (_, key) => {
    const own = await stage.ownDrive();
    const first = await send(own.client, key, folder(own.id, "a/"));
    expectFirst(first, 201);
    expectReplay(await send(own.client, key, folder(own.id, "a/")), first);
  });

  test("means nothing to reads, and to routes that are none", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    for (const path of ["/v0/drives", `/v0/drives/${own.id}`]) {
      expectFirst(await send(own.client, key, { method: "GET", path }), 200);
      expect((await send(own.client, "x".repeat(256), { method: "HEAD", path })).status).toBe(200);
    }
    expectRefused(await send(own.client, key, { method: "POST", path: "/v0/nothing" }), "NOT_FOUND");
    expectFirst(await send(own.client, key, folder(own.id, "a/")), 201);
  });

  test("comes after the key and its scope", async () => {
    const { nobody, agentReader } = stage.world.clients;
    expectRefused(await send(nobody, "", folder("x", "a/")), "UNAUTHORIZED");
    expectRefused(await send(agentReader, "", folder("x", "a/")), "FORBIDDEN");
  });
});

describe("a key is its caller's own", () => {
  test("two agents with the same key have an effect each", async () => {
    const key = newKey();
    const [one, other] = [await stage.ownDrive(), await stage.ownDrive()];
    const body = { name: "Same" };
    const create: Sent = { method: "POST", path: "/v0/keys", body };
    const first = await send(one.client, key, create);
    expectFirst(first, 201);
    const second = await send(other.client, key, create);
    expectFirst(second, 201);
    expect(JSON.parse(second.text).id).not.toBe(JSON.parse(first.text).id);
  });

  test("and so have two keys of one account, and nobody", async () => {
    const key = newKey();
    const { ada, adaDrive } = stage.world.clients;
    const create: Sent = { method: "POST", path: "/v0/drives/provision", body: { name: "Same" } };
    const answers = await Promise.all(
      [ada, adaDrive, stage.coffer.client()].map((client) => send(client, key, create)),
    );
    for (const answer of answers) expectFirst(answer, 201);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
  });
});

test("whoever is signed in has one under all of the account's sessions, and none in common with its keys", async () => {
  const key = newKey();
  const create: Sent = { method: "POST", path: "/v0/drives", body: { name: "Same" } };
  const nobody = stage.coffer.client();
  const first = await send(nobody, key, { ...create, headers: signedInHeaders() });
  expectFirst(first, 201);
  expectReplay(await send(nobody, key, { ...create, headers: signedInHeaders() }), first);
  expectFirst(await send(stage.world.clients.ada, key, create), 201);
});

describe("without an API key, two behind one address cannot come by the same key", () => {
  const provision: Sent = { method: "POST", path: "/v0/drives/provision", body: { name: "My drive" } };

  test.each([
    ["a short one", "1"],
    ["31 random characters", crypto.randomUUID().replaceAll("-", "").slice(0, 31)],
    ["32 times the same", "a".repeat(32)],
    ["seven characters over and over", "provide".repeat(36)],
    ["the UUID of nothing", "00000000-0000-0000-0000-000000000000"],
  ])("%s is refused, says what to send, and makes nothing", async (_, key) => {
    const before = countRows("drive");
    for (const client of [stage.coffer.client(), stage.world.clients.liar]) {
      const answer = await send(client, key, provision);
      expectRefused(answer, "VALIDATION_ERROR", "Idempotency-Key");
      expect(answer.text).toContain("such as a new UUID");
    }
    expect(countRows("drive")).toBe(before);
    expectFirst(await send(stage.world.clients.ada, key, provision), 201);
  });

  test.each([
    ["a UUID", crypto.randomUUID()],
    ["a UUID of version 7", Bun.randomUUIDv7()],
    ["32 hex digits", "0123456701234567012345670123456f"],
    ["255 characters", "not the same ".repeat(20).slice(0, 255)],
  ])("%s is taken", async (_, key) => {
    const first = await send(stage.coffer.client(), key, provision);
    expectFirst(first, 201);
    expectReplay(await send(stage.coffer.client(), key, provision), first);
  });
});

test("callers without a key are told apart by their address", async () => {
  await using coffer = await startAppliance({ "trusted-proxies": "127.0.0.1" });
  const key = newKey();
  const provisionFrom = (address: string) =>
    send(coffer.client(), key, {
      method: "POST",
      path: "/v0/drives/provision",
      body: { name: "Same" },
      headers: { "x-forwarded-for": address },
    });
  const first = await provisionFrom("192.0.2.1");
  expectFirst(first, 201);
  const second = await provisionFrom("192.0.2.2");
  expectFirst(second, 201);
  expect(second.text).not.toBe(first.text);
  expectReplay(await provisionFrom("192.0.2.1"), first);
  expectReplay(await provisionFrom("192.0.2.2"), second);
});

describe("only successes are kept", () => {
  test("a refused request may be corrected under its key", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    expectRefused(await send(own.client, key, folder(own.id, "a//")), "VALIDATION_ERROR", "path");
    expectRefused(
      await send(own.client, key, { ...folder(own.id, "a/"), body: "{" }),
      "VALIDATION_ERROR",
      "body",
    );
    expectRefused(await send(own.client, key, folder("nowhere", "a/")), "NOT_FOUND");
    expectFirst(await send(own.client, key, folder(own.id, "a/")), 201);
    expectRefused(await send(own.client, key, folder(own.id, "b/")), "IDEMPOTENCY_KEY_REUSED");
  });

  test("a refused upload may be corrected under its key", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    const upload = (path: string, body: string): Sent => ({
      method: "PUT",
      path: `/v0/files?drive_id=${own.id}&path=${path}`,
      body,
    });
    await own.client.put(own.id, "taken", "x");
    expectRefused(await send(own.client, key, upload("taken/below", "x")), "CONFLICT");
    expectFirst(await send(own.client, key, upload("free", "x")), 201);
  });

  test("an answer too long to be kept undoes its write", async () => {
    const own = await stage.ownDrive();
    const file = await own.client.put(own.id, "a", "x");
    const ids = Array.from({ length: 999 }, (_, n) => `${n}-${"x".repeat(100)}`);
    const request: Sent = {
      method: "POST",
      path: "/v0/files/bulk-delete",
      body: { file_ids: [file.id, ...ids] },
    };
    const key = newKey();
    expectRefused(await send(own.client, key, request), "PAYLOAD_TOO_LARGE");
    await own.client.get(`/v0/files/${file.id}`);
    const fitting = { ...request, body: { file_ids: [file.id, ...ids.map(() => crypto.randomUUID())] } };
    expectFirst(await send(own.client, key, fitting), 200);
    await own.client.json(404, "GET", `/v0/files/${file.id}`);
  });
});

/** A body that goes on when it is told to. */
function slowBody(): { stream: ReadableStream<Uint8Array>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode("Hello "));
      await promise;
      controller.enqueue(new TextEncoder().encode("World!"));
      controller.close();
    },
  });
  return { stream, end: resolve };
}

describe("while the first is running", () => {
  test("another is refused before its body is read, whatever it asks", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    const path = `/v0/files?drive_id=${own.id}&path=slow.txt`;
    const headers = { "idempotency-key": key };
    const [first, second] = [slowBody(), slowBody()];
    const running = own.client.send("PUT", path, { body: first.stream, headers });
    await eventually(async () => (await send(own.client, key, folder(own.id, "a//"))).status === 409);
    const refusal = await own.client.send("PUT", path, { body: second.stream, headers });
    second.end();
    expectRefused(refusal, "IDEMPOTENCY_IN_PROGRESS");
    expect(refusal.headers.get("retry-after")).toBe("1");
    first.end();
    const answer = await running;
    expectFirst(answer, 201);
    expectReplay(await send(own.client, key, { method: "PUT", path, body: "Hello World!" }), answer);
  });

  test.each([
    ["an upload", (drive: string) => `PUT /v0/files?drive_id=${drive}&path=cut`],
    ["a JSON body", () => "POST /v0/folders"],
  ])("%s that is cut off lets go of its key and leaves nothing", async (_, target) => {
    const own = await stage.ownDrive();
    const key = newKey();
    const raw = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
    await raw.write(
      `${target(own.id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\nIdempotency-Key: ${key}\r\nContent-Length: 1000\r\n\r\n{"drive_id"`,
    );
    await eventually(async () => (await send(own.client, key, folder(own.id, "a//"))).status === 409);
    raw.socket.destroy();
    await eventually(async () => (await send(own.client, key, folder(own.id, "a//"))).status === 400);
    const sound: Sent = { method: "PUT", path: `/v0/files?drive_id=${own.id}&path=cut`, body: "whole" };
    expectFirst(await send(own.client, key, sound), 201);
    const list = await own.client.get<{ total: number }>(`/v0/files?drive_id=${own.id}`);
    expect(list.total).toBe(1);
  });
});

function jsonUpload(drive: string, content: string, fields: Record<string, Json> = {}): Sent {
  return {
    method: "POST",
    path: "/v0/files",
    body: { drive_id: drive, filename: "form.txt", content, ...fields },
  };
}

describe("an upload is known by its fields and its content", () => {
  test("however it is encoded", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    const first = await send(own.client, key, jsonUpload(own.id, HELLO));
    expectFirst(first, 201);
    expect(first.headers.get("etag")).toBe(`"${HELLO_DIGEST}"`);
    const again: Sent[] = [
      jsonUpload(own.id, `${HELLO.slice(0, 5)}\n${HELLO.slice(5)}`),
      {
        ...jsonUpload(own.id, HELLO),
        body: JSON.stringify({ content: HELLO, filename: "form.txt", drive_id: own.id }),
      },
      {
        method: "POST",
        path: "/v0/files",
        body: form({ drive_id: own.id }, "Hello World!"),
        headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
      },
    ];
    for (const request of again) expectReplay(await send(own.client, key, request), first);
    const others: Sent[] = [
      jsonUpload(own.id, `${HELLO}IQ==`.replace("hIQ==", "hIQ")),
      jsonUpload(own.id, ""),
      jsonUpload(own.id, HELLO, { tags: ["a"] }),
      jsonUpload(own.id, HELLO, { path: "elsewhere.txt" }),
      jsonUpload(own.id, HELLO, { expires_at: null }),
    ];
    for (const request of others) {
      expectRefused(await send(own.client, key, request), "IDEMPOTENCY_KEY_REUSED");
    }
    const list = await own.client.get<{ total: number }>(`/v0/files?drive_id=${own.id}`);
    expect(list.total).toBe(1);
  });

  test("what repeats another is not kept, nor what does not repeat it", async () => {
    const own = await stage.ownDrive();
    const key = newKey();
    const path = `/v0/files?drive_id=${own.id}&path=big.bin`;
    const content = crypto.getRandomValues(new Uint8Array(500_000).subarray(0, 65_536));
    const big = new Uint8Array(1_000_000);
    big.set(content);
    expectFirst(await send(own.client, key, { method: "PUT", path, body: big }), 201);
    const before = await stage.onDisk();
    expect((await send(own.client, key, { method: "PUT", path, body: big })).status).toBe(201);
    big[999_999] = 1;
    expectRefused(await send(own.client, key, { method: "PUT", path, body: big }), "IDEMPOTENCY_KEY_REUSED");
    expect(await stage.onDisk()).toEqual(before);
  });

  test("and answered as before when its drive and its time have gone", async () => {
    const { ada } = stage.world.clients;
    const { drive } = await makeTarget();
    const key = newKey();
    const soon = new Date(stage.coffer.clock.now() + 1000).toISOString();
    const put: Sent = {
      method: "PUT",
      path: `/v0/files?drive_id=${drive}&path=soon.txt&expires_at=${soon}`,
      body: "x",
    };
    const first = await send(ada, key, put);
    expectFirst(first, 201);
    stage.coffer.clock.advance(2000);
    expectReplay(await send(ada, key, put), first);
    await ada.delete(`/v0/drives/${drive}`);
    expectReplay(await send(ada, key, put), first);
  });
});

test("an answer is the first one, whatever has happened since", async () => {
  const own = await stage.ownDrive();
  const key = newKey();
  const upload: Sent = { method: "PUT", path: `/v0/files?drive_id=${own.id}&path=a`, body: "x" };
  const first = await send(own.client, key, upload);
  const { id }: { id: string } = JSON.parse(first.text);
  await own.client.delete(`/v0/files/${id}`);
  expectReplay(await send(own.client, key, upload), first);
  await own.client.json(404, "GET", `/v0/files/${id}`);
});

function remaining({ headers }: Answer): number {
  return Number(headers.get("x-ratelimit-remaining"));
}

describe("for 24 hours", () => {
  let coffer: TestAppliance;
  beforeAll(async () => {
    coffer = await startAppliance({ "provisions-per-hour": "1" });
  });
  afterAll(() => coffer[Symbol.asyncDispose]());

  test("across restarts, counted as a request but not as a drive", async () => {
    const provision: Sent = { method: "POST", path: "/v0/drives/provision", body: { name: "Once" } };
    const key = newKey();
    const first = await send(coffer.client(), key, provision);
    expectFirst(first, 201);
    const second = await send(coffer.client(), key, provision);
    expectReplay(second, first);
    expect(remaining(second)).toBe(remaining(first) - 1);
    expectRefused(await send(coffer.client(), newKey(), provision), "RATE_LIMITED");
    await coffer.restart();
    expectReplay(await send(coffer.client(), key, provision), first);

    coffer.clock.advance(DAY - 1);
    expectReplay(await send(coffer.client(), key, provision), first);
    await coffer.appliance.services.sweep.run();
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(1);

    coffer.clock.advance(1);
    const later = await send(coffer.client(), key, provision);
    expectFirst(later, 201);
    expect(later.text).not.toBe(first.text);
    expectReplay(await send(coffer.client(), key, provision), later);
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(1);
  });

  test("then the sweep takes the records away, however many", async () => {
    const own = coffer.client();
    coffer.clock.advance(DAY);
    const made = await own.post<{ data: { api_key: string; drive_id: string } }>("/v0/drives/provision", {
      name: "Many",
    });
    const client = coffer.client(made.data.api_key);
    const write = (n: number) => send(client, `many ${n}`, folder(made.data.drive_id, `f${n}/`));
    await Promise.all(Array.from({ length: 450 }, (_, n) => write(n)));
    expect(countRows("idempotency_record", coffer.dataDir)).toBeGreaterThanOrEqual(450);
    coffer.clock.advance(DAY);
    await coffer.appliance.services.sweep.run();
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(0);
  });
});
