import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { type Server, serve, signUp } from "../support/executable.ts";
import { launchBrowser } from "../support/browser.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

setDefaultTimeout(60_000);

/** What an agent, or far too many of them, may have left for a person to look at. */
let directory: TemporaryDirectory;
let server: Server;
let browser: Browser;
let ada: Awaited<ReturnType<typeof signUp>>;
let page: Page;
beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await serve({ dataDir: directory.path });
  ada = await signUp(server, "ada");
  browser = await launchBrowser();
  const context = await browser.newContext();
  context.setDefaultTimeout(15_000);
  page = await context.newPage();
  await page.goto(`${server.url}/drives`);
  await page.getByLabel("Username").fill("ada");
  await page.getByLabel(/^Password/).fill("ada's password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** What somebody types who sees such a name. */
const NAMES: readonly (readonly [what: string, name: string, typed: string])[] = [
  ["spaces", "two  spaces\u00A0here", "two spaces here"],
  ["characters that do not show", "in\u200Bvi\u00ADsi\u2060ble", "invisible"],
  ["another order", "\u202Egnp.exe", "gnp.exe"],
  ["letters in pieces", "cafe\u0301", "caf\u00E9"],
];

test.each(NAMES)("a drive with %s in its name is deleted by what is seen of it", async (_, name, typed) => {
  const { data } = await ada.client.json<{ data: { id: string; slug: string } }>(201, "POST", "/v0/drives", {
    body: { name },
  });
  await page.goto(`${server.url}/drives`);
  await page.getByRole("listitem").filter({ hasText: data.slug }).getByTitle("Delete").click();
  await page.getByRole("textbox", { name: "Type the drive's name" }).fill(`${typed}x`);
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("That is not the drive's name.").waitFor();
  await page.getByRole("textbox", { name: "Type the drive's name" }).fill(typed);
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await ada.client.send("GET", `/v0/drives/${data.id}`)).status).toBe(404);
});

test("what a search finds says where its name would read backwards", async () => {
  const path = encodeURIComponent("kestrel\u202Egnp.exe");
  await ada.client.json(201, "PUT", `/v0/files?drive_id=${ada.drive}&path=${path}`, { body: "x" });
  const found = page.getByRole("heading", { name: /^kestrel/ });
  for (const until = Date.now() + 10_000; (await found.count()) === 0 && Date.now() < until;) {
    await page.goto(`${server.url}/search?q=kestrel`);
    await page.getByRole("status").first().waitFor();
  }
  expect(await found.innerText()).toBe("kestrelU+202Egnp.exe");
});

test("thousands of drives, people and sessions are shown in parts", async () => {
  {
    using sql = new Database(join(server.dataDir, "coffer.db"));
    sql.run("PRAGMA busy_timeout = 10000");
    const many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
    sql.transaction(() => {
      sql.run(`${many} INSERT INTO user (id, username, plan, created_at)
               SELECT 'u' || i, 'user-' || i, 'free', 1 FROM n`);
      sql.run(`${many} INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
               SELECT 's' || i, 'h' || i, pk, '', 1, 1, 9e15 FROM n, user WHERE username = 'ada'`);
      sql.run(`${many} INSERT INTO drive (id, user, name, slug, description, created_at, updated_at)
               SELECT 'd' || i, pk, 'Drive ' || i, 'ada/d' || i, '', 1, 1 FROM n, user WHERE username = 'ada'`);
      sql.run("INSERT INTO folder (drive, path, created_at) SELECT pk, '', 1 FROM drive WHERE id LIKE 'd%'");
    })();
  }
  for (const [path, title] of [
    ["/drives", "Drives"],
    ["/people", "People"],
    ["/account", "Signed in"],
  ] as const) {
    await page.goto(server.url + path);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
    const entries = page.getByRole("main").getByRole("listitem");
    const more = page.getByRole("button", { name: /^Show more/ });
    await more.waitFor();
    expect([path, await entries.count()]).toEqual([path, 200]);
    await more.focus();
    await page.keyboard.press("Enter");
    await entries.nth(200).waitFor();
    expect([path, await entries.count()]).toEqual([path, 400]);
    expect(await entries.nth(200).evaluate((entry) => entry === entry.ownerDocument.activeElement)).toBe(
      true,
    );
  }
});
