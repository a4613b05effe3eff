import { expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { row } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";

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
    .getByText(
      "1,201 files (6.1 KiB) and 2 folders with 2 files in them will go to the trash, and can be put back for 30 days",
    )
    .waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
  await page.getByText("This folder is empty").waitFor();
  expect(await paths(drive)).toEqual(["one.txt"]);
});
