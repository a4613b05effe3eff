import { describe, expect, test } from "bun:test";
import { comeBack, queriesOf, withoutFeed } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import {
  chooseFor,
  closeDialog,
  confirmDelete,
  row,
  rowInFocus,
  tooEarly,
} from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";

// What is loaded in parts, late, once, or not at all; and what others change while somebody looks at it.

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith, paths, owner } = dashboard;
// Else the pages would know of some changes before they are used.
await withoutFeed(dashboard.context);

await driveWith("Patient");
describe("where the server asks to wait, a page comes by itself:", () => {
  test.concurrent.each([
    ["any at first", "/keys", "**/v0/account", "Keys"],
    ["the drives", "/drives", "**/v0/drives", "Patient"],
    ["a drive", "/drives/alice/patient/", "**/v0/drives/alice*", "Patient"],
  ])("%s", async (_, address, asks, heading) => {
    await using page = await open();
    await page.route(asks, (route) => route.fulfill(tooEarly(1)), { times: 1 });
    const refused = page.waitForResponse((response) => response.status() === 429);
    await page.goto(address);
    await refused;
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  });
});

test("rows that the server has no time for say so where they are, and come by themselves", async () => {
  const { fileId } = await driveWith("Later", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 3000);
  await using page = await open("/drives/alice/later/many/");
  await row(page, "0000001.txt").focus();
  // By itself it asks again, which is answered only once the page has been looked at.
  const lookedAt = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/v0/files?*page=6*", async (route) => {
    asked += 1;
    if (asked === 1) return route.fulfill(tooEarly(1));
    await lookedAt.promise;
    return route.continue();
  });
  await page.keyboard.press("End");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  const box = await alert.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect(box?.y).toBeLessThan(200);
  // It parts what can be done from nothing.
  const upload = await page.getByRole("button", { name: "Upload files" }).boundingBox();
  const tool = await page.getByRole("button", { name: "New folder" }).boundingBox();
  expect(upload?.y).toBe(tool?.y ?? 0);
  lookedAt.resolve();
  await rowInFocus(page, "0003000.txt");
  await alert.waitFor({ state: "detached" });
  expect(asked).toBe(2);
});

test("the list and the tree ask for the folder that is open once", async () => {
  await driveWith("Asked", { "a/b/c.txt": 1 });
  await using page = await open();
  const asked = queriesOf(page, "/v0/folders");
  await page.goto("/drives/alice/asked/");
  for (const name of ["a", "b"]) await page.getByRole("treeitem", { name, exact: true }).click();
  await row(page, "c.txt").waitFor();
  await page.goBack();
  await row(page, "b").waitFor();
  await eventually(async () => asked.length === 4);
  expect(asked.map((query) => query.get("path") ?? "")).toEqual(["", "a/", "a/b/", "a/"]);
});

test("what is gone by the time it is renamed, looked at, deleted or opened leaves the list at once", async () => {
  const files = { "gone/1": 1, "kept.txt": 1, "renamed.txt": 1, "seen.txt": 1, "there/1": 1 };
  await using page = await openDrive("Gone", files);
  const { id, slug, fileId } = page.drive;
  await chooseFor(page, "renamed.txt", "Rename");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("new.txt");
  await owner.client.delete(`/v0/files/${fileId("renamed.txt")}`);
  await dialog.getByRole("button", { name: "Rename" }).click();
  await dialog.getByRole("alert").getByText("Request").waitFor();
  await page.locator(".file-row", { hasText: "renamed.txt" }).waitFor({ state: "detached" });
  expect(await dialog.isVisible()).toBe(true);
  await closeDialog(page);
  await rowInFocus(page, "seen.txt");

  await owner.client.delete(`/v0/files/${fileId("seen.txt")}`);
  await page.getByRole("link", { name: "seen.txt" }).click();
  await page.getByRole("heading", { name: "File not found" }).waitFor();
  await page.locator(".file-row", { hasText: "seen.txt" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Close" }).click();
  await page.waitForURL(`**/drives/${slug}/`);

  // A folder that is gone does not keep others from being deleted.
  await page.getByLabel("Select gone").check();
  await page.getByLabel("Select there").check();
  await owner.client.delete("/v0/folders", { drive_id: id, path: "gone/", confirm: true });
  await page.keyboard.press("Delete");
  await confirmDelete(page, "2 folders with 1 file in them");
  await page.getByText("1 item couldn't be deleted:").waitFor();
  await closeDialog(page);
  await row(page, "gone").waitFor({ state: "detached" });
  expect(await paths(id)).toEqual(["kept.txt"]);
});

test("a drive that is gone says so in its page, and leaves the list of drives where it is edited or deleted", async () => {
  await using page = await openDrive("Gone at once", { "folder/a.txt": 1 });
  await row(page, "folder").waitFor();
  await owner.client.delete(`/v0/drives/${page.drive.id}`);
  await page.getByRole("link", { name: "folder", exact: true }).click();
  // The tree learns it from the list.
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Go to the drive root" }).click();
  await page.getByText("Drive not found").waitFor();
  const drives = [await driveWith("Gone by Edit"), await driveWith("Gone by Delete")];
  await page.getByRole("link", { name: "Go to your drives" }).click();
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
  const dialog = page.getByRole("dialog");
  for (const [choice, submit] of [
    ["Edit", "Save"],
    ["Delete", "Delete permanently"],
  ] as const) {
    const name = `Gone by ${choice}`;
    await page.getByRole("button", { name: `${choice} ${name}` }).click();
    await owner.client.delete(`/v0/drives/${drives.shift()?.id}`);
    if (choice === "Delete") await dialog.getByRole("textbox").fill(name);
    await dialog.getByRole("button", { name: submit }).click();
    await dialog.getByRole("alert").getByText("Request").waitFor();
    await page.locator(".drive-card", { hasText: name }).waitFor({ state: "detached" });
    await closeDialog(page);
  }
});

test("whoever comes back to the page finds what an agent did meanwhile, and is where they were", async () => {
  await using page = await openDrive("Agents", { "b.txt": 1 });
  await row(page, "b.txt").focus();
  await putFile(owner, page.drive.id, "a.txt");
  await putFile(owner, page.drive.id, "folder/c.txt");
  await comeBack(page);
  await row(page, "a.txt").waitFor();
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor();
  await rowInFocus(page, "b.txt");
  // The menu of a row that goes leaves the focus in the page's content.
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menu").waitFor();
  await owner.client.delete(`/v0/files/${page.drive.fileId("b.txt")}`);
  await comeBack(page);
  await row(page, "b.txt").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.locator("main:focus").waitFor();
});
