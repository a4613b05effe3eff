import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { onlyPageOf, signInAt } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { row, upload } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { freePort, signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";

// The dashboard of a server under a path of its host: nothing of it may ask for, or lead to, what is beside that.

const port = String(freePort());
const ORIGIN = `http://127.0.0.1:${port}`;
const BASE = `${ORIGIN}/coffer`;
const dashboard = await openDashboard({ env: { COFFER_PORT: port, COFFER_BASE_URL: BASE } });

/** What a page asks for at this host, and where its elements lead, outside of the path. */
function besideThePath(page: Page) {
  const asked: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin === ORIGIN && !`${url.pathname}/`.startsWith("/coffer/")) asked.push(url.pathname);
  });
  return async () => {
    const led: string[] = await page.evaluate(`
      Array.from(document.querySelectorAll("[href], [src]"), (element) => element.href || element.src)
        .filter((address) => address.startsWith("${ORIGIN}") && !(address + "/").startsWith("${BASE}/"))`);
    return [...asked, ...led];
  };
}

test("people sign in, open every page, and go back and forth", async () => {
  const page = await onlyPageOf(await dashboard.browser.newContext());
  const beside = besideThePath(page);
  await page.goto(`${BASE}/keys`);
  await signInAt(page, "ada");
  await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
  for (const path of [
    "/drives",
    "/search",
    "/links",
    "/webhooks",
    "/trash",
    "/account",
    "/users",
    "/server",
    "/audit",
  ]) {
    await page.goto(BASE + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/coffer${path}`);
    expect([path, await beside()]).toEqual([path, []]);
  }
  // Without a slash at its end too.
  await page.goto(BASE);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.getByRole("link", { name: "Files" }).first().click();
  await page.waitForURL(`${BASE}/drives/ada/files/`);
  await page.goBack();
  await page.waitForURL(`${BASE}/drives`);
  await page.goForward();
  await page.waitForURL(`${BASE}/drives/ada/files/`);
  await page.reload();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  expect(await beside()).toEqual([]);
  await page.context().close();
});

test("a drive: files are uploaded, shown, drawn by workers, downloaded, and what others do is followed", async () => {
  const drive = await dashboard.driveWith("Under a path", { "folder/a.txt": 1 });
  await using page = await dashboard.open(`/coffer/drives/${drive.slug}/`);
  const beside = besideThePath(page);
  await upload(page, ["notes.md", "code.ts"], "# A heading\n\n- one\n");
  await row(page, "notes.md").waitFor();
  // By the feed of changes.
  await putFile(dashboard.owner, drive.id, "by-agent.txt");
  await row(page, "by-agent.txt").waitFor();
  await page.getByRole("link", { name: "notes.md" }).first().click();
  // The worker for Markdown has made it.
  await page.getByRole("heading", { name: "A heading" }).waitFor();
  expect(page.url()).toStartWith(`${BASE}/drives/${drive.slug}/?file=`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).first().click();
  const saved = join(dashboard.disk, "notes.md");
  await (await download).saveAs(saved);
  expect(await Bun.file(saved).text()).toStartWith("# A heading");
  await page.goto(`/coffer/drives/${drive.slug}/folder/`);
  await row(page, "a.txt").waitFor();
  expect(await beside()).toEqual([]);
});

test("agents are told the address with the path, and links begin with it", async () => {
  await using page = await dashboard.open("/coffer/keys?connect");
  const beside = besideThePath(page);
  await page.getByRole("dialog").waitFor();
  await page.waitForURL(`${BASE}/keys`);
  const { id } = await dashboard.driveWith("Shared", { "a.txt": 1 });
  const body = { drive_id: id, path: "/" };
  const link = await dashboard.owner.client.post<{ url: string }>("/v0/links", body);
  expect(link.url).toStartWith(`${BASE}/s/`);
  await page.goto(link.url);
  await page.getByText("a.txt").first().waitFor();
  expect(await beside()).toEqual([]);
});

test("an installed dashboard has its worker and its offline page under the path", async () => {
  await signUp(dashboard.server, "dora");
  const window = await dashboard.windowOf("dora");
  // It takes itself for an installed one: a browser without a screen installs nothing.
  await window.addInitScript(`{
    const ask = window.matchMedia;
    window.matchMedia = (query) => ask(query === "(display-mode: standalone)" ? "all" : query);
  }`);
  const page = await onlyPageOf(window);
  await page.goto(`${BASE}/trash`);
  await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  const workers = `navigator.serviceWorker.getRegistrations().then((all) =>
    all.map(({ scope, active }) => [scope, active?.scriptURL]))`;
  expect(await page.evaluate<unknown>(workers)).toEqual([[`${BASE}/`, `${BASE}/offline-worker.js`]]);
  const kept = `caches.open("coffer-offline").then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url))`;
  await eventually(async () => (await page.evaluate<string[]>(kept)).length > 0);
  expect(await page.evaluate<string[]>(kept)).toEqual([`${BASE}/offline-page`]);
  await dashboard.server.kill();
  await page.goto(`${BASE}/keys`);
  await page.getByRole("heading", { name: "Can't reach the server." }).waitFor();
  await dashboard.restart();
  await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
});
