import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { changeDatabase } from "../support/change-database.ts";
import { openDashboard } from "../support/dashboard.ts";
import { isFound, putFile } from "../support/drives.ts";

/** What an agent, or far too many of them, may have left for a person to look at. */
const dashboard = openDashboard();
let page: Page;
beforeAll(async () => {
  page = await dashboard.context.newPage();
});

/** What somebody types who sees such a name. */
const NAMES: readonly (readonly [what: string, name: string, typed: string])[] = [
  ["spaces", "two  spaces\u00A0here", "two spaces here"],
  ["characters that do not show", "in\u200Bvi\u00ADsi\u2060ble", "invisible"],
  ["another order", "\u202Egnp.exe", "gnp.exe"],
  ["letters in pieces", "cafe\u0301", "caf\u00E9"],
];

test.each(NAMES)("a drive with %s in its name is deleted by what is seen of it", async (_, name, typed) => {
  const drive = await dashboard.driveWith(name);
  await page.goto("/drives");
  await page.getByRole("listitem").filter({ hasText: drive.slug }).getByTitle("Delete").click();
  await page.getByRole("textbox", { name: "Type the name to confirm" }).fill(`${typed}x`);
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("That doesn't match the drive's name.").waitFor();
  await page.getByRole("textbox", { name: "Type the name to confirm" }).fill(typed);
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await dashboard.owner.client.send("GET", `/v0/drives/${drive.id}`)).status).toBe(404);
});

test("what a search finds says where its name would read backwards", async () => {
  await putFile(dashboard.owner, dashboard.owner.drive, "kestrel\u202Egnp.exe");
  await isFound(dashboard.owner, "kestrel", 1);
  await page.goto("/search?q=kestrel");
  expect(await page.getByRole("heading", { name: /^kestrel/ }).innerText()).toBe("kestrelU+202Egnp.exe");
});

test("thousands of drives, users and sessions are shown in parts", async () => {
  const many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
  changeDatabase(
    dashboard.server.dataDir,
    `${many} INSERT INTO user (id, username, plan, created_at)
     SELECT 'u' || i, 'user-' || i, 'free', 1 FROM n`,
    `${many} INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
     SELECT 's' || i, 'h' || i, pk, '', 1, 1, 9e15 FROM n, user WHERE username = 'ada'`,
    `${many} INSERT INTO drive (id, user, name, slug, description, created_at, updated_at)
     SELECT 'd' || i, pk, 'Drive ' || i, 'ada/d' || i, '', 1, 1 FROM n, user WHERE username = 'ada'`,
    "INSERT INTO folder (drive, path, created_at) SELECT pk, '', 1 FROM drive WHERE id LIKE 'd%'",
  );
  for (const [path, title] of [
    ["/drives", "Drives"],
    ["/users", "Users"],
    ["/account", "Active sessions"],
  ] as const) {
    await page.goto(path);
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
