import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openDashboard } from "../support/dashboard.ts";
import { row, tooEarly } from "../support/drive-page.ts";
import { putFile } from "../support/drives.ts";
import { addManyFiles } from "../support/many-files.ts";
import { eventually } from "../support/scenario.ts";

// A folder that becomes another while somebody looks at it, and answers that do not come when they should.

const dashboard = openDashboard({ owner: "alice" });
const { open, driveWith, paths } = dashboard;

/** The row that has the focus, by its name. */
function rowInFocus(page: Page, name: string): Promise<void> {
  return page.locator(".file-row:focus", { hasText: name }).waitFor();
}

/** Uploads a file to the folder that is open, so that its list is read again. */
async function uploadHere(page: Page, name: string): Promise<void> {
  const file = { name, mimeType: "text/plain", buffer: Buffer.from("x") };
  await page.getByLabel("Upload files").setInputFiles(file);
  await row(page, name).waitFor();
}

/** Tells a page that its person came back to it: in a browser without a window none is ever hidden. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
}

test("the focus stays with a file while others come before it, and what is done is done to it", async () => {
  await driveWith("Shifting", { "b.txt": 1, "c.txt": 1, "d.txt": 1 });
  await using page = await open("/drives/alice/shifting/");
  await row(page, "c.txt").focus();
  await uploadHere(page, "a.txt");
  await rowInFocus(page, "c.txt");
  // A dialog gives it back to the file as well, wherever that stands by then.
  await page.keyboard.press("F2");
  await page.getByLabel("Name", { exact: true }).fill("z.txt");
  await page.keyboard.press("Enter");
  await row(page, "z.txt").waitFor();
  await rowInFocus(page, "z.txt");
  expect(await row(page, "z.txt").getAttribute("data-index")).toBe("3");
  await page.keyboard.press("ArrowUp");
  await rowInFocus(page, "d.txt");
});

test("a folder that is given another name keeps the focus, wherever it stands by then", async () => {
  await driveWith("Renamed", { "a/1": 1, "b/1": 1, "c/1": 1 });
  await using page = await open("/drives/alice/renamed/");
  await row(page, "a").focus();
  await page.keyboard.press("F2");
  // Typed as soon as there is something to type in.
  await page.keyboard.type("zebra");
  await page.keyboard.press("Enter");
  await rowInFocus(page, "zebra");
  expect(await row(page, "zebra").getAttribute("data-index")).toBe("2");
});

test("what is selected keeps up with what became of it elsewhere", async () => {
  const { id: drive, fileId } = await driveWith("Stale", { "a.txt": 1, "b.txt": 1, "c.txt": 1, "to/x": 1 });
  await using page = await open("/drives/alice/stale/");
  await page.getByLabel("Select a.txt").check();
  await page.getByLabel("Select b.txt").check();
  await dashboard.owner.client.json(200, "PATCH", `/v0/files/${fileId("a.txt")}`, {
    body: { path: "renamed.txt" },
  });
  await dashboard.owner.client.json(200, "DELETE", `/v0/files/${fileId("b.txt")}`);
  await uploadHere(page, "new.txt");
  await page.getByText("1 selected").waitFor();
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").getByRole("treeitem", { name: "to" }).click();
  await page.getByRole("button", { name: "Move here" }).click();
  await page.getByText("Moved “renamed.txt”.").waitFor();
  expect(await paths(drive)).toEqual(["c.txt", "new.txt", "to/renamed.txt", "to/x"]);
});

test("a double click on a name opens what it names, and does nothing to what is there then", async () => {
  await driveWith("Twice", { "one/two/three/four.txt": 1, "one/five.txt": 1 });
  await using page = await open("/drives/alice/twice/");
  /** Presses once more where the pointer is; the second time of a double click with 2. */
  const press = async (clickCount: number) => {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
  };
  await page.getByRole("link", { name: "one", exact: true }).click({ position: { x: 4, y: 8 } });
  await row(page, "two").waitFor();
  await press(2);
  // It stays usable: the next click is for what it is on.
  await row(page, "two").getByLabel("Select two").click();
  await page.getByText("1 selected").waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives/alice/twice/one/");

  await page.setViewportSize({ width: 700, height: 500 });
  await page.getByRole("link", { name: "five.txt" }).click({ position: { x: 4, y: 8 } });
  const close = page.getByRole("button", { name: "Close preview" });
  await page.getByText("Wrap lines").waitFor();
  await close.hover();
  await press(2);
  expect(await close.isVisible()).toBe(true);
  await press(1);
  await close.waitFor({ state: "detached" });
});

test("keys that delete or rename do nothing to a row that does not show that it is meant", async () => {
  await driveWith("Meant", { "a.txt": 1, "b.txt": 1 });
  await using page = await open("/drives/alice/meant/");
  await row(page, "a.txt").waitFor();
  const nothingHappens = async (where: string) => {
    for (const key of ["Delete", "F2"]) {
      await page.keyboard.press(key);
      expect([where, key, await page.locator("dialog").count()]).toEqual([where, key, 0]);
    }
  };
  await nothingHappens("nowhere");
  await uploadHere(page, "c.txt");
  await page.getByLabel("Select b.txt").check();
  await page.getByRole("button", { name: "Close uploads" }).focus();
  await nothingHappens("the uploads");
  await page.getByRole("button", { name: "Details" }).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog", { name: "Delete “b.txt”?" }).waitFor();
});

test("a range that was not loaded yet is selected whole", async () => {
  const { fileId } = await driveWith("Range", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 1700);
  await using page = await open("/drives/alice/range/many/");
  await row(page, "0000001.txt").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+End");
  await page.getByText("1,699 selected").waitFor();
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

test("work that is left while it is being done shows in the list once it is", async () => {
  await driveWith("Left", { "a.txt": 1, "b.txt": 1 });
  await using page = await open("/drives/alice/left/");
  const answered = Promise.withResolvers<void>();
  await page.route("**/v0/files/bulk-delete", async (route) => {
    await answered.promise;
    await route.continue();
  });
  await row(page, "b.txt").focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("progressbar").waitFor();
  // The button that had the focus is gone; Escape, and Tab, still count for the dialog.
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  answered.resolve();
  await row(page, "b.txt").waitFor({ state: "detached" });
  await rowInFocus(page, "a.txt");
  // Nothing is left to have it then but what can be done next.
  await page.keyboard.press("Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("This drive is empty").waitFor();
  await page.locator("button:focus", { hasText: "Upload files" }).waitFor();
});

test("whoever comes back to the page finds what an agent did meanwhile, and is where they were", async () => {
  const { id: drive } = await driveWith("Agents", { "b.txt": 1 });
  await using page = await open("/drives/alice/agents/");
  await row(page, "b.txt").focus();
  await putFile(dashboard.owner, drive, "a.txt");
  await putFile(dashboard.owner, drive, "folder/c.txt");
  await comeBack(page);
  await row(page, "a.txt").waitFor();
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor();
  await rowInFocus(page, "b.txt");
});

test("the menu of a row that goes meanwhile leaves the focus in the page's content", async () => {
  const { fileId } = await driveWith("Menu", { "a.txt": 1, "b.txt": 1 });
  await using page = await open("/drives/alice/menu/");
  await row(page, "b.txt").focus();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menu").waitFor();
  await dashboard.owner.client.json(200, "DELETE", `/v0/files/${fileId("b.txt")}`);
  await comeBack(page);
  await row(page, "b.txt").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.locator("main:focus").waitFor();
});

test("a folder that is gone already does not keep others from being deleted", async () => {
  const { id: drive } = await driveWith("Partly", { "gone/1": 1, "there/1": 1, "top.txt": 1 });
  await using page = await open("/drives/alice/partly/");
  await page.getByLabel("Select gone").check();
  await page.getByLabel("Select there").check();
  const body = { drive_id: drive, path: "gone/", confirm: true };
  await dashboard.owner.client.json(200, "DELETE", "/v0/folders", { body });
  await page.keyboard.press("Delete");
  await page.getByText("2 folders with 1 file in them will be permanently deleted.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("1 item couldn't be deleted:").waitFor();
  await page.keyboard.press("Escape");
  await row(page, "gone").waitFor({ state: "detached" });
  expect(await paths(drive)).toEqual(["top.txt"]);
});

test("a drive that was deleted meanwhile is said to be gone", async () => {
  const { id: drive } = await driveWith("Gone", { "folder/a.txt": 1 });
  await using page = await open("/drives/alice/gone/");
  await row(page, "folder").waitFor();
  await dashboard.owner.client.json(200, "DELETE", `/v0/drives/${drive}`);
  await page.getByRole("link", { name: "folder", exact: true }).click();
  // The tree learns it from the list.
  await page.getByRole("treeitem", { name: "folder", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Go to the drive root" }).click();
  await page.getByText("Drive not found").waitFor();
  await page.getByRole("link", { name: "Go to your drives" }).click();
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
});

test("the list and the tree ask for the folder that is open once", async () => {
  await driveWith("Asked", { "a/b/c.txt": 1 });
  await using page = await open("/drives");
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v0/folders") asked.push(searchParams.get("path") ?? "");
  });
  await page.goto("/drives/alice/asked/");
  const item = (name: string) => page.getByRole("treeitem", { name, exact: true });
  await item("a").click();
  await item("b").click();
  await row(page, "c.txt").waitFor();
  await page.goBack();
  await row(page, "b").waitFor();
  await eventually(async () => asked.length === 4);
  expect(asked).toEqual(["", "a/", "a/b/", "a/"]);
});

test("the focus is not lost where the tree goes into a drawer or comes out of it", async () => {
  await driveWith("Window", { "a/b.txt": 1 });
  await using page = await open("/drives/alice/window/");
  const item = page.getByRole("treeitem", { name: "a", exact: true });
  await item.focus();
  await page.setViewportSize({ width: 700, height: 800 });
  await page.locator("main:focus").waitFor();
  await page.getByRole("button", { name: "Folders", exact: true }).click();
  await item.waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator("main:focus").waitFor();
  expect(await page.locator("dialog").count()).toBe(0);
});
