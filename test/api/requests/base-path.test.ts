import { describe, expect, test } from "bun:test";
import { basePathOf, withoutBasePath } from "../../../src/domain/network/base-path.ts";
import { cookiesFor } from "../../../src/http/gate/session-cookie.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { openStage } from "../../support/server/scenario.ts";

const ORIGIN = "https://home.example";
const BASE = `${ORIGIN}/coffer`;
const stage = openStage({ "base-url": BASE });

function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  return stage.coffer.client().send(method, path, { headers });
}

test.each([
  ["/coffer", "/"],
  ["/coffer/", "/"],
  ["/coffer/v0/files", "/v0/files"],
  ["/coffer//x", "//x"],
  ["/coffers", "/coffers"],
  ["/x/coffer/", "/x/coffer/"],
  ["/%63offer/", "/%63offer/"],
  ["", ""],
])("the base path is taken off %j, which leaves %j", (sent, path) => {
  expect(withoutBasePath(sent, basePathOf(BASE))).toBe(path);
  expect(withoutBasePath(sent, basePathOf(ORIGIN))).toBe(sent);
});

describe("a request is answered with the base path and without it, as by a proxy that removes it", () => {
  const paths = ["", "/", "/healthz", "/healthz/", "/docs", "/docs/openapi.json", "/llms.txt", "/s/none"];
  test.each(paths)("GET %s", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const [under, at] = [await ask(`/coffer${path}`, {}, method), await ask(path || "/", {}, method)];
      expect([under.status, under.text]).toEqual([at.status, at.text]);
      expect(under.status).toBe(200);
    }
  });

  test("with a query, a body and a parameter that is percent-encoded", async () => {
    const { client, id } = await stage.ownDrive();
    await client.json(
      201,
      "PUT",
      `/coffer/v0/files?drive_id=${id}&path=${encodeURIComponent("/a b/ü.txt")}`,
      {
        body: "Hello",
      },
    );
    const list = `/v0/files?drive_id=${id}&prefix=${encodeURIComponent("/a b/")}`;
    expect(await client.paths(`/coffer${list}`)).toEqual(await client.paths(list));
  });

  test("and passes the same gate", async () => {
    for (const path of ["/v0/files", "/mcp", "/v0/account", "/v0/users"]) {
      const [under, at] = [await ask(`/coffer${path}`), await ask(path)];
      expect([path, under.status]).toEqual([path, at.status]);
      expect(under.status).toBeGreaterThanOrEqual(400);
    }
    for (const path of ["/coffers", "/coffer/coffer/healthz", "/Coffer/healthz"])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});

test("links, the Link header and what a browser is told begin with the base path", async () => {
  const { client, id } = await stage.ownDrive();
  const own = await stage.coffer
    .client()
    .json<{ data: { claim_url: string } }>(201, "POST", "/coffer/v0/drives/provision", {
      body: { name: "Under a path" },
    });
  expect(own.data.claim_url).toStartWith(`${BASE}/claim/`);
  await client.json(201, "PUT", `/v0/files?drive_id=${id}&path=/a.txt`, { body: "Hello" });
  expect((await ask("/coffer/")).headers.get("link")).toBe(
    '</coffer/docs/openapi.json>; rel="service-desc"; type="application/json", </coffer/llms.txt>; rel="service-doc"; type="text/plain"',
  );
  expect((await ask("/coffer/llms.txt")).text).toContain(`${BASE}/`);
  const { servers } = JSON.parse((await ask("/coffer/docs/openapi.json")).text);
  expect(servers).toEqual([{ url: BASE }]);
});

test("the page, its scripts and the manifest lead to what there is", async () => {
  const page = (await ask("/coffer/", { accept: "text/html" })).text;
  expect(page).toContain('<meta name="base-path" content="/coffer" />');
  const led = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = ""]) => address);
  expect(led.length).toBeGreaterThan(3);
  const manifest = led.find((address) => address.endsWith(".webmanifest")) ?? "";
  const { id, scope, start_url, icons } = JSON.parse((await ask(manifest)).text);
  expect([id, scope, start_url]).toEqual(["/coffer/", "/coffer/", "/coffer/drives"]);
  led.push(...icons.map(({ src }: { src: string }) => src));
  const script = led.find((address) => address.endsWith(".js")) ?? "";
  const chunks = (await ask(script)).text.match(/["'`][^"'`]*\/chunk-[\w-]+\.js["'`]/g) ?? [];
  led.push(...new Set(chunks.map((quoted) => quoted.slice(1, -1))));
  for (const address of led) {
    expect(address).toStartWith("/coffer/");
    expect([address, (await ask(address)).status]).toEqual([address, 200]);
  }
});

test("cookies are for the base path alone", async () => {
  await using coffer = await startAppliance({ "base-url": BASE });
  addAccount(coffer, "ada");
  const body = { username: "ada", password: "ada's password" };
  const signedIn = await coffer.client().send("POST", "/coffer/auth/login", { body });
  expect(signedIn.headers.get("set-cookie")?.split("; ")).toContain("Path=/coffer");
  const headers = { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "", origin: ORIGIN };
  const left = await coffer.client().send("POST", "/coffer/auth/logout", { headers });
  expect([left.status, left.headers.get("set-cookie")?.split("; ")]).toEqual([
    200,
    expect.arrayContaining(["Path=/coffer", "Max-Age=0"]),
  ]);
});

test("a pass of a share is for its place under the base path", () => {
  const cookie = cookiesFor(BASE).setAt("/v0/shared/shr_x", "coffer_share", "pass", 60);
  expect(cookie.split("; ")).toContain("Path=/coffer/v0/shared/shr_x");
});

test("the documents of OAuth stand where clients look for them, and tell the same", async () => {
  for (const [name, end] of [
    ["oauth-authorization-server", ""],
    ["oauth-protected-resource", ""],
    ["oauth-protected-resource", "/mcp"],
  ] as const) {
    const places = [`/.well-known/${name}/coffer${end}`, `/coffer/.well-known/${name}${end}`];
    const [first, second] = await Promise.all(places.map((place) => ask(place)));
    expect([name, first?.status, first?.text]).toEqual([name, 200, second?.text]);
    const told = JSON.parse(first?.text ?? "");
    expect(told.issuer ?? told.resource).toBe(BASE + end);
  }
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const refused = await stage.coffer.client().send("POST", "/coffer/mcp", { body });
  expect(refused.headers.get("www-authenticate")).toContain(
    `resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`,
  );
});

test.each(["docs", "s", "v0", "drives", ".well-known"])(
  "a path of our own, /%s, stops the start",
  async (own) => {
    const refused = await startAppliance({ "base-url": `${ORIGIN}/${own}/x` }).catch(String);
    expect(refused).toContain(
      own.startsWith(".") ? "may have a path only of" : `must not begin with /${own}`,
    );
  },
);
