import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../support/axe.ts";
import { openDashboard } from "../support/dashboard.ts";
import { closeDialog, names, row } from "../support/drive-page.ts";
import { putFile } from "../support/drives.ts";
import { addManyFiles, addManyFolders } from "../support/many-files.ts";
import { ZipReader } from "../support/unzip.ts";

const HOSTILE = `<img src=x onerror="document.title='ran'">.html`;
const OVERRIDE = "photo\u202egpj.exe";

const dashboard = openDashboard({ owner: "alice" });
const { open, driveWith, paths } = dashboard;

test("folders are places with addresses; back and forward lead through them", async () => {
  await driveWith("Places", { "a.txt": 1, "notes/2030/plan.md": 2, "ünï & #1/%41.txt": 3 });
  await using page = await open("/drives/alice/places");
  await row(page, "a.txt").waitFor();
  expect(await names(page)).toEqual(["notes", "ünï & #1", "a.txt"]);
  expect(await row(page, "notes").innerText()).toMatch(/notes\s+1 file\s+2 bytes/);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("link", { name: "notes" }).click();
  await page.getByRole("link", { name: "2030" }).click();
  await row(page, "plan.md").waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives/alice/places/notes/2030/");
  await page.goBack();
  await row(page, "2030").waitFor();
  await page.goForward();
  await row(page, "plan.md").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("2030");
  await page.getByRole("navigation", { name: "Folders above" }).getByRole("link", { name: "Places" }).click();
  await page.getByRole("link", { name: "ünï & #1" }).click();
  await row(page, "%41.txt").waitFor();
  await page.reload();
  await row(page, "%41.txt").waitFor();
  await page.getByRole("link", { name: "%41.txt" }).click();
  await page.waitForURL(/\?file=[0-9a-f-]{36}$/);
  await page.goto("/drives/alice/places/nowhere/");
  await page.getByText("There is no such folder").waitFor();
});

test("names with markup and right-to-left overrides stay text and show what they are", async () => {
  await driveWith("Hostile", { [HOSTILE]: 1, [OVERRIDE]: 1 });
  await using page = await open("/drives/alice/hostile/");
  await row(page, HOSTILE).waitFor();
  expect(await names(page)).toEqual([HOSTILE, "photoU+202Egpj.exe"]);
  await row(page, HOSTILE).click({ position: { x: 600, y: 20 } });
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: `Delete “${HOSTILE}”?` }).waitFor();
  await closeDialog(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: "Delete 2 items?" }).waitFor();
  await closeDialog(page);
  await page.getByLabel(`Select ${HOSTILE}`).click();
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: "Delete “photo⟨U+202E⟩gpj.exe”?" }).waitFor();
  expect(await page.title()).toBe("Hostile · Coffer");
});

describe("by keyboard", () => {
  test("rows are gone through, selected, opened, renamed and deleted", async () => {
    const { id: drive } = await driveWith("Keyboard", {
      "a.txt": 1,
      "b.txt": 2,
      "c.txt": 3,
      "d/e.txt": 4,
      "d/f.txt": 5,
    });
    await using page = await open("/drives/alice/keyboard/");
    await row(page, "a.txt").waitFor();
    const focused = () => page.locator(".file-row:focus .name").textContent();
    const selected = () => page.locator(".file-row[aria-selected=true] .name").allTextContents();

    await row(page, "d").focus();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("a.txt");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    expect(await selected()).toEqual(["a.txt", "b.txt"]);
    await page.keyboard.press("Escape");
    expect(await selected()).toEqual([]);
    await page.keyboard.press("F2");
    await page.getByLabel("Name", { exact: true }).fill("z.txt");
    await page.keyboard.press("Enter");
    await row(page, "z.txt").waitFor();
    // The focus comes back from the dialog by itself.
    await focused();
    await page.keyboard.press("Home");
    expect(await focused()).toBe("d");
    await page.keyboard.press("Enter");
    await row(page, "e.txt").waitFor();
    expect(await focused()).toBe("e.txt");
    await page.goBack();
    await row(page, "z.txt").waitFor();
    expect(await focused()).toBe("d");
    await page.keyboard.press("Delete");
    await page.getByText("1 folder with 2 files in it will be gone for good.").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).last().click();
    await row(page, "d").waitFor({ state: "detached" });
    expect(await paths(drive)).toEqual(["a.txt", "c.txt", "z.txt"]);

    await page.keyboard.press("/");
    await page.keyboard.type("plan");
    await page.keyboard.press("Enter");
    await page.waitForURL(`/search?drive=${drive}&q=plan`);
    await page.goBack();
    await row(page, "a.txt").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?file=/);
  });
});

test("a key that is pressed as soon as there are rows is not lost", async () => {
  await driveWith("Early", { "a.txt": 1, "b.txt": 2 });
  await using page = await dashboard.context.newPage();
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector(".file-row") === null) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  }).observe(document, { childList: true, subtree: true })`);
  await page.goto("/drives/alice/early/");
  await page.locator(".file-row:focus", { hasText: "b.txt" }).waitFor();
});

/** The item of an open menu that has the focus. */
function focusedItem(page: Page): Promise<string> {
  return page.locator("[role=menuitem]:focus").innerText();
}

describe("the menu of a row", () => {
  test("is opened by its button, by a right click and by keyboard, and gives the focus back", async () => {
    await driveWith("Menus", { "a.txt": 1, "b.txt": 2, "d/e.txt": 4 });
    await using page = await open("/drives/alice/menus/");
    const menu = page.getByRole("menu");
    await page.getByRole("button", { name: "Menu of b.txt" }).click();
    await page.getByRole("menu", { name: "What to do with “b.txt”" }).waitFor();
    expect(await menu.getByRole("menuitem").allInnerTexts()).toEqual(
      ["Open", "Download", "Copy link", "Details", "Rename", "Move", "Copy", "Delete"].map((name) =>
        expect.stringContaining(name),
      ),
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await page.mouse.click(5, 5);
    await menu.waitFor({ state: "detached" });

    await row(page, "d").click({ button: "right", position: { x: 400, y: 20 } });
    await page.getByRole("menu", { name: "What to do with “d”" }).waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    for (const key of ["ContextMenu", "Shift+F10"]) {
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press(key);
      await menu.waitFor();
      await page.keyboard.press("Tab");
      await menu.waitFor({ state: "detached" });
      // From the row, where it was again, to the button of its menu.
      expect(await page.locator(":focus").getAttribute("aria-label")).toMatch(/^Menu of [ab]\.txt$/);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("menu", { name: "What to do with “b.txt”" }).waitFor();
  });

  test("is gone through by arrows and letters, and does what is chosen", async () => {
    const { id: drive } = await driveWith("Choices", { "a.txt": 1, "b.txt": 2, "d/e.txt": 4 });
    await using page = await open("/drives/alice/choices/");
    await row(page, "b.txt").focus();
    await page.keyboard.press("ContextMenu");
    for (const [key, name] of [
      ["ArrowUp", "Delete"],
      ["ArrowDown", "Open"],
      ["End", "Delete"],
      ["Home", "Open"],
      ["c", "Copy link"],
      ["c", "Copy"],
      ["r", "Rename"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focusedItem(page)).toContain(name);
    }
    await page.keyboard.press("Space");
    await page.getByLabel("Name", { exact: true }).fill("c.txt");
    await page.keyboard.press("Enter");
    await row(page, "c.txt").waitFor();

    await page.getByRole("button", { name: "Menu of d", exact: true }).click();
    await page.getByRole("menuitem", { name: "Details" }).click();
    await page.getByText("1 file, 4 bytes").waitFor();
    await closeDialog(page);
    expect(await page.locator(".file-row:focus .name").textContent()).toBe("d");

    // A row that is among what is selected stands for all of it.
    await page.getByLabel("Select a.txt").click();
    await page.getByLabel("Select c.txt").click();
    await row(page, "c.txt").click({ button: "right", position: { x: 400, y: 20 } });
    await page.getByRole("menu", { name: "What to do with 2 items" }).waitFor();
    expect(await focusedItem(page)).toContain("Download");
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page.getByText("2 files (3 bytes) will be gone for good.").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).last().click();
    await row(page, "c.txt").waitFor({ state: "detached" });
    expect(await paths(drive)).toEqual(["d/e.txt"]);
    await page.getByRole("button", { name: "Menu of d", exact: true }).click();
    await page.getByRole("menuitem", { name: "Open" }).click();
    await row(page, "e.txt").waitFor();
  });
});

test("folders are made, and files and folders moved, copied and renamed", async () => {
  const { id: drive } = await driveWith("Tidy", {
    "a.txt": 1,
    "b.txt": 2,
    "old/deep/c.txt": 3,
    "old/d.txt": 4,
  });
  await using page = await open("/drives/alice/tidy/");
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByLabel("Name", { exact: true }).fill("a/b");
  await page.keyboard.press("Enter");
  await page.getByText('A name cannot hold "/" or "\\".').waitFor();
  await page.getByLabel("Name", { exact: true }).fill("box");
  await page.keyboard.press("Enter");
  await row(page, "box").waitFor();

  await page.getByLabel("Select a.txt").click();
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").getByRole("treeitem", { name: "box" }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Move here" }).click();
  await row(page, "a.txt").waitFor({ state: "detached" });

  await page.getByLabel("Select b.txt").click();
  await page.getByLabel("Select old").click();
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("textbox", { name: /^Folder/ }).fill("box/new");
  await page.getByRole("button", { name: "Copy here" }).click();
  await page.getByText("Copied 2 items.").waitFor();

  await row(page, "old").click({ position: { x: 600, y: 20 } });
  await page.keyboard.press("F2");
  await page.getByLabel("Name", { exact: true }).fill("older");
  await page.keyboard.press("Enter");
  await row(page, "older").waitFor();
  expect(await paths(drive)).toEqual([
    "b.txt",
    "box/a.txt",
    "box/new/b.txt",
    "box/new/old/d.txt",
    "box/new/old/deep/c.txt",
    "older/d.txt",
    "older/deep/c.txt",
  ]);

  // What is taken stays, and is named.
  await page.getByLabel("Select b.txt").click();
  await page.getByLabel("Select older").click();
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("textbox", { name: /^Folder/ }).fill("box/new");
  await page.getByRole("button", { name: "Copy here" }).click();
  await page.getByText("1 item stayed as it was:").waitFor();
  await page.getByRole("button", { name: "Close" }).click();

  // A folder goes whole or not at all.
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.getByLabel("Select older").click();
  const moveTo = async (folder: string) => {
    await page.getByRole("button", { name: "Move" }).click();
    await page.getByRole("textbox", { name: /^Folder/ }).fill(folder);
    await page.getByRole("button", { name: "Move here" }).click();
  };
  for (const taken of ["box/new", "older/deep"]) {
    await moveTo(taken);
    await page.getByText("1 item stayed as it was:").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
  }
  expect(await paths(drive, "older/")).toEqual(["older/d.txt", "older/deep/c.txt"]);
  await moveTo("box/moved");
  await page.getByText("Moved “older”.").waitFor();
  expect(await paths(drive, "older/")).toEqual([]);
  expect(await paths(drive, "box/moved/")).toEqual(["box/moved/older/d.txt", "box/moved/older/deep/c.txt"]);
});

/** What the server answers to who asks too often. */
function tooEarly(seconds: number) {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    json: { error: { code: "RATE_LIMITED", message: "Too many requests" } },
  };
}

test("work waits when the server asks for it, goes on, and can be stopped", async () => {
  const { id: drive } = await driveWith("Patience", { "a.txt": 1, "b.txt": 1, "to/c.txt": 1 });
  await using page = await open("/drives/alice/patience/");
  const startMoving = async (name: string) => {
    await page.getByLabel(`Select ${name}`).click();
    await page.getByRole("button", { name: "Move" }).click();
    await page.getByRole("dialog").getByRole("treeitem", { name: "to" }).click();
    await page.getByRole("button", { name: "Move here" }).click();
  };
  await page.route("**/v0/files/*/move", (route) => route.fulfill(tooEarly(1)), { times: 1 });
  await startMoving("a.txt");
  await page.getByText("The server asks to wait 1 s.").waitFor();
  await page.getByText("Moved “a.txt”.").waitFor();
  await page.route("**/v0/files/*/move", (route) => route.fulfill(tooEarly(3600)), { times: 1 });
  await startMoving("b.txt");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("What was done until then stays done.").waitFor();
  expect(await paths(drive)).toEqual(["b.txt", "to/a.txt", "to/c.txt"]);
});

test("a list that cannot be read anew stays, with the reason, and is tried again", async () => {
  await driveWith("Again", { "a.txt": 1, "b.txt": 2 });
  await using page = await open("/drives/alice/again/");
  await row(page, "a.txt").waitFor();
  const refusal = { status: 500, json: { error: { code: "INTERNAL", message: "The disk is on fire." } } };
  await page.route("**/v0/files?*sort=-size*", (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole("button", { name: "Size" }).click();
  await page.getByRole("alert").getByText("The disk is on fire.").waitFor();
  expect(await names(page)).toEqual(["a.txt", "b.txt"]);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  expect(await names(page)).toEqual(["b.txt", "a.txt"]);
});

test("tags, metadata and expiry are changed, and a link is made that works once", async () => {
  const { fileId } = await driveWith("Details", { "plan.md": 12 });
  await using page = await open("/drives/alice/details/");
  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByLabel("Tags").fill("home, sweet");
  await page.keyboard.press("Enter");
  await page.getByLabel("Metadata").fill("{colour: blue}");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The metadata is not JSON").waitFor();
  await page.getByLabel("Metadata").fill('{"colour": "blue"}');
  await page.getByLabel("Vanishes").fill("2999-12-31T12:00");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved what is known about “plan.md”.").waitFor();
  expect(
    await dashboard.owner.client.json<object>(200, "GET", `/v0/files/${fileId("plan.md")}`),
  ).toMatchObject({
    tags: ["home, sweet"],
    metadata: { colour: "blue" },
    expires_at: expect.stringMatching(/^2999-12-31T|^3000-01-01T/),
  });

  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByLabel("For one download only").check();
  await page.getByRole("button", { name: "Create the link" }).click();
  const link = new URL(await page.getByLabel(/^Link/).inputValue());
  expect((await fetch(dashboard.server.url + link.pathname)).status).toBe(200);
  expect((await fetch(dashboard.server.url + link.pathname)).status).toBe(410);
});

/** The names in a ZIP. */
function namesInZip(path: string): string[] {
  using zip = new ZipReader(path);
  return zip.entries.map(({ name }) => name);
}

test("a file is downloaded as it is, several and folders as one ZIP", async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}`, 1]));
  await driveWith("Taken", { "a.txt": 1, "b & c.txt": 2, "d/e/f.txt": 3, "d/g.txt": 4, ...many });
  await using page = await open("/drives/alice/taken/");
  const taken = async (press: () => Promise<void>) => {
    const downloading = page.waitForEvent("download");
    await press();
    const download = await downloading;
    const path = await download.path();
    const name = download.suggestedFilename();
    return name.endsWith(".zip") ? [name, ...namesInZip(path)] : [name, await Bun.file(path).text()];
  };
  const downloadLink = page.getByRole("link", { name: "Download", exact: true });
  await page.getByLabel("Select a.txt").click();
  expect(await taken(() => downloadLink.click())).toEqual(["a.txt", "x"]);
  await page.getByLabel("Select b & c.txt").click();
  await page.getByLabel("Select d", { exact: true }).click();
  expect(await taken(() => downloadLink.click())).toEqual([
    "Taken.zip",
    "a.txt",
    "b & c.txt",
    "d/",
    "d/e/",
    "d/e/f.txt",
    "d/g.txt",
  ]);
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.getByRole("button", { name: "Menu of d", exact: true }).click();
  const ofFolder = () => page.getByRole("menuitem", { name: "Download" }).click();
  expect(await taken(ofFolder)).toEqual(["d.zip", "d/", "d/e/", "d/e/f.txt", "d/g.txt"]);
  const all = await taken(() => page.getByRole("link", { name: "Download all" }).click());
  expect(all.length).toBe(209);

  await page.getByRole("link", { name: "many" }).click();
  await row(page, "0").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Download" }).click();
  await page.getByText("These are 201:").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  const whole = await taken(() =>
    page.getByRole("dialog").getByRole("link", { name: "Download all" }).click(),
  );
  expect(whole.length).toBe(203);
});

test("a folder is ordered by name, size and time, and all in it is selected and deleted together", async () => {
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
  const shows = async (heading: string, order: string, ...first: readonly string[]) => {
    const column = page.getByRole("columnheader", { name: heading });
    await column.getByRole("button").click();
    await column.and(page.locator(`[aria-sort=${order}]`)).waitFor();
    for (const [index, name] of first.entries()) {
      await page.locator(`[data-index='${index}']`, { hasText: name }).waitFor();
    }
  };
  await shows("Size", "descending", "large", "small", "big.bin");
  await shows("Size", "ascending", "small", "large", "0000001.txt");
  await shows("Modified", "descending", "large", "small", "big.bin");
  await shows("Modified", "ascending", "large", "small", "0000001.txt");
  // Whoever comes back finds the order again.
  await page.getByRole("link", { name: "large" }).click();
  await row(page, "b.txt").waitFor();
  await page.goBack();
  await page.locator("[aria-sort=ascending]", { hasText: "Modified" }).waitFor();
  await shows("Name", "ascending", "large", "small", "0000001.txt");
  await shows("Name", "descending", "small", "large", "big.bin");
  await page.getByLabel("Select all", { exact: true }).click();
  await page.getByText("1,203 selected").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Delete");
  await page.getByText("1,201 files (6.1 KiB) and 2 folders with 2 files in them will be gone").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
  await page.getByText("This folder is empty").waitFor();
  expect(await paths(drive)).toEqual(["one.txt"]);
});

/** Waits until the row that has the focus is this one. */
function focusOn(page: Page, name: string): Promise<void> {
  return page.locator(".file-row:focus .name").getByText(name, { exact: true }).waitFor();
}

/** Presses a key and waits until the row that has the focus is the one it leads to. */
async function goes(page: Page, key: string, name: string): Promise<void> {
  await page.keyboard.press(key);
  await focusOn(page, name);
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
  await page.getByText(/^\d\d folders with 1 file in them will be gone for good\.$/).waitFor();
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
  await page.getByLabel("Select all that is loaded").click();
  await page.getByText(/^[\d,]+ of 100,000 selected/).waitFor();
});
