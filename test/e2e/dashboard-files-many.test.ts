import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../support/axe.ts";
import { openDashboard } from "../support/dashboard.ts";
import { closeDialog, row } from "../support/drive-page.ts";
import { putFile } from "../support/drives.ts";
import { addManyFiles, addManyFolders } from "../support/many-files.ts";

const dashboard = openDashboard({ owner: "alice" });
const { open, driveWith, paths } = dashboard;

test("a folder is ordered by its headings, and all in it is selected and deleted together", async () => {
  const { id: drive, fileId } = await driveWith("Bulk", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 1200);
  for (const [path, size] of [
    ["many/big.bin", 5000],
    ["many/small/a.txt", 10],
    ["many/large/b.txt", 20],
  ] as const) {
    await putFile(dashboard.owner, drive, path, "x".repeat(size));
  }
  await using page = await open("/drives/alice/bulk/many/");
  await row(page, "0000001.txt").waitFor();
  await page.getByRole("columnheader", { name: "Size" }).getByRole("button").click();
  await page.locator("[aria-sort=descending]", { hasText: "Size" }).waitFor();
  for (const [index, name] of ["large", "small", "big.bin"].entries()) {
    await page.locator(`[data-index='${index}']`, { hasText: name }).waitFor();
  }
  // Whoever comes back finds the order again.
  await page.getByRole("link", { name: "large" }).click();
  await row(page, "b.txt").waitFor();
  await page.goBack();
  await page.locator("[aria-sort=descending]", { hasText: "Size" }).waitFor();
  await page.getByLabel("Select all", { exact: true }).click();
  await page.getByText("1,203 selected").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Delete");
  await page
    .getByText("1,201 files (6.1 KiB) and 2 folders with 2 files in them will be permanently deleted")
    .waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
  await page.getByText("This folder is empty").waitFor();
  expect(await paths(drive)).toEqual(["one.txt"]);
});

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
  for (const key of ["Shift+PageDown", "Shift+PageDown", "Delete"]) await page.keyboard.press(key);
  await page.getByText(/^\d\d folders with 1 file in them will be permanently deleted\.$/).waitFor();
  await closeDialog(page);
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await beginsWith(page, "999");
  expect(await page.locator(".file-row").count()).toBeLessThan(60);
});

test("100,000 files in a folder are looked at anywhere in any order, a few of them in the page", async () => {
  const { id: drive, fileId } = await driveWith("Huge", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 100_000);
  const query = new URLSearchParams({ drive_id: drive, path: "many/0050000.txt" });
  const longer = { body: "longer than the others" };
  await dashboard.owner.client.json(200, "PUT", `/v0/files?${query.toString()}`, longer);
  await using page = await open("/drives");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === "/v0/files") asked.push(search);
  });
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
