import { afterAll, describe, expect, test } from "bun:test";
import { runInNewContext } from "node:vm";
import { startStub } from "../stub-app.ts";

const app = startStub();
afterAll(() => app[Symbol.asyncDispose]());

/** Asks without a key. */
function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return app.send(path, { ...init, key: null });
}

describe("the documentation's page", () => {
  test("/docs/ leads to it, since its links are relative", async () => {
    const response = await ask("/docs/");
    expect(response.status).toBe(301);
    const from = new URL("/docs/", app.url);
    expect(new URL(response.headers.get("location") ?? "", from).pathname).toBe("/docs");
  });

  test("loads nothing from another host, and runs no inline script", async () => {
    const response = await ask("/docs");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self';");
    expect(policy).toEndWith("; require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toContain("http");
    const page = await response.text();
    expect(page).not.toMatch(/https?:|\/\/|<script>|<style|\son\w+=/);
  });

  const types: Readonly<Record<string, string>> = {
    "docs/swagger-ui.css": "text/css; charset=utf-8",
    "docs/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "docs/init.js": "text/javascript; charset=utf-8",
    "docs/favicon-16x16.png": "image/png",
    "docs/favicon-32x32.png": "image/png",
    "docs/openapi.json": "application/json; charset=utf-8",
  };

  test("has every file it refers to, each of its type", async () => {
    const page = await (await ask("/docs")).text();
    const links = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");
    expect(links.toSorted()).toEqual(Object.keys(types).toSorted());
    for (const link of links) {
      const response = await ask(`/${link}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(types[link] ?? "");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect((await response.bytes()).length).toBeGreaterThan(100);
    }
  });

  test("the files are the package's own", async () => {
    for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]) {
      const original = Bun.file(Bun.fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
      expect(await (await ask(`/docs/${name}`)).bytes()).toEqual(await original.bytes());
    }
  });

  test("the start script is one that runs, without the validator of another host", async () => {
    const script = await (await ask("/docs/init.js")).text();
    const shown = Promise.withResolvers<object>();
    runInNewContext(script, {
      URL,
      location: new URL("http://nas:2633/docs"),
      fetch: (path: string) => ask(`/${path}`),
      matchMedia: () => new EventTarget(),
      addEventListener: () => undefined,
      document: { documentElement: { classList: { toggle: () => false } } },
      SwaggerUIBundle: (options: object) => shown.resolve(options),
    });
    expect(await shown.promise).toMatchObject({
      dom_id: "#swagger-ui",
      validatorUrl: null,
      persistAuthorization: true,
      spec: { openapi: "3.1.0", servers: [{ url: "http://nas:2633" }] },
    });
  });

  test("is not sent again to who has it", async () => {
    for (const path of ["/docs", "/docs/openapi.json", "/docs/swagger-ui-bundle.js"]) {
      const etag = (await ask(path)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[0-9a-f]+"$/);
      const again = await ask(path, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
      expect((await ask(path, { headers: { "if-none-match": '"older"' } })).status).toBe(200);
    }
  });

  test("HEAD works, other methods are refused", async () => {
    expect((await ask("/docs", { method: "HEAD" })).status).toBe(200);
    const post = await ask("/docs", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("the description", () => {
  test("is also at /openapi.json, compressed for those who accept it", async () => {
    const plain = await app.send("/docs/openapi.json", { headers: { "accept-encoding": "identity" } });
    const text = await plain.text();
    for (const path of ["/docs/openapi.json", "/openapi.json"]) {
      const headers = { "accept-encoding": "gzip" };
      const packed = await fetch(new URL(path, app.url), { headers, decompress: false });
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect(packed.headers.get("vary")).toContain("accept-encoding");
      const bytes = new Uint8Array(await packed.arrayBuffer());
      expect(bytes.length).toBeLessThan(text.length / 3);
      expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
      // Another encoding is another representation; a proxy that compresses makes a tag weak.
      const etag = packed.headers.get("etag") ?? "";
      expect(etag).not.toBe(plain.headers.get("etag") ?? "");
      const held = await app.send(path, { headers: { "if-none-match": `"x", W/${etag}` } });
      expect(held.status).toBe(304);
    }
  });

  test("in short has a line for each operation, and the details of each", async () => {
    const response = await ask("/docs/api.md");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const list = await response.text();
    for (const line of [
      "- `GET /v0/things` query drive_id?, page?, limit?, inline?: List things (listThings).\n",
      "- `POST /v0/things` body {name, scope?, tags?, metadata?, expires_at?, confirm?}: Create a thing (createThing).\n",
    ]) {
      expect(list).toContain(line);
    }
    expect(list).toMatch(/`POST \/v0\/drives\/provision` body \{name\}: .* No key\.\n/);
    const details = await (await ask("/docs/api/createThing.md")).text();
    for (const part of [
      "# createThing: Create a thing\n",
      "`POST /v0/things` needs a key or a session.",
      "- `Idempotency-Key` (header, string, optional)",
      "- `name` (string)\n",
      '- `scope` ("read-write" or "read-only" or null, optional)\n',
      "- `tags` (array of string, optional)\n",
      "- 409 `CONFLICT`: ",
      "- 429 `RATE_LIMITED`: ",
    ]) {
      expect(details).toContain(part);
    }
  });

  test("in short has no details of what there is not", async () => {
    for (const id of ["nothing.md", "__proto__", "createThing.md.md"]) {
      const response = await ask(`/docs/api/${id}`);
      const error = { message: expect.stringContaining("/docs/api.md") };
      expect([response.status, await response.json()]).toMatchObject([404, { error }]);
    }
  });
});
