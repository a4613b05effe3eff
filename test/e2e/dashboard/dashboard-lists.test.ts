import { describe, expect, test } from "bun:test";
import { comeBack, queriesOf, resize, withoutFeed } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import {
  chooseFor,
  closeDialog,
  confirmDelete,
  renameTo,
  row,
  rowInFocus,
  tooEarly,
  upload,
} from "../../support/browser/drive-page.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";

// The rows of a folder: the focus, the keyboard, what is selected, and how they look; and what is loaded in parts, late,
// once, or not at all, or is changed by others meanwhile.

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith, paths, owner } = dashboard;
// Else the pages would know of some changes before they are used.
await withoutFeed(dashboard.context);

test("a range chosen with Shift selects no text, which can still be selected to be copied", async () => {
  await using page = await openDrive("Shift", { "a.txt": 1, "b.txt": 1, "c.txt": 1 });
  await row(page, "a.txt").click({ position: { x: 500, y: 20 } });
  await row(page, "c.txt").click({ position: { x: 500, y: 20 }, modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
  await rowInFocus(page, "c.txt");
  expect(await page.evaluate("String(getSelection())")).toBe("");
  const size = row(page, "b.txt").locator(".cell-size");
  await size.hover();
  const box = await size.boundingBox();
  if (box === null) throw new Error("the size is not in sight");
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x, box.y + box.height / 2);
  await page.mouse.up();
  expect(await page.evaluate("String(getSelection())")).toContain("1 byte");
});

test("the focus stays with what has it, wherever others or another name put it by then", async () => {
  await using page = await openDrive("Shifting", { "a/1": 1, "b/1": 1, "b.txt": 1, "c.txt": 1, "d.txt": 1 });
  await row(page, "c.txt").focus();
  await upload(page, ["a.txt"]);
  await row(page, "a.txt").waitFor();
  await rowInFocus(page, "c.txt");
  // A dialog gives it back to the file as well, wherever that stands by then; nothing is asked for that.
  const asked: string[] = [];
  page.on("request", (request) => {
    const isOfFeed = new URL(request.url()).pathname === "/v0/changes";
    if (request.method() === "GET" && !isOfFeed) asked.push(request.url());
  });
  await renameTo(page, "z.txt");
  await row(page, "z.txt").waitFor();
  await rowInFocus(page, "z.txt");
  expect(await row(page, "z.txt").getAttribute("data-index")).toBe("5");
  expect(asked).toEqual([]);
  await page.keyboard.press("ArrowUp");
  await rowInFocus(page, "d.txt");
  await row(page, "a").focus();
  await page.keyboard.press("F2");
  // Typed as soon as there is something to type in.
  await page.keyboard.type("zebra");
  await page.keyboard.press("Enter");
  await rowInFocus(page, "zebra");
  expect(await row(page, "zebra").getAttribute("data-index")).toBe("1");
});

longTest("a double click on a name opens what it names, and does nothing to what is there then", async () => {
  await using page = await openDrive("Twice", { "one/two/three/four.txt": 1, "one/five.txt": 1 });
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

test("keys do nothing to a row that does not show that it is meant; an arrow shows which one is", async () => {
  await using page = await openDrive("Meant", { "a.txt": 1, "b.txt": 1 });
  await row(page, "a.txt").waitFor();
  const nothingHappens = async (where: string) => {
    for (const key of ["Delete", "F2"]) {
      await page.keyboard.press(key);
      expect([where, key, await page.locator("dialog").count()]).toEqual([where, key, 0]);
    }
  };
  await nothingHappens("nowhere");
  for (const name of ["a.txt", "b.txt"]) {
    await page.keyboard.press("ArrowDown");
    await rowInFocus(page, name);
  }
  await upload(page, ["c.txt"]);
  await row(page, "c.txt").waitFor();
  await page.getByLabel("Select b.txt").check();
  await page.getByRole("button", { name: "Close uploads" }).focus();
  await nothingHappens("the uploads");
  await page.getByRole("button", { name: "Details" }).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog", { name: "Delete “b.txt”?" }).waitFor();
});

longTest("rows are as high as their text, however large a person has set that in their browser", async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`file ${n + 10}.txt`, 1]));
  const { slug } = await driveWith("Large", files);
  await using page = await open();
  await using _ = await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
    document.documentElement.style.fontSize = "32px";
  })`);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/drives/${slug}/`);
  await row(page, "file 10.txt").focus();
  await page.keyboard.press("End");
  await rowInFocus(page, "file 69.txt");
  // Each row's text, and the next row, keep clear of each other; the last row is in the window, whole.
  const [overlaps, bottom] = await page.evaluate<[number, number]>(`(() => {
    const rows = [...document.querySelectorAll(".file-row")].sort((a, b) => a.dataset.index - b.dataset.index);
    const boxes = rows.map((row) => row.getBoundingClientRect());
    const late = boxes.filter((box, at) => at > 0 && box.top < boxes[at - 1].bottom - 1).length;
    const outside = rows.filter((row, at) =>
      [...row.querySelectorAll(".cell-words > *")].some((part) => part.getBoundingClientRect().bottom > boxes[at].bottom + 1),
    ).length;
    return [late + outside, boxes.at(-1).bottom];
  })()`);
  expect(overlaps).toBe(0);
  expect(bottom).toBeLessThanOrEqual(800);
});

longTest("as the window becomes another, rows stand close and the focus is not lost", async () => {
  const { slug } = await driveWith("Widths", { "a/b.txt": 1, "a.txt": 1000, "b.txt": 1 });
  await using page = await open();
  // A time ago that takes many words.
  await using _ = await page.addInitScript("{ const { now } = Date; Date.now = () => now() + 40 * 60_000; }");
  await page.goto(`/drives/${slug}/`);
  await row(page, "b.txt").waitFor();
  for (const width of [3840, 1280, 2560, 360, 1280]) {
    await resize(page, width, 800);
    await eventually(async () => {
      const [above, below] = [await row(page, "a.txt").boundingBox(), await row(page, "b.txt").boundingBox()];
      return above !== null && below !== null && Math.abs(above.y + above.height - below.y) < 1;
    });
  }
  const item = page.getByRole("treeitem", { name: "a", exact: true });
  await item.focus();
  await page.setViewportSize({ width: 700, height: 800 });
  await page.locator("main:focus").waitFor();
  await page.getByRole("button", { name: "Folders", exact: true }).click();
  await item.waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator("main:focus").waitFor();
  expect(await page.locator("dialog").count()).toBe(0);
  // A laptop's window at 400%.
  await page.setViewportSize({ width: 320, height: 568 });
  const facts = row(page, "a.txt").locator(".cell-facts");
  await facts.getByText("40 minutes ago").waitFor();
  expect((await facts.boundingBox())?.height).toBeLessThan(24);
});

await driveWith("Patient");
describe("where the server asks to wait, a page comes by itself:", () => {
  const pages: [page: string, address: string, asks: string, heading: string][] = [
    ["any at first", "/keys", "**/v0/account", "Keys"],
    ["the drives", "/drives", "**/v0/drives", "Patient"],
    ["a drive", "/drives/alice/patient/", "**/v0/drives/alice*", "Patient"],
  ];
  test.concurrent.each(isThorough() ? pages : pages.slice(-1))("%s", async (_, address, asks, heading) => {
    await using page = await open();
    await page.route(asks, (route) => route.fulfill(tooEarly(1)), { times: 1 });
    const refused = page.waitForResponse((response) => response.status() === 429);
    await page.goto(address);
    await refused;
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  });
});

if (isThorough()) {
  test("rows that could not be had say so where they are, and come once they are asked for again", async () => {
    const { fileId } = await driveWith("Later", { "one.txt": 1 });
    await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 3000);
    await using page = await open("/drives/alice/later/many/");
    await row(page, "0000001.txt").focus();
    let asked = 0;
    await page.route("**/v0/files?*page=6*", (route) => {
      asked += 1;
      const error = { code: "INTERNAL", message: "Something went wrong." };
      return asked === 1 ? route.fulfill({ status: 500, json: { error } }) : route.continue();
    });
    await page.keyboard.press("End");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    const box = await alert.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(200);
    // It parts what can be done from nothing.
    const button = await page.getByRole("button", { name: "Upload files" }).boundingBox();
    const tool = await page.getByRole("button", { name: "New folder" }).boundingBox();
    expect(button?.y).toBe(tool?.y ?? 0);
    await alert.getByRole("button", { name: "Try again" }).click();
    await row(page, "0003000.txt").waitFor();
    await alert.waitFor({ state: "detached" });
    expect(asked).toBe(2);
  });
}

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

longTest(
  "a drive that is gone says so in its page, and leaves the list of drives where it is edited or deleted",
  async () => {
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
  },
);

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
