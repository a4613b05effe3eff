import { afterAll, describe, expect, test } from "bun:test";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import { Description } from "../../support/schemas/description.ts";
import { isObject } from "../../support/schemas/json-schema.ts";
import { OAuthTestClient } from "../../support/peers/oauth.ts";
import { openStage, provision } from "../../support/server/scenario.ts";
import { requestOf } from "../../support/server/routes.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { HOOK, takeSnapshot } from "../../support/server/targets.ts";
import type { CallerName } from "../../support/server/world.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const LINK =
  '</docs/openapi.json>; rel="service-desc"; type="application/json", </llms.txt>; rel="service-doc"; type="text/plain"';

const stage = openStage({
  "keep-days": "17",
  "keep-versions": "23",
  "max-file-size": "7MiB",
  "provisions-per-hour": "1234",
  "rate-limits": "free=100017,pro=100018,team=100019",
});

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return stage.coffer.client().send(method, path, { headers });
}

const SHARED = `/s/shr_${"a".repeat(48)}`;
const CLAIM = `/claim/clm_${"a".repeat(48)}`;

describe("programs are told in text what people are shown as a page", () => {
  const accepted: readonly (readonly [accept: string, start: string, link: string])[] = [
    ["*/*", "text/markdown", "text/plain"],
    ["", "text/markdown", "text/plain"],
    ["application/json", "text/markdown", "application/json"],
    ["application/json, */*;q=0.5", "text/markdown", "application/json"],
    ["text/markdown", "text/markdown", "text/plain"],
    ["text/plain;q=0.5", "text/markdown", "text/plain"],
    ["text/plain, application/json;q=0.5", "text/markdown", "text/plain"],
    ["text/markdown, text/html, */*", "text/markdown", "text/plain"],
    ["text/html;q=0", "text/markdown", "text/plain"],
    [BROWSER, "text/html", "text/html"],
    ["TEXT/HTML", "text/html", "text/html"],
    ["text/html, text/markdown;q=0.5", "text/html", "text/html"],
  ];
  test.each(accepted)("Accept: %s", async (accept, start, link) => {
    for (const path of ["/", SHARED, CLAIM]) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers, text } = await ask(path, { accept }, method);
        const type = headers.get("content-type")?.split(";")[0];
        expect([path, status, type]).toEqual([path, 200, path === "/" ? start : link]);
        expect(headers.get("vary")).toStartWith("accept");
        expect(text === "").toBe(method === "HEAD");
        if (path === "/") {
          expect(headers.get("link")).toBe(LINK);
          expect(Number(headers.get("content-length"))).toBeGreaterThan(100);
        } else {
          expect(headers.get("x-robots-tag")).toBe(path === SHARED ? "noindex" : null);
          expect(headers.get("referrer-policy")).toBe("no-referrer");
          expect(headers.get("content-security-policy")).toStartWith("default-src 'none'");
          expect(headers.get("cache-control")).toBe(type === "text/html" ? "no-cache" : "no-store");
        }
      }
    }
  });

  test("without an Accept header it is Markdown, the same as /llms.txt", async () => {
    const [page, llms] = await Promise.all([ask("/"), ask("/llms.txt")]);
    expect(page.text).toBe(llms.text);
    expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(llms.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    // It has the address that one caller used.
    for (const { headers } of [page, llms]) expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("the links to the description and the start page", () => {
  const lost: readonly (readonly [status: number, method: string, path: string, accept: string])[] = [
    [401, "GET", "/v0/files", "*/*"],
    [401, "HEAD", "/v0/files", "*/*"],
    [401, "GET", "/v0/nothing", "*/*"],
    [401, "POST", "/auth/login", "*/*"],
    [404, "GET", "/nothing", "*/*"],
    [404, "GET", "/nothing", BROWSER],
    [404, "DELETE", "/nothing", "*/*"],
    [404, "GET", "/v0/presigned/x", "*/*"],
    [405, "POST", "/", "*/*"],
  ];
  test.each(lost)("are on %d of %s %s, for %s", async (status, method, path, accept) => {
    const sent = method === "POST" ? { body: { username: "nobody", password: "no password" } } : {};
    const answer = await stage.coffer.client().send(method, path, { headers: { accept }, ...sent });
    expect([answer.status, answer.headers.get("link")]).toEqual([status, LINK]);
  });

  test("are on the 404 of a key, and not on other answers", async () => {
    const { agent } = stage.world.clients;
    expect((await agent.send("GET", "/v0/files/nothing")).headers.get("link")).toBe(LINK);
    expect((await agent.send("GET", "/v0/drives")).headers.get("link")).toBeNull();
    expect((await agent.send("GET", "/v0/files")).headers.get("link")).toBeNull();
  });
});

/** A server that keeps nothing, and gives no drives to who has no account. */
const closed = await startAppliance({ "keep-days": "0", provisioning: "off" });
afterAll(() => closed[Symbol.asyncDispose]());

const TEXTS = ["/", "/llms.txt", "/skill.md", "/v0"] as const;

describe.each(TEXTS)("%s", (path) => {
  test("has the address that the caller used, and nobody else's", async () => {
    const { text } = await ask(path, { host: "nas.local:2633" });
    expect(text).toContain("http://nas.local:2633/docs/api.md");
    expect(text).not.toContain(stage.coffer.appliance.url);
    expect((await ask(path)).text).toContain(`${stage.coffer.appliance.url}/docs/api.md`);
    expect((await ask(path, { host: "evil.example/<script>" })).text).not.toContain("evil");
  });

  test("has the configured address, if there is one", async () => {
    await using coffer = await startAppliance({ "base-url": "https://drive.test" });
    const { text } = await coffer.client().send("GET", path, { headers: { host: "evil.example" } });
    expect(text).toContain("https://drive.test/docs/openapi.json");
    expect(text).not.toContain("evil");
  });

  test("says what this server does, with its limits", async () => {
    const { text } = await ask(path);
    for (const noun of [/undo/i, /snapshots/, /changes/, /webhooks/, /links/, /members/]) {
      expect(text).toMatch(noun);
    }
    const limits =
      path === "/v0"
        ? ["7340032", "1234", "100017", '"keep_days":17', '"keep_versions":23']
        : ["7 MiB", "1234", "free 100017", "17 days", "23 earlier contents"];
    for (const limit of limits) expect(text).toContain(limit);
    const { url } = stage.coffer.appliance;
    for (const link of ["/mcp", "/v0/drives/provision"]) expect(text).toContain(url + link);
    // Nothing was not filled in.
    expect(text).not.toMatch(/\{\{\w|\w\}\}|undefined|NaN/);
  });

  test("does not promise what this server does not do", async () => {
    const { text } = await closed.client().send("GET", path);
    expect(text).not.toMatch(/kept for|trash|versions\/\{n\}|undo` takes back|drives\/provision|claim link/);
    if (path !== "/v0") expect(text).toContain("Nothing is kept of what was deleted");
    expect(text).toContain(`${closed.appliance.url}/keys`);
  });

  test("names only operations and addresses that there are", async () => {
    const { text } = await ask(path);
    const { operations } = await Description.of(stage.coffer.client());
    const known = new Set(operations.map(({ method, path: template }) => `${method} ${template}`));
    const named = Array.from(text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)/g));
    expect(named.length).toBeGreaterThan(path === "/skill.md" ? 8 : -1);
    for (const [, method, template] of named) expect(known).toContain(`${method} ${template}`);
    const base = stage.coffer.appliance.url;
    const links = text.matchAll(new RegExp(`${RegExp.escape(base)}(/[\\w./-]*)`, "g"));
    for (const [, link = ""] of links) {
      // Those take a body, or a name.
      if (/^\/(docs\/api\/|v0\/(drives\/provision|undo|files\/(batch|read)|paths\/\w+)$|mcp$)/.test(link))
        continue;
      expect([link, (await ask(link.replace(/\.$/, ""))).status]).toEqual([link, 200]);
    }
  });
});

test("/llms.txt has the form of llmstxt.org: a title, a quote, and sections of links", async () => {
  const { text } = await ask("/llms.txt");
  expect(text).toMatch(/^# Coffer\n\n> \S/);
  const [, ...sections] = text.split(/^## .+\n/m);
  expect(sections.length).toBeGreaterThanOrEqual(2);
  for (const line of sections.flatMap((section) => section.split("\n").filter((each) => each !== ""))) {
    expect(line).toMatch(/^- \[[^\]]+\]\(http[^)\s]+\): \S/);
  }
});

test("/skill.md has the front matter of a skill", async () => {
  const { text, headers } = await ask("/skill.md");
  expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const front: unknown = Bun.YAML.parse(/^---\n([^]*?)\n---\n/.exec(text)?.[1] ?? "");
  expect(front).toEqual({ name: "coffer", description: expect.stringContaining("Use it when") });
  expect(isObject(front) && String(front["description"]).length).toBeLessThan(1024);
});

test("GET /v0 lists the operations that need no key", async () => {
  await using empty = await startAppliance();
  // Where people have accounts, or nobody else may make drives, an MCP client without a key is sent to sign in.
  for (const [coffer, named] of [
    [empty, /^\/(v0\/|mcp$)/],
    [stage.coffer, /^\/v0\//],
    [closed, /^\/v0\/(?!drives\/provision$)/],
  ] as const) {
    const { operations } = await Description.of(coffer.client());
    const open = operations.filter(({ isGuarded, path }) => !isGuarded && named.test(path));
    type Route = Pick<(typeof operations)[number], "method" | "path">;
    const routes = (of: readonly Route[]) => of.map(({ method, path }) => `${method} ${path}`).toSorted();
    const { without_key } = await coffer.client().get<{ without_key: Route[] }>("/v0");
    expect(routes(without_key)).toEqual(routes(open));
  }
});

test("the short description lists every operation, in at most a fifth of the 36,000 tokens of the whole", async () => {
  const { text } = await ask("/docs/api.md");
  expect(text.length / 4).toBeLessThan(36_000 / 5);
  const { operations } = await Description.of(stage.coffer.client());
  for (const { id, method, path } of operations) {
    expect(text).toMatch(
      new RegExp(`^- \`${RegExp.escape(`${method} ${path}`)}\`.*: .+ \\(${id}\\)\\.( No key\\.)?$`, "m"),
    );
    const { status, text: details } = await ask(`/docs/api/${id}.md`);
    expect([id, status]).toEqual([id, 200]);
    expect(details).toStartWith(`# ${id}: `);
    expect([id, /undefined|\[object/.test(details)]).toEqual([id, false]);
  }
});

test("the 401 says where keys come from, and names provisioning only where there is any", async () => {
  const { text } = await ask("/v0/files");
  for (const part of ["Authorization: Bearer <key>", "POST /v0/drives/provision", "/keys"]) {
    expect(text).toContain(part);
  }
  const { text: shorter } = await closed.client().send("GET", "/v0/files");
  expect(shorter).not.toContain("provision");
  expect(shorter).toContain("/keys");
});

describe("what programs are told of links", () => {
  interface Notice {
    readonly about: string;
    readonly requests: readonly { readonly method: string; readonly url: string; readonly body?: object }[];
  }

  async function notice(address: string): Promise<Notice> {
    const { pathname } = new URL(address, stage.coffer.appliance.url);
    const { status, text } = await ask(pathname, { accept: "application/json" });
    expect(status).toBe(200);
    const plain = (await ask(pathname)).text;
    const told: Notice = JSON.parse(text);
    for (const { method, url } of told.requests) expect(plain).toContain(`${method} ${url}`);
    return told;
  }

  test("what a link's says works, and uses nothing up", async () => {
    const { drives, clients } = stage.world;
    const body = { drive_id: drives.ada, path: "notes/", password: "open sesame" };
    const { id, url } = await clients.ada.post<{ id: string; url: string }>("/v0/links", body);
    const { requests } = await notice(url);
    const nobody = stage.coffer.client();
    const [show, files, download, archive, unlock] = requests.map((each) => new URL(each.url).pathname);
    expect((await nobody.send("GET", show ?? "")).status).toBe(401);
    const opened = await nobody.send("POST", unlock ?? "", { body: { password: "open sesame" } });
    expect(opened.status).toBe(200);
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    for (const path of [show, files, `${download}?path=hello.txt`, archive]) {
      const { status } = await nobody.send("GET", path ?? "", { headers: { cookie } });
      expect([path, status]).toEqual([path, 200]);
    }
    const uses = async () => {
      const { data } = await clients.ada.get<{ data: { id: string; uses: number }[] }>("/v0/links");
      return data.find((link) => link.id === id)?.uses;
    };
    const before = await uses();
    await notice(url);
    expect(await uses()).toBe(before ?? -1);
  });

  test("what a claim link's says works, once it is done", async () => {
    const { claimToken } = await provision(stage.coffer, "To claim");
    const { about, requests } = await notice(`/claim/${claimToken}`);
    expect(about).toContain("show it to your human");
    const [look, claim] = requests;
    const preview = await stage.coffer.client().send("GET", new URL(look?.url ?? "").pathname);
    expect([preview.status, preview.text]).toEqual([200, expect.stringContaining("To claim")]);
    const body = JSON.stringify(claim?.body);
    const claimed = await stage.world.clients.ada.send("POST", new URL(claim?.url ?? "").pathname, { body });
    expect(claimed.status).toBe(200);
  });

  test("a token that nobody made gets the same, and none of its own characters", async () => {
    const hostile = encodeURIComponent('"><script>\n\u202e/../é');
    for (const path of ["/s/", "/claim/"]) {
      for (const accept of ["*/*", "application/json"]) {
        const { status, text, headers } = await ask(path + hostile, { accept });
        expect([status, headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
        expect(text).not.toMatch(/<script|\u202e|é\n/);
      }
    }
    const one = await ask(SHARED);
    const other = await ask(SHARED.replaceAll("a", "b"));
    expect(one.text.replaceAll("a", "b")).toBe(other.text.replaceAll("a", "b"));
  });
});

async function pageFor(key: string | undefined): Promise<string> {
  const { status, text, headers } = await stage.coffer.client(key).send("GET", "/skill.md");
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(text).not.toMatch(/\{\{\w|\w\}\}|undefined|\n\n\n/);
  return text;
}

describe("/skill.md says what the key can that asks", () => {
  const FILE = "notes/skill.txt";
  const PLACE = `drive_id={drive}&path=${FILE}`;
  const expires_at = "2040-01-01T00:00:00Z";
  /** What a page may name, and the request that it means. */
  const ACTS: readonly (readonly [named: string, request: string, body?: Json])[] = [
    ["`PUT /v0/files?", `PUT /v0/files?${PLACE}`, "x"],
    ["`POST /v0/files/by-path/extract?", `POST /v0/files/by-path/extract?${PLACE}`],
    ["`GET /v0/files/by-path/extract?", `GET /v0/files/by-path/extract?${PLACE}`],
    ["`POST /v0/links`", "POST /v0/links", { drive_id: "{drive}", path: FILE }],
    ["`POST /v0/keys`", "POST /v0/keys", { name: "another" }],
    ["`POST /v0/webhooks`", "POST /v0/webhooks", { ...HOOK, drive_id: "{drive}" }],
    ['"metadata", "expires_at"}`', `PATCH /v0/files/by-path?${PLACE}`, { expires_at }],
    ['"path_prefix": "notes/"', "POST /v0/keys", { drive_id: "{drive}", path_prefix: "notes/", expires_at }],
    ["/snapshots`", "POST /v0/drives/{drive}/snapshots", {}],
    ["/fork`", "POST /v0/drives/{drive}/fork", { name: "A fork" }],
    ["/members`", "POST /v0/drives/{drive}/members", { username: "bob", role: "reader" }],
  ];
  const EVERYTHING = ACTS.map(([named]) => named).filter((named) => !named.startsWith("`GET"));
  const WRITER = EVERYTHING.filter((named) => !/fork|members/.test(named));
  const IN_FOLDER = WRITER.filter((named) => !/hook|metadata/.test(named));
  const BY_MADE_KEY = EVERYTHING.filter((named) => !/hook|keys|path_prefix|members/.test(named));
  const READER = ["`GET /v0/files/by-path/extract?"];
  const seen: readonly (readonly [caller: CallerName, told: RegExp, named: readonly string[]])[] = [
    ["nobody", /^## Get a key$/m, EVERYTHING],
    ["agent", /reaches one drive, [-0-9a-f]{36}\. It makes no other drives and no forks/, WRITER],
    ["agentReader", /reaches one drive, .*^- It only reads/ms, READER],
    ["ada", /reaches the drives of your human's account/, EVERYTHING],
    ["adaReader", /of your human's account.*^- It only reads/ms, READER],
    ["adaDrive", /reaches one drive, /, WRITER],
    ["adaPrefix", /reaches the folder `notes\/` of one drive, /, IN_FOLDER],
    ["adaMade", /human's account.*^- It was made by another key, so it makes no keys/ms, BY_MADE_KEY],
    ["adaPrefixReader", /folder `notes\/`.*^- It only reads/ms, READER],
  ];

  test.each(seen)("%s", async (caller, told, named) => {
    const { drives, clients, keys } = stage.world;
    const text = await pageFor(keys[caller]);
    expect(text).toMatch(told);
    expect(ACTS.map(([name]) => name).filter((name) => text.includes(name))).toEqual([...named]);
    expect(text.includes("## Tour")).toBe(!/Reader|Prefix/.test(caller));
    if (caller === "nobody") return;
    expect(text).not.toContain("/v0/drives/provision");
    const own = caller.startsWith("agent") ? "agent" : "ada";
    const drive = drives[own];
    await clients[own].store(drive, FILE);
    for (const [name, request, body] of ACTS.filter(([each]) => named.includes(each))) {
      const more = body === undefined ? {} : { body };
      const { status } = await clients[caller].send(...requestOf([request, 200, more], { drive }));
      expect([name, status]).toEqual([name, [200, 201, 409].includes(status) ? status : 200]);
    }
  });

  test("the key of a folder brings that back from a snapshot", async () => {
    const { drives, clients, keys } = stage.world;
    expect(await pageFor(keys.adaPrefix)).toContain('/restore` with `{"path": "notes/"}` brings your folder');
    const id = await takeSnapshot(clients.adaPrefix, drives.ada);
    const restore = `/v0/drives/${drives.ada}/snapshots/${id}/restore`;
    await clients.adaPrefix.post(restore, { path: "notes/" }, 200);
    await clients.adaPrefix.makeKey({ name: "one more", scope: "read-only", path_prefix: "notes/" });
  });

  test("an application, and whoever sends a key that there is not", async () => {
    const app = await OAuthTestClient.register(stage.coffer);
    const { access_token: token } = await app.signIn(beginSession(stage.coffer, "ada").browser);
    const text = await pageFor(token);
    expect(text).toContain("given to an application");
    expect(text).not.toMatch(/`POST \/v0\/(keys|webhooks)`|members`/);
    const { status, headers } = await ask("/skill.md", { authorization: "Bearer cof_wrong" });
    expect([status, headers.get("x-ratelimit-remaining")]).toEqual([401, expect.any(String)]);
  });
});
