import { describe, expect, test } from "bun:test";
import { runInNewContext } from "node:vm";
import { startStub } from "./stub-app.ts";

describe("the documentation's page", () => {
  test("/docs/ leads to it, since its links are relative", async () => {
    await using app = startStub();
    const response = await app.send("/docs/", { key: null });
    expect(response.status).toBe(301);
    expect(new URL(response.headers.get("location") ?? "", new URL("/docs/", app.server.url)).pathname).toBe(
      "/docs",
    );
  });

  test("loads nothing from another host, and runs no inline script", async () => {
    await using app = startStub();
    const response = await app.send("/docs", { key: null });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self';");
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
    await using app = startStub();
    const page = await (await app.send("/docs", { key: null })).text();
    const links = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");
    expect(links.toSorted()).toEqual(Object.keys(types).toSorted());
    for (const link of links) {
      const response = await app.send(`/${link}`, { key: null });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(types[link] ?? "");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect((await response.bytes()).length).toBeGreaterThan(100);
    }
  });

  test("the files are the package's own", async () => {
    await using app = startStub();
    for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]) {
      const original = Bun.file(Bun.fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
      const served = await (await app.send(`/docs/${name}`, { key: null })).bytes();
      expect(Bun.hash(served)).toBe(Bun.hash(await original.bytes()));
    }
  });

  test("the start script is one that runs, without the validator of another host", async () => {
    await using app = startStub();
    const script = await (await app.send("/docs/init.js", { key: null })).text();
    const shown = Promise.withResolvers<object>();
    runInNewContext(script, {
      URL,
      location: new URL("http://nas:2633/docs"),
      fetch: (path: string) => app.send(`/${path}`, { key: null }),
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
    await using app = startStub();
    for (const path of ["/docs", "/docs/openapi.json", "/docs/swagger-ui-bundle.js"]) {
      const etag = (await app.send(path, { key: null })).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[0-9a-f]+"$/);
      const again = await app.send(path, { key: null, headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
      expect(again.headers.get("etag")).toBe(etag);
      const changed = await app.send(path, { key: null, headers: { "if-none-match": '"older"' } });
      expect(changed.status).toBe(200);
    }
  });

  test("HEAD works, other methods are refused", async () => {
    await using app = startStub();
    const head = await app.send("/docs", { key: null, method: "HEAD" });
    expect(head.status).toBe(200);
    const post = await app.send("/docs", { key: null, method: "POST" });
    expect(post.status).toBe(405);
    expect(post.headers.get("allow")).toBe("GET, HEAD");
  });
});
