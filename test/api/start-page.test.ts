import { describe, expect, test } from "bun:test";
import { startAppliance } from "../support/appliance.ts";
import type { Answer } from "../support/client.ts";
import { Description } from "../support/description.ts";
import { isObject } from "../support/json-schema.ts";
import { openStage } from "../support/scenario.ts";

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

describe("/ is Markdown for programs and a page for people", () => {
  const accepted: readonly (readonly [accept: string, type: string])[] = [
    ["*/*", "text/markdown"],
    ["", "text/markdown"],
    ["application/json", "text/markdown"],
    ["text/markdown", "text/markdown"],
    ["text/plain;q=0.5", "text/markdown"],
    ["text/markdown, text/html, */*", "text/markdown"],
    ["text/html;q=0", "text/markdown"],
    [BROWSER, "text/html"],
    ["TEXT/HTML", "text/html"],
    ["text/html, text/markdown;q=0.5", "text/html"],
  ];
  test.each(accepted)("Accept: %s", async (accept, type) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, text } = await ask("/", { accept }, method);
      expect([status, headers.get("content-type")?.split(";")[0]]).toEqual([200, type]);
      expect(headers.get("vary")).toStartWith("accept");
      expect(headers.get("link")).toBe(LINK);
      expect(Number(headers.get("content-length"))).toBeGreaterThan(100);
      expect(text === "").toBe(method === "HEAD");
    }
  });

  test("without an Accept header it is Markdown, the same as /llms.txt", async () => {
    const [page, llms] = await Promise.all([ask("/"), ask("/llms.txt")]);
    expect(page.text).toBe(llms.text);
    expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(llms.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    // It has the address that one caller used.
    expect([page.headers.get("cache-control"), llms.headers.get("cache-control")]).toEqual([
      "no-store",
      "no-store",
    ]);
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
    const body = method === "POST" ? { username: "nobody", password: "no password" } : undefined;
    const options = { headers: { accept }, ...(body === undefined ? {} : { body }) };
    const answer = await stage.coffer.client().send(method, path, options);
    expect([answer.status, answer.headers.get("link")]).toEqual([status, LINK]);
  });

  test("are on the 404 of a key, and not on other answers", async () => {
    const { agent } = stage.world.clients;
    expect((await agent.send("GET", "/v0/files/nothing")).headers.get("link")).toBe(LINK);
    expect((await agent.send("GET", "/v0/drives")).headers.get("link")).toBeNull();
    expect((await agent.send("GET", "/v0/files")).headers.get("link")).toBeNull();
  });

  test("lead to what they say, also under a path of a proxy", async () => {
    expect(JSON.parse((await ask("/docs/openapi.json")).text)).toMatchObject({ openapi: "3.1.0" });
    await using coffer = await startAppliance({ "base-url": "https://drive.test/base" });
    const { headers } = await coffer.client().send("GET", "/nothing");
    expect(headers.get("link")).toBe(LINK.replaceAll("</", "</base/"));
  });
});

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
    await using coffer = await startAppliance({ "base-url": "https://drive.test/base" });
    const { text } = await coffer.client().send("GET", path, { headers: { host: "evil.example" } });
    expect(text).toContain("https://drive.test/base/docs/openapi.json");
    expect(text).not.toContain("evil");
  });

  test("says that there are ways back, to see what happened, and to share", async () => {
    const { text } = await ask(path);
    for (const noun of [/undo/i, /snapshots/, /changes/, /webhooks/, /links/, /members/]) {
      expect(text).toMatch(noun);
    }
  });

  test("has the limits of this server", async () => {
    const { text } = await ask(path);
    const limits =
      path === "/v0"
        ? ["7340032", "1234", "100017", '"keep_days":17', '"keep_versions":23']
        : ["7 MiB", "1234", "free 100017", "17 days", "23 earlier contents"];
    for (const limit of limits) expect(text).toContain(limit);
  });

  test("does not promise to keep what this server does not keep", async () => {
    await using coffer = await startAppliance({ "keep-days": "0" });
    const { text } = await coffer.client().send("GET", path);
    expect(text).not.toContain("kept for");
    expect(text).not.toMatch(/trash|versions\/\{n\}|undo` takes back/);
    if (path !== "/v0") expect(text).toContain("Nothing is kept of what was deleted");
  });

  test("says whether there are drives without an account", async () => {
    await using coffer = await startAppliance({ provisioning: "off" });
    const { text } = await coffer.client().send("GET", path);
    expect((await ask(path)).text).toContain(`${stage.coffer.appliance.url}/v0/drives/provision`);
    expect(text).not.toContain(`${coffer.appliance.url}/v0/drives/provision`);
    expect(text).toContain(`${coffer.appliance.url}/keys`);
    expect(text).not.toMatch(/claim link/);
  });

  test("leads to MCP", async () => {
    expect((await ask(path)).text).toContain(`${stage.coffer.appliance.url}/mcp`);
  });

  test("has nothing that was not filled in", async () => {
    const { text } = await ask(path);
    expect(text).not.toMatch(/\{\{\w|\w\}\}|undefined|NaN/);
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
      if (/^\/(docs\/api\/|v0\/drives\/provision$|mcp$)/.test(link)) continue;
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
  const { operations } = await Description.of(stage.coffer.client());
  const open = operations.filter(({ isGuarded, path }) => !isGuarded && /^\/(v0\/|mcp$)/.test(path));
  const { without_key: listed } = await stage.coffer
    .client()
    .json<{ without_key: { method: string; path: string }[] }>(200, "GET", "/v0");
  expect(listed.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    open.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

test("GET /v0 of a server without provisioning does not send there whoever has no key", async () => {
  await using coffer = await startAppliance({ provisioning: "off" });
  const { without_key: listed } = await coffer
    .client()
    .json<{ without_key: { method: string; path: string }[] }>(200, "GET", "/v0");
  const paths = listed.map(({ path }) => path);
  expect(paths).toContain("/v0/presigned/{token}");
  expect(paths).not.toContain("/v0/drives/provision");
  expect(paths).not.toContain("/mcp");
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
  expect(text).toContain("Authorization: Bearer <key>");
  expect(text).toContain("POST /v0/drives/provision");
  expect(text).toContain("/keys");
  await using coffer = await startAppliance({ provisioning: "off" });
  const closed = await coffer.client().send("GET", "/v0/files");
  expect(closed.text).not.toContain("provision");
  expect(closed.text).toContain("/keys");
});
