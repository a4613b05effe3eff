import { afterAll, describe, expect, test } from "bun:test";
import { startSite } from "../support/browser/browser.ts";
import { openDashboard } from "../support/browser/dashboard.ts";
import { makeDrive } from "../support/server/drives.ts";
import type { Json } from "../support/server/client.ts";
import { Description } from "../support/schemas/description.ts";
import { ROUTES } from "../support/server/routes.ts";
import { type Named, putIntoTrash, routeOf, takeSnapshot } from "../support/server/targets.ts";
import { askToBeLetIn } from "../support/peers/oauth.ts";
import { provision, signUp } from "../support/server/executable.ts";
import { someOf } from "../support/server/thorough.ts";

// Another port of the same host is the same site to a browser: its pages send our cookies along, whatever SameSite says.

const dashboard = await openDashboard();
/** A red dot, 1 by 1 pixel. */
const DOT = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

const { owner, server } = dashboard;
const { fileId, id } = await makeDrive(owner, "Kept", { "kept/a.txt": 3, "dot.png": 0 });
await owner.client.put(id, "dot.png", DOT, 200);
await owner.client.put(id, "kept/a.txt", "new", 200);
const make = (path: string, body: Json) => owner.client.post<{ id: string }>(path, body);
const link = await make("/v0/links", { drive_id: id, path: "kept/" });
const webhook = await make("/v0/webhooks", { url: "https://elsewhere.example/", events: ["member.added"] });
const keyOfAda = await owner.client.makeKey();
const sessions = await owner.client.get<{ data: { id: string }[] }>("/v0/sessions");
const bob = await signUp(server, "bob");
const { data: user } = await bob.client.get<{ data: { id: string } }>("/v0/account");
const asked = new URL(await askToBeLetIn(server.url, "https://app.example/", "An app"), server.url);
/** What Ada has, by the names that requests have for it. */
const things: Named & Readonly<Record<"drive" | "file" | "claim", string>> = {
  drive: id,
  folder: "kept/",
  path: "kept/a.txt",
  suffix: "planted",
  file: fileId("kept/a.txt"),
  key: keyOfAda.id,
  session: sessions.data[0]?.id ?? "",
  user: user.id,
  carol: user.id,
  claim: (await provision(server)).claim,
  request: asked.searchParams.get("request") ?? "",
  snapshot: await takeSnapshot(owner.client, id),
  trash: await putIntoTrash(owner.client, id, "gone"),
  link: link.id,
  webhook: webhook.id,
};
const dot = fileId("dot.png");
/** What answers on the other port: a page, whatever is asked. */
const other = startSite('<!doctype html><iframe name="sink"></iframe>');
afterAll(() => other.stop(true));
const page = await dashboard.context.newPage();
await page.goto(other.url.href);

interface Attempt {
  /** As in the API description. */
  readonly route: string;
  readonly path: string;
  readonly body: object;
}

const password = "a password of theirs";
/** What changes something beside what `ROUTES` has of it. */
const OTHERS: readonly (readonly [request: string, body: Json])[] = [
  ["POST /v0/account/password", { current: "ada's password", password }],
  ["POST /oauth/register", { client_name: "planted", redirect_uris: ["https://elsewhere.example/"] }],
  ["POST /oauth/token", { grant_type: "refresh_token", refresh_token: "x" }],
  ["POST /oauth/revoke", { token: "x" }],
  ["POST /mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_drives" } }],
  ["POST /auth/setup", { token: "x", username: "planted", password }],
  ["POST /auth/login", { username: "bob", password: "bob's password" }],
  ["POST /auth/signup", { username: "planted", password }],
  ["POST /auth/logout", {}],
];

function named(text: string): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => things[name] ?? "none");
}

/** A request that does something, for each unsafe route. */
function attempts(): Attempt[] {
  const ours = ROUTES.map(([request, , { body = {} } = {}]) => [request, body] as const);
  return [...ours, ...OTHERS]
    .filter(([request]) => !request.startsWith("GET "))
    .map(([request, body]) => ({
      route: routeOf(request),
      path: named(request).replace(/^\w+ /, ""),
      body: JSON.parse(named(JSON.stringify(body))),
    }));
}

const isPost = ({ route }: Attempt) => route.startsWith("POST ");

/** Where whoever sends a request is nobody: a session is never looked at. */
const WITHOUT_SESSION = /^POST \/oauth\//;

/** What a page may try: without asking for the answer, asking for it, and asking for permission first. */
const WAYS = [
  ["no-cors", "text/plain"],
  ["cors", "text/plain"],
  ["cors", "application/json"],
];

/** Runs these statements in the page, and returns what they return. */
function inPage<T = void>(statements: string): Promise<T> {
  return page.evaluate<T>(`(async () => {${statements}})()`);
}

/** What the page sees of the answer; null if the browser shows none. */
const ask = (path: string, init: RequestInit = {}) =>
  inPage<{ status: number; etag: string | null; text: string } | null>(`
    return await fetch(${JSON.stringify(server.url + path)}, ${JSON.stringify(init)})
      .then(async (r) => ({ status: r.status, etag: r.headers.get("etag"), text: await r.text() }))
      .catch(() => null);`);

/** What becomes of an address as each of these elements: `load` or `error`. */
function loadedAs(elements: readonly string[], address: string): Promise<string[]> {
  return inPage(`
    return Promise.all(${JSON.stringify(elements)}.map((name) => new Promise((resolve) => {
      const element = document.createElement(name);
      for (const event of ["load", "error"]) element.addEventListener(event, () => resolve(event));
      element.src = ${JSON.stringify(address)};
      document.body.append(element);
    })));`);
}

/** All that Ada, and Bob's account, have, and who is signed in in the window. */
async function snapshot(): Promise<unknown> {
  const { context } = dashboard;
  const get = async (path: string) => {
    const text = await (await context.request.get(server.url + path)).text();
    return text.replaceAll(/"last_used_at":"[^"]*"/g, "");
  };
  return Promise.all([
    get("/v0/account"),
    get("/v0/drives"),
    get(`/v0/files?drive_id=${things.drive}`),
    get(`/v0/folders?drive_id=${things.drive}`),
    get("/v0/keys"),
    get("/v0/sessions"),
    get("/v0/users"),
    get("/v0/trash"),
    get("/v0/links"),
    get("/v0/webhooks"),
    get(`/v0/drives/${things.drive}/snapshots`),
    get(`/v0/drives/${things.drive}/members`),
    get(`/v0/files/${things.file}/versions`),
    get(`/v0/drives/claim/${things.claim}`),
    owner.client.get<unknown>(`/v0/search?q=planted`),
  ]);
}

async function routes(): Promise<string[]> {
  const { operations } = await Description.of(dashboard.server.client());
  return operations.map(({ method, path }) => `${method} ${path}`);
}

describe("a page on another port of this host", () => {
  test("is tried at every route that changes something", async () => {
    const unsafe = (await routes()).filter((route) => !route.startsWith("GET "));
    const tried = new Set(attempts().map(({ route }) => route));
    expect([...tried].toSorted()).toEqual(unsafe.toSorted());
  });

  test("changes nothing by requests with the session, and reads no answer", async () => {
    const before = await snapshot();
    const sent = attempts().map(({ route, path, body }) => ({
      method: route.split(" ")[0],
      url: dashboard.server.url + path,
      body: JSON.stringify(body),
    }));
    const readable = await inPage<string[]>(`
      const readable = [];
      for (const { method, url, body } of ${JSON.stringify(sent)}) {
        for (const [mode, type] of ${JSON.stringify(WAYS)}) {
          const headers = { "content-type": type };
          const answer = await fetch(url, { method, mode, headers, body, credentials: "include" }).catch(() => null);
          if (answer !== null && answer.type !== "opaque") readable.push(method + " " + url);
        }
        if (method === "POST") navigator.sendBeacon(url, body);
      }
      return readable;`);
    expect(readable).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  test("makes no drive without a session either, which would count for the address of whoever looks at it", async () => {
    const address = `${dashboard.server.url}/v0/drives/provision`;
    const answered = page.waitForResponse((answer) => answer.url() === address);
    await inPage(`
      const body = JSON.stringify({ name: "planted" });
      await fetch(${JSON.stringify(address)}, { method: "POST", mode: "no-cors", credentials: "omit", body });`);
    expect((await answered).status()).toBe(403);
  });

  test("changes nothing by forms, which need no permission to be sent", async () => {
    const before = await snapshot();
    for (const { route, path, body } of someOf(attempts().filter(isPost), 4)) {
      const action = dashboard.server.url + path;
      // The JSON is the name of a field, but for its end, which is the value.
      const json = JSON.stringify({ ...body, "": "" }).slice(0, -2);
      const answered = page.waitForResponse((answer) => answer.url() === action);
      await inPage(`
        const form = Object.assign(document.createElement("form"), { method: "post", target: "sink" });
        Object.assign(form, { action: ${JSON.stringify(action)}, enctype: "text/plain" });
        form.append(Object.assign(document.createElement("input"), { name: ${JSON.stringify(json)}, value: '"}' }));
        document.body.append(form);
        form.submit();`);
      const status = (await answered).status();
      expect([route, status]).toEqual([route, WITHOUT_SESSION.test(route) ? expect.any(Number) : 403]);
    }
    expect(await snapshot()).toEqual(before);
    // An application that asks to be let in still waits for whoever is signed in.
    await using consent = await dashboard.open(`/oauth/consent?request=${things["request"]}`);
    await consent.getByRole("button", { name: "Allow" }).waitFor();
  });

  test("changes nothing by addresses that are only looked at, and sees nothing of them", async () => {
    const before = await snapshot();
    const { drive, file, claim } = things;
    const paths = (await routes())
      .filter((route) => route.startsWith("GET "))
      .map((route) =>
        route
          .slice(4)
          .replace("{id}", route.includes("drives") ? drive : file)
          .replace("{token}", claim),
      );
    const urls = [
      ...paths,
      "/",
      "/drives",
      `/claim/${claim}`,
      "/auth/logout",
      "/auth/login",
      "/auth/setup?token=x",
    ].map((path) => `${dashboard.server.url}${path}${path.includes("?") ? "&" : "?"}drive_id=${drive}&q=a`);
    const read = await inPage<string[]>(`
      const read = [];
      for (const address of ${JSON.stringify(urls)}) {
        await fetch(address, { mode: "no-cors", credentials: "include" }).catch(() => null);
        const answer = await fetch(address, { credentials: "include" }).catch(() => null);
        if (answer !== null) read.push(address);
      }
      return read;`);
    expect(read).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  test("shows no page of ours within itself", async () => {
    for (const path of [
      "/",
      "/drives",
      `/claim/${things.claim}`,
      "/account",
      `/oauth/consent?request=${things["request"]}`,
      "/auth/setup",
      "/docs",
      "/nothing",
    ]) {
      await inPage(`
        const frame = Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(server.url + path)} });
        const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
        document.body.append(frame);
        await loaded;`);
      const frame = page.frames().at(-1);
      expect([path, frame?.url()]).toEqual([path, "chrome-error://chromewebdata/"]);
    }
  });

  test("loses hold of a page of ours that it opened", async () => {
    const [opened, isClosed] = await Promise.all([
      dashboard.context.waitForEvent("page"),
      inPage<boolean>(`
        const handle = window.open(${JSON.stringify(`${dashboard.server.url}/drives`)});
        while (!handle.closed) await new Promise((resolve) => setTimeout(resolve, 10));
        return handle.closed;`),
    ]);
    expect(isClosed).toBe(true);
    expect(await opened.evaluate<boolean>("window.opener === null")).toBe(true);
    await opened.close();
  });

  test("shows an image by a link that was given to it", async () => {
    const { url } = await dashboard.owner.client.json<{ url: string }>(
      200,
      "POST",
      `/v0/files/${dot}/presigned-url`,
    );
    expect(await loadedAs(["img"], url)).toEqual(["load"]);
  });

  test("shows no image of a drive by the session of who looks at it, and runs nothing of it", async () => {
    const seen = await loadedAs(
      ["img", "script", "video"],
      `${dashboard.server.url}/v0/files/${dot}/download`,
    );
    expect(seen).toEqual(["error", "error", "error"]);
  });

  test("works with a key, and never with the session of whoever looks at it", async () => {
    const authorization = `Bearer ${owner.key}`;
    const made = await ask("/v0/drives", {
      method: "POST",
      headers: { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify({ name: "From a page" }),
    });
    expect(made).toMatchObject({ status: 201 });
    const { data: drive }: { data: { id: string } } = JSON.parse(made?.text ?? "");
    const stored = await ask(`/v0/files?drive_id=${drive.id}&path=a.txt`, {
      method: "PUT",
      headers: { authorization, "if-none-match": "*" },
      body: "Hello",
    });
    expect(stored).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[0-9a-f]{64}"$/) });
    expect(await ask("/v0/nothing", { headers: { authorization } })).toMatchObject({ status: 404 });
    // With the cookie the browser shows nothing; without it there is no session.
    expect(await ask("/v0/drives", { credentials: "include" })).toBeNull();
    expect(await ask("/v0/drives")).toMatchObject({ status: 401 });
    expect(await ask("/auth/logout", { method: "POST", credentials: "include" })).toBeNull();
    expect(await ask("/docs/openapi.json")).toMatchObject({ status: 200 });
    await using drives = await dashboard.open("/drives");
    await drives.getByText("From a page").first().waitFor();
  });
});
