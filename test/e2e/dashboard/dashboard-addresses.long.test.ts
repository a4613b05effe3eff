import { describe, expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { comeBack, withoutFeed } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, row } from "../../support/browser/drive-page.ts";
import { isFound, putFile } from "../../support/server/drives.ts";

// What an address leads to: of a file, of a drive that is renamed, and back again.

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith } = dashboard;

// Else an address would follow a new name before it is used.
await withoutFeed(dashboard.context);

async function rename(drive: string, name: string): Promise<void> {
  await dashboard.owner.client.patch(`/v0/drives/${drive}`, { name });
}

test("an address of a file shows none that is another drive's, and leads to where it was moved in its own", async () => {
  const { slug, fileId } = await driveWith("Mine", { "a.txt": 1, "to/b.txt": 1 });
  const other = await driveWith("Other", { "secret.txt": 1 });
  await using page = await open(`/drives/${slug}/?file=${other.fileId("secret.txt")}`);
  await page.getByRole("heading", { name: "File not found" }).waitFor();
  expect(await page.getByText("secret.txt").count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).click();
  await page.waitForURL(`**/drives/${slug}/`);
  await row(page, "a.txt").waitFor();

  const id = fileId("a.txt");
  await dashboard.owner.client.patch(`/v0/files/${id}`, { path: "to/a.txt" });
  await page.goto(`/drives/${slug}/?file=${id}`);
  await page.waitForURL(`**/drives/${slug}/to/?file=${id}`);
  await page.getByRole("button", { name: "Close preview" }).click();
  await row(page, "b.txt").waitFor();
  await page.waitForURL(`**/drives/${slug}/to/`);
});

describe("a drive that is given another name", () => {
  test("keeps the folder, what is selected, and the dialog that is open; its address follows", async () => {
    await using page = await openDrive("Before", { "folder/a.txt": 1, "folder/b.txt": 1 });
    await page.getByRole("link", { name: "folder", exact: true }).click();
    await page.getByLabel("Select a.txt").check();
    await page.keyboard.press("F2");
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("half typed");
    await rename(page.drive.id, "After");
    await comeBack(page);
    await page.waitForURL("**/drives/alice/after/folder/");
    await page.getByRole("link", { name: "After", exact: true }).waitFor();
    expect(await name.inputValue()).toBe("half typed");
    await closeDialog(page);
    expect(await page.getByLabel("Select a.txt").isChecked()).toBe(true);
    // An entry of the history that still has the old name, too.
    await page.goBack();
    await page.waitForURL("**/drives/alice/after/");
    await row(page, "folder").waitFor();
    await page.goForward();
    await page.waitForURL("**/drives/alice/after/folder/");
    await row(page, "b.txt").waitFor();
    await page.reload();
    await row(page, "b.txt").waitFor();
    expect(await page.title()).toBe("folder · Coffer");
  });

  test("is found again where it was open, also after a reload and with a file above it", async () => {
    const { id, slug, fileId } = await driveWith("Old name", { "a.txt": 1, "b.txt": 1 });
    const file = fileId("a.txt");
    await using page = await open(`/drives/${slug}/?file=${file}`);
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await rename(id, "New name");
    await page.reload();
    await page.waitForURL(`**/drives/alice/new-name/?file=${file}`);
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.getByRole("button", { name: "Close preview" }).click();
    await page.waitForURL("**/drives/alice/new-name/");
    // From the list of drives, where it may have been renamed.
    await page.getByRole("link", { name: "Drives" }).first().click();
    await page.getByRole("heading", { name: "New name" }).waitFor();
    await rename(id, "Newest");
    await page.goBack();
    await page.waitForURL("**/drives/alice/newest/");
    await row(page, "b.txt").waitFor();
  });

  test("leaves its slug to the drive that has it next; an address that goes by its id stays", async () => {
    await using page = await openDrive("Handed on", { "old.txt": 1 });
    await row(page, "old.txt").waitFor();
    const { id, slug } = page.drive;
    await rename(id, "Moved on");
    await driveWith("Handed on", { "new.txt": 1 });
    await page.reload();
    await row(page, "new.txt").waitFor();
    await page.waitForURL(`**/drives/${slug}/`);

    await page.goto(`/drives/${id}/`);
    await row(page, "old.txt").waitFor();
    await rename(id, "Still by id");
    await comeBack(page);
    await page.getByRole("heading", { name: "Still by id" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/drives/${id}/`);
  });
});

describe("closing a preview", () => {
  test("leads back to the search that found the file", async () => {
    const { id: drive } = await driveWith("Found");
    await putFile(dashboard.owner, drive, "needle.txt", "in a haystack");
    await isFound(dashboard.owner, "haystack", 1);
    await using page = await open("/search?q=haystack");
    await page.getByRole("link", { name: "needle.txt" }).click();
    await page.getByRole("heading", { name: "needle.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/search?q=haystack");
    await page.getByRole("link", { name: "needle.txt" }).waitFor();
  });

  test("leaves one entry of the history for its folder, also after a reload, or before the file is there", async () => {
    const { slug, fileId } = await driveWith("Entries", { "a.txt": 1 });
    await using page = await open("/drives");
    await page.getByRole("link", { name: "Entries" }).click();
    await page.getByRole("link", { name: "a.txt" }).click();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/drives/${slug}/`);
    await row(page, "a.txt").waitFor();
    await page.goBack();
    await page.waitForURL("**/drives");

    const wanted = Promise.withResolvers<void>();
    await page.route(`**/v0/files/${fileId("a.txt")}`, async (route) => {
      await wanted.promise;
      await route.abort();
    });
    await page.goForward();
    await page.getByRole("link", { name: "a.txt" }).click();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/drives/${slug}/`);
    // What is clicked shows that it was.
    await page.locator(".file-row:focus-within").waitFor();
    wanted.resolve();
  });
});
