import { describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { guideOf, MANUAL_PAGES } from "../../support/guides/guides.ts";
import type { Answer } from "../../support/server/client.ts";
import { openStage } from "../../support/server/scenario.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

/** The names of the pages, as their addresses end; empty for the first. */
const NAMES = MANUAL_PAGES.map((path) => path.replace(/^.*\/(?:README)?|\.md$/g, ""));

const stage = openStage();

function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return stage.coffer.client().send("GET", path, { headers });
}

function addressOf(name: string): string {
  return name === "" ? "/manual" : `/manual/${name}`;
}

const lookAt = (name: string) => ask(addressOf(name), { accept: BROWSER });

function linksIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, target = ""]) => target);
}

test("there is a page for each file", () => {
  expect(NAMES).toContain("");
  expect(NAMES.length).toBeGreaterThanOrEqual(12);
});

describe.each(NAMES)("the page %j", (name) => {
  test("is HTML for browsers, and Markdown for programs", async () => {
    const page = await lookAt(name);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, HTML]);
    expect(page.headers.get("vary")).toBe("accept, accept-encoding");
    for (const path of [addressOf(name), `${addressOf(name)}.md`]) {
      const text = await ask(path);
      expect([path, text.status, text.headers.get("content-type")]).toEqual([path, 200, MARKDOWN]);
      expect(text.text).toStartWith("# ");
    }
    expect((await ask(`${addressOf(name)}.md`, { accept: BROWSER })).headers.get("content-type")).toBe(
      MARKDOWN,
    );
  });

  test("loads no script, and nothing from others", async () => {
    const page = await lookAt(name);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|\ssrc="\w+:/);
  });

  test("has links only to what there is, all of them relative", async () => {
    const { text } = await lookAt(name);
    for (const target of linksIn(text, /\s(?:href|src)="([^"]*)"/g)) {
      if (target.startsWith("https://")) continue;
      expect(target).not.toStartWith("/");
      const { pathname, hash } = new URL(target, `http://localhost${addressOf(name)}`);
      const led = await ask(pathname, { accept: BROWSER });
      expect([target, led.status]).toEqual([target, 200]);
      if (hash !== "") expect(led.text).toContain(` id="${hash.slice(1)}"`);
    }
  });

  test("has links in Markdown to what there is in Markdown", async () => {
    const { text } = await ask(`${addressOf(name)}.md`);
    for (const target of linksIn(text, /\]\(([^)\s]+)\)/g)) {
      if (/^(?:https:|#)/.test(target)) continue;
      const { pathname } = new URL(target, `http://localhost${addressOf(name)}`);
      expect([target, pathname]).toEqual([target, expect.stringMatching(/\.(?:md|svg|yml|json)$/)]);
      expect([target, (await ask(pathname)).status]).toEqual([target, 200]);
    }
  });

  test("has one heading of the first level, and names for all headings", async () => {
    const { text } = await lookAt(name);
    expect(text.match(/<h1[ >]/g)).toHaveLength(1);
    const names = linksIn(text, /<h[1-6] id="([^"]*)"/g);
    expect(names.length).toBe(text.match(/<h[1-6]\b/g)?.length ?? 0);
    expect(new Set(names).size).toBe(names.length);
  });
});

test("a page has what its file has", async () => {
  const { blocks } = await guideOf(".github/docs/backup.md");
  const page = await lookAt("backup");
  for (const { text } of blocks) expect(page.text).toContain(Bun.escapeHTML(text));
  expect(page.text).toContain('<a href="backup" aria-current="page">');
});

test.each([
  ["scale.svg", ".github/docs/scale.svg", "image/svg+xml"],
  ["alerts.yml", ".github/monitoring/alerts.yml", "application/yaml; charset=utf-8"],
  ["dashboard.json", ".github/monitoring/dashboard.json", "application/json; charset=utf-8"],
  ["manual.css", "src/http/manual/manual.css", "text/css; charset=utf-8"],
])("%s is beside the pages", async (name, path, type) => {
  const file = await ask(`/manual/${name}`, { accept: BROWSER });
  expect([file.status, file.headers.get("content-type")]).toEqual([200, type]);
  expect(file.text).toBe(await Bun.file(join(ROOT, path)).text());
});

test.each([
  ["/manual/", "/manual"],
  ["/manual/backup/", "/manual/backup"],
])("%s leads to where its relative links are right", async (path, right) => {
  const { status, headers } = await ask(path, { accept: BROWSER });
  expect(status).toBe(301);
  expect(new URL(headers.get("location") ?? "", `http://localhost${path}`).pathname).toBe(right);
});

test.each([
  "/manual/none",
  "/manual/none.md",
  "/manual/README.md",
  "/manual/..%2fREADME.md",
  "/manual/constructor",
])("%s is no page, which is said as ever", async (path) => {
  const { status, text } = await ask(path, { accept: BROWSER });
  expect(status).toBe(404);
  expect(JSON.parse(text)).toMatchObject({ error: { code: "NOT_FOUND" } });
});

test("agents are told of it", async () => {
  expect((await ask("/llms.txt")).text).toContain("/manual.md): ");
});
