import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { nextFrame } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { row } from "../../support/browser/drive-page.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

// What is dragged by its name in the list of a folder.

const dashboard = await openDashboard({ owner: "alice" });
const { openDrive, paths } = dashboard;

/** What a row is dragged by. The script that follows drags has made it draggable once it is pressed. */
function handle(page: Page, name: string): Locator {
  return row(page, name).locator(".cell-name");
}

/** Drags a row until it is above something. */
async function dragOver(page: Page, name: string, target: Locator): Promise<void> {
  await handle(page, name).hover();
  await page.mouse.down();
  // Chromium tells of a move of its own where the layout has changed below the pointer. That must be over: else it is
  // taken for the one that begins the drag.
  await nextFrame(page);
  await nextFrame(page);
  await target.hover();
  await target.hover();
}

/** Drags a row onto something that takes it; again where the browser, on a busy machine, did not take it for a drag. */
async function dragTo(page: Page, name: string, target: Locator): Promise<void> {
  await eventually(async () => {
    await dragOver(page, name, target);
    const isOver = (await page.locator("[data-over]").count()) > 0;
    await page.mouse.up();
    return isOver;
  });
}

const folderInTree = (page: Page, name: string) => page.getByRole("treeitem", { name, exact: true });

/** Presses a row with something; whether it can be dragged then. */
async function isDraggable(page: Page, name: string, pointerType: "mouse" | "touch"): Promise<boolean> {
  await handle(page, name).dispatchEvent("pointerdown", { pointerType });
  return (await handle(page, name).getAttribute("draggable")) === "true";
}

/** Waits until the page follows drags: the script for that comes later. */
function followsDrags(page: Page, name: string): Promise<void> {
  return eventually(() => isDraggable(page, name, "mouse"));
}

test("a row is moved onto a folder's row, the selection onto the tree and the way to here, and that is undone", async () => {
  await using page = await openDrive("Drag", { "a.txt": 1, "b.txt": 1, "c.txt": 1, "box/d.txt": 1 });
  await followsDrags(page, "a.txt");
  await dragTo(page, "a.txt", row(page, "box"));
  await page.getByText("Moved “a.txt”.").waitFor();
  await row(page, "a.txt").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await row(page, "a.txt").waitFor();

  for (const name of ["a.txt", "b.txt"]) await page.getByLabel(`Select ${name}`).click();
  await dragOver(page, "b.txt", folderInTree(page, "box"));
  expect(await page.locator("[data-over]").getAttribute("data-folder")).toBe("box/");
  await page.mouse.up();
  await page.getByText("Moved 2 items.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["box/a.txt", "box/b.txt", "box/d.txt", "c.txt"]);

  await folderInTree(page, "box").click();
  await followsDrags(page, "d.txt");
  await dragTo(page, "d.txt", page.getByRole("navigation", { name: "Breadcrumb" }).getByText("Drag"));
  await page.getByText("Moved “d.txt”.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["box/a.txt", "box/b.txt", "c.txt", "d.txt"]);
});

longTest("a folder goes into no folder in itself, and a taken place is asked about", async () => {
  await using page = await openDrive("Refused", { "a.txt": 1, "box/a.txt": 2, "box/deep/b.txt": 3 });
  await followsDrags(page, "box");
  const moves: string[] = [];
  page.on("request", (request) => request.url().includes("/v0/paths/") && moves.push(request.url()));
  await dragOver(page, "box", folderInTree(page, "Refused"));
  expect(await page.locator("[data-over]").count()).toBe(0);
  // A folder of the tree that is pointed at opens, whether it takes what is dragged or not.
  await folderInTree(page, "box").hover();
  await folderInTree(page, "deep").waitFor();
  for (const name of ["box", "deep"]) {
    await folderInTree(page, name).hover();
    await folderInTree(page, name).hover();
    expect([name, await page.locator("[data-over]").count()]).toEqual([name, 0]);
  }
  await page.mouse.up();

  await dragOver(page, "a.txt", row(page, "box"));
  await page.keyboard.press("Escape");
  await page.mouse.up();
  expect(moves).toEqual([]);

  await dragTo(page, "a.txt", row(page, "box"));
  const question = page.getByRole("dialog", { name: "already exists" });
  await question.getByRole("button", { name: "Keep both" }).click();
  await page.getByText("Moved “a.txt”.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["box/a (2).txt", "box/a.txt", "box/deep/b.txt"]);
});

test("with Ctrl it is copied; a finger drags nothing; and it is told from files of the computer", async () => {
  await using page = await openDrive("Copied", { "a.txt": 1, "box/b.txt": 2 });
  await followsDrags(page, "a.txt");
  await page.evaluate(`addEventListener("dragstart", ({ dataTransfer }) => {
    window.told = dataTransfer.getData("DownloadURL");
  })`);
  await dragOver(page, "a.txt", row(page, "box"));
  await page.keyboard.down("Control");
  await row(page, "box").hover();
  await page.mouse.up();
  await page.keyboard.up("Control");
  await page.getByText("Copied “a.txt”.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["a.txt", "box/a.txt", "box/b.txt"]);
  // What Chromium downloads that is dropped elsewhere.
  const address = `${dashboard.server.url}/v0/files/${page.drive.fileId("a.txt")}/download`;
  expect(await page.evaluate<string>("window.told")).toBe(`text/plain:a.txt:${address}`);

  expect(await isDraggable(page, "a.txt", "touch")).toBe(false);

  // Some browsers say that it has files, since it can be dropped as one elsewhere.
  const enter = (own: string) =>
    page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "x.txt"));
      if (${own}) dataTransfer.setData("application/x-coffer-entries", "1");
      document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
  await enter("true");
  await nextFrame(page);
  expect(await page.locator(".drop-hint").count()).toBe(0);
  await enter("false");
  await page.locator(".drop-hint").waitFor();
});
