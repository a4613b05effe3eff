import { beforeAll, describe, expect, test } from "bun:test";
import { comeBack, withoutFeed } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseFor, closeDialog, confirmDelete, row, rowInFocus } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";

// What others change while somebody looks at it.

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith, paths } = dashboard;

// Else the pages would know of some changes before they are used.
beforeAll(() => withoutFeed(dashboard.context));

describe("what is gone leaves the list as soon as that is known:", () => {
  test("to be renamed", async () => {
    await using page = await openDrive("Gone renamed", { "gone.txt": 1, "kept.txt": 1 });
    await chooseFor(page, "gone.txt", "Rename");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("new.txt");
    await dashboard.owner.client.delete(`/v0/files/${page.drive.fileId("gone.txt")}`);
    await dialog.getByRole("button", { name: "Rename" }).click();
    await dialog.getByRole("alert").getByText("Request").waitFor();
    await page.locator(".file-row", { hasText: "gone.txt" }).waitFor({ state: "detached" });
    expect(await dialog.isVisible()).toBe(true);
    await closeDialog(page);
    await page.locator(".file-row:focus", { hasText: "kept.txt" }).waitFor();
  });

  test("to be looked at", async () => {
    await using page = await openDrive("Gone seen", { "gone.txt": 1, "kept.txt": 1 });
    await row(page, "gone.txt").waitFor();
    await dashboard.owner.client.delete(`/v0/files/${page.drive.fileId("gone.txt")}`);
    await page.getByRole("link", { name: "gone.txt" }).click();
    await page.getByRole("heading", { name: "File not found" }).waitFor();
    await page.locator(".file-row", { hasText: "gone.txt" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(`**/drives/${page.drive.slug}/`);
  });
});

describe("a drive that is gone leaves the list of drives as soon as that is known:", () => {
  for (const [choice, submit] of [
    ["Edit", "Save"],
    ["Delete", "Delete permanently"],
  ] as const) {
    test(choice, async () => {
      const name = `Gone by ${choice}`;
      const { id } = await driveWith(name);
      await using page = await open("/drives");
      await page.getByRole("button", { name: `${choice} ${name}` }).click();
      await dashboard.owner.client.delete(`/v0/drives/${id}`);
      const dialog = page.getByRole("dialog");
      if (choice === "Delete") await dialog.getByRole("textbox").fill(name);
      await dialog.getByRole("button", { name: submit }).click();
      await dialog.getByRole("alert").getByText("Request").waitFor();
      await page.locator(".drive-card", { hasText: name }).waitFor({ state: "detached" });
    });
  }
});

test("whoever comes back to the page finds what an agent did meanwhile, and is where they were", async () => {
  await using page = await openDrive("Agents", { "b.txt": 1 });
  await row(page, "b.txt").focus();
  await putFile(dashboard.owner, page.drive.id, "a.txt");
  await putFile(dashboard.owner, page.drive.id, "folder/c.txt");
  await comeBack(page);
  await row(page, "a.txt").waitFor();
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor();
  await rowInFocus(page, "b.txt");
});

test("the menu of a row that goes meanwhile leaves the focus in the page's content", async () => {
  await using page = await openDrive("Menu", { "a.txt": 1, "b.txt": 1 });
  await row(page, "b.txt").focus();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menu").waitFor();
  await dashboard.owner.client.delete(`/v0/files/${page.drive.fileId("b.txt")}`);
  await comeBack(page);
  await row(page, "b.txt").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.locator("main:focus").waitFor();
});

test("a folder that is gone already does not keep others from being deleted", async () => {
  await using page = await openDrive("Partly", { "gone/1": 1, "there/1": 1, "top.txt": 1 });
  await page.getByLabel("Select gone").check();
  await page.getByLabel("Select there").check();
  const body = { drive_id: page.drive.id, path: "gone/", confirm: true };
  await dashboard.owner.client.delete("/v0/folders", body);
  await page.keyboard.press("Delete");
  await confirmDelete(page, "2 folders with 1 file in them");
  await page.getByText("1 item couldn't be deleted:").waitFor();
  await page.keyboard.press("Escape");
  await row(page, "gone").waitFor({ state: "detached" });
  expect(await paths(page.drive.id)).toEqual(["top.txt"]);
});

test("a drive that was deleted meanwhile is said to be gone", async () => {
  await using page = await openDrive("Gone", { "folder/a.txt": 1 });
  await row(page, "folder").waitFor();
  await dashboard.owner.client.delete(`/v0/drives/${page.drive.id}`);
  await page.getByRole("link", { name: "folder", exact: true }).click();
  // The tree learns it from the list.
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Go to the drive root" }).click();
  await page.getByText("Drive not found").waitFor();
  await page.getByRole("link", { name: "Go to your drives" }).click();
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
});
