import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hasOfflinePage, OFFLINE_PAGE } from "../../../web/lib/browser/offline-pages.ts";
import { titleOf } from "../../../web/lib/browser/title.ts";
import { startAppliance } from "../../support/server/appliance.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types coffer-workers";

/** What a browser accepts. */
const page = { accept: "text/html,application/xhtml+xml" };

const NAME = `"Ours" </script> $& \u202E`;

const coffer = await startAppliance({ name: NAME });
afterAll(() => coffer[Symbol.asyncDispose]());
const { text } = await coffer.client().send("GET", "/", { headers: page });
const files = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");

describe("the dashboard's files", () => {
  /** As it is sent: what came is not unpacked. */
  function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(coffer.appliance.url + path, { decompress: false, headers: { ...page, ...headers } });
  }

  test.each(["/", "/drives/ada/notes/", "/search?q=x", "/keys", "/claim/clm_0"])(
    "the page at %s is guarded by a policy",
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers.get("content-security-policy")]).toEqual([200, POLICY]);
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  test("each page is there when it is loaded again, and has a title of its own", async () => {
    const app = await Bun.file(join(import.meta.dir, "../../../web/app.tsx")).text();
    const pages = [...app.matchAll(/path === "(\/[a-z]+)"/g)].map(([, path = ""]) => path);
    expect(pages).toContain("/keys");
    expect(await Promise.all(pages.map(async (path) => (await get(path)).status))).toEqual(
      pages.map(() => 200),
    );
    expect(new Set(pages.map(titleOf)).size).toBe(pages.length);
    expect(pages.filter((path) => !hasOfflinePage(path))).toEqual([]);
  });

  test.each(["/", "/drives/", "/drives/ada/notes/"])("the offline page may stand in for %s", (path) => {
    expect(hasOfflinePage(path)).toBe(true);
  });

  const elsewhere =
    "/s/x /docs /docs/ /v0/files/x/download /v0/presigned/x /auth/oidc/login /auth/setup /claim/x /oauth/consent /drivesx //drives /x/drives /offline-worker.js";
  test.each([...elsewhere.split(" "), OFFLINE_PAGE])("the offline page never stands in for %s", (path) => {
    expect(hasOfflinePage(path)).toBe(false);
  });

  test.each<[path: string, headers: Record<string, string>, type: string]>([
    ["/drivse", page, "text/html"],
    ["/a/b/c", page, "text/html"],
    ["/nothing", { accept: "*/*", "sec-fetch-mode": "navigate" }, "text/html"],
    ["/drivse", { accept: "*/*" }, "application/json"],
    ["/chunk-0000.js", { accept: "*/*", "sec-fetch-mode": "no-cors" }, "application/json"],
  ])("what is not at %s is told with headers %j", async (path, headers, type) => {
    const answer = await get(path, headers);
    expect([answer.status, answer.headers.get("content-type")?.split(";")[0]]).toEqual([404, type]);
    expect(answer.headers.get("content-security-policy")).toBe(type === "text/html" ? POLICY : null);
    const { status, body } = await fetch(coffer.appliance.url + path, { method: "HEAD", headers });
    expect([status, body]).toEqual([404, null]);
  });

  test.each([
    ["GET", "/v0/nothing", 401],
    ["POST", "/drivse", 404],
    ["GET", "/auth/logout", 405],
  ])("%s %s is answered to a program, even from a page", async (method, path, status) => {
    const answer = await fetch(coffer.appliance.url + path, { method, headers: page });
    const type = answer.headers.get("content-type")?.split(";")[0];
    expect([answer.status, type]).toEqual([status, "application/json"]);
  });

  test("a script, a style, an icon and a manifest, from no other host, nothing inline", () => {
    const kinds = files.map((file) => file.slice(file.lastIndexOf(".")));
    expect(kinds.toSorted()).toEqual([".css", ".js", ".svg", ".webmanifest"]);
    expect(text).not.toMatch(/https?:|"\/\/|<style|\bstyle=|\son\w+=|<script>/);
  });

  test.each<[header: string, encoding: string | null]>([
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["br, GZIP;q=0.5", "gzip"],
    ["*", "gzip"],
    ["identity", null],
    ["br", null],
    ["", null],
    ["gzip;q=0", null],
    ["gzip; q=0.0, *", null],
    ["x-gzippy", null],
  ])("Accept-Encoding: %s", async (header, encoding) => {
    for (const path of ["/", ...files]) {
      const plain = await (await get(path, { "accept-encoding": "identity" })).arrayBuffer();
      const response = await get(path, { "accept-encoding": header });
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(response.headers.get("vary")).toBe(path === "/" ? "accept, accept-encoding" : "accept-encoding");
      expect([path, response.headers.get("content-encoding")]).toEqual([path, encoding]);
      expect(response.headers.get("content-length")).toBe(String(bytes.length));
      expect(encoding === null ? bytes : Bun.gunzipSync(bytes)).toEqual(new Uint8Array(plain));
    }
  });

  test("what the browser has is not sent again, in either encoding", async () => {
    for (const path of ["/", ...files]) {
      const { headers } = await get(path, { "accept-encoding": "gzip" });
      for (const encoding of ["gzip", "identity"]) {
        const held = { "if-none-match": headers.get("etag") ?? "" };
        const again = await get(path, { "accept-encoding": encoding, ...held });
        expect([path, again.status, await again.text()]).toEqual([path, 304, ""]);
      }
      expect((await get(path, { "if-none-match": '"another"' })).status).toBe(200);
    }
  });

  test("the manifest names icons that are there, and the page that an installed dashboard begins at", async () => {
    const manifest = files.find((file) => file.endsWith(".webmanifest")) ?? "";
    const answer = await get(manifest);
    expect(answer.headers.get("content-type")).toBe("application/manifest+json");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    const { icons, start_url: start, name, short_name: short } = JSON.parse(await answer.text());
    expect([name, short]).toEqual([NAME, NAME]);
    expect(icons).toHaveLength(2);
    for (const { src, type } of icons) {
      const icon = await get(src);
      expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type]);
      expect(icon.headers.get("content-security-policy")).toBe("default-src 'none'");
    }
    expect((await get(start)).status).toBe(200);
  });

  test.each([
    ["/code-worker.js", ""],
    ["/markdown-worker.js", ""],
    ["/merge-worker.js", ""],
    ["/offline-worker.js", "; connect-src 'self'"],
    ["/pdf-worker.js", ""],
  ])(
    "the worker %s is a script of its own, which may load nothing%s, and is asked for anew",
    async (path, more) => {
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain("text/javascript");
      expect(headers.get("content-security-policy")).toBe(
        `default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'${more}`,
      );

      expect(headers.get("cache-control")).toBe("no-cache");
      expect(files).not.toContain(path);
    },
  );

  test("files are kept for good by the browser, since their names follow their contents", async () => {
    for (const file of files.filter((name) => !name.endsWith(".webmanifest"))) {
      expect((await get(file)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
  });
});
