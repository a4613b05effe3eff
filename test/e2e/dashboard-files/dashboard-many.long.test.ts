import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { queriesOf } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, pressKeys, row } from "../../support/browser/drive-page.ts";
import { addManyFiles, addManyFolders } from "../../support/samples/many-files.ts";

const dashboard = await openDashboard({ owner: "alice" });
const { open, driveWith } = dashboard;

/** Presses a key and waits until the row that it leads to has the focus. */
async function goes(page: Page, key: string, name: string): Promise<void> {
  await page.keyboard.press(key);
  await page.locator(".file-row:focus .name").getByText(name, { exact: true }).waitFor();
}

/** Waits until the first row of the list is this one. */
function beginsWith(page: Page, name: string): Promise<void> {
  return page.locator("[data-index='0'] .name").getByText(name, { exact: true }).waitFor();
}

test("5,000 folders in a folder are looked at anywhere", async () => {
  await driveWith("Wide", { "folders/one.txt": 1, "folders/0/two.txt": 2 });
  await addManyFolders(dashboard.server.dataDir, 5000);
  await using page = await open("/drives/alice/wide/folders/");
  await row(page, "1").waitFor();
  await page.getByText("5,001 folders, 1 file").waitFor();
  await page.keyboard.press("ArrowUp");
  await goes(page, "End", "one.txt");
  await goes(page, "Home", "0");
  await pressKeys(page, "Shift+PageDown", "Shift+PageDown", "Delete");
  await page
    .getByText(/^\d\d folders with 1 file in them will go to the trash, and can be put back for 30 days\.$/)
    .waitFor();
  await closeDialog(page);
  const note = page.getByText("There are too many folders to sort by size");
  expect(await note.count()).toBe(0);
  await page.getByRole("button", { name: "Size" }).click();
  await note.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Name" }).click();
  await note.waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await beginsWith(page, "5000");
  expect(await page.locator(".file-row").count()).toBeLessThan(60);
});

test("100,000 files in a folder are looked at anywhere in any order, a few of them in the page", async () => {
  const { id: drive, fileId } = await driveWith("Huge", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 100_000);
  await dashboard.owner.client.put(drive, "many/0050000.txt", "longer than the others", 200);
  await using page = await open();
  const asked = queriesOf(page, "/v0/files");
  await page.goto("/drives/alice/huge/many/");
  await row(page, "0000001.txt").waitFor();
  await page.getByText("100,000 files", { exact: true }).waitFor();
  expect(asked).toHaveLength(1);
  await page.keyboard.press("ArrowUp");
  await goes(page, "End", "0100000.txt");
  await goes(page, "Home", "0000001.txt");
  for (const [heading, name] of [
    ["Size", "0050000.txt"],
    ["Modified", "0050000.txt"],
    ["Name", "0000001.txt"],
    ["Name", "0100000.txt"],
  ] as const) {
    await page.getByRole("columnheader", { name: heading }).getByRole("button").click();
    await beginsWith(page, name);
  }
  expect(await page.locator(".file-row").count()).toBeLessThan(60);
  // Of each of the five orders, at most a page at either end.
  expect(asked.length).toBeLessThanOrEqual(10);
  await page.getByLabel("Select all loaded items").click();
  await page.getByText(/^[\d,]+ of 100,000 selected/).waitFor();
});

test("thousands of drives, users and sessions are shown in parts", async () => {
  await using page = await open("/drives");
  const many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
  changeDatabase(
    dashboard.server.dataDir,
    `${many} INSERT INTO user (id, username, plan, created_at)
     SELECT 'u' || i, 'user-' || i, 'free', 1 FROM n`,
    `${many} INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
     SELECT 's' || i, 'h' || i, pk, '', 1, 1, 9e15 FROM n, user WHERE username = 'alice'`,
    `${many} INSERT INTO drive (id, user, name, slug, description, created_at, updated_at)
     SELECT 'd' || i, pk, 'Drive ' || i, 'alice/d' || i, '', 1, 1 FROM n, user WHERE username = 'alice'`,
    "INSERT INTO folder (drive, path, created_at) SELECT pk, '', 1 FROM drive WHERE id LIKE 'd%'",
  );
  for (const [path, title] of [
    ["/drives", "Drives"],
    ["/users", "Users"],
    ["/account", "Active sessions"],
  ] as const) {
    await page.goto(path);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
    // An entry may have a list in it, and a page charts with lists of their own.
    const entries = page.locator("main li:not(li li, .shares li)");
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
