import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import {
  chooseFor,
  closeDialog,
  confirmDelete,
  enter,
  names,
  pressKeys,
  renameTo,
  row,
} from "../../support/browser/drive-page.ts";

import { png } from "../../support/samples/pictures.ts";
import { putFile } from "../../support/server/drives.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

const HOSTILE = `<img src=x onerror="document.title='ran'">.html`;
const OVERRIDE = "photo\u202egpj.exe";

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith, paths } = dashboard;

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
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Places" }).click();
  await page.getByRole("link", { name: "ünï & #1" }).click();
  await row(page, "%41.txt").waitFor();
  await page.reload();
  await row(page, "%41.txt").waitFor();
  await page.getByRole("link", { name: "%41.txt" }).click();
  await page.waitForURL(/\?file=[0-9a-f-]{36}$/);
  await page.goto("/drives/alice/places/nowhere/");
  await page.getByText("Folder not found").waitFor();
});

test("names with markup and right-to-left overrides stay text and show what they are", async () => {
  await using page = await openDrive("Hostile", { [HOSTILE]: 1, [OVERRIDE]: 1 });
  await row(page, HOSTILE).waitFor();
  expect(await names(page)).toEqual([HOSTILE, "photoU+202Egpj.exe"]);
  await row(page, HOSTILE).click({ position: { x: 600, y: 20 } });
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: `Delete “${HOSTILE}”?` }).waitFor();
  await closeDialog(page);
  await pressKeys(page, "ArrowDown", "Space", "Delete");
  await page.getByRole("heading", { name: "Delete 2 items?" }).waitFor();
  await closeDialog(page);
  await page.getByLabel(`Select ${HOSTILE}`).click();
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: "Delete “photo⟨U+202E⟩gpj.exe”?" }).waitFor();
  await closeDialog(page);
  await driveWith("Safe \u202Egpj.exe");
  await chooseFor(page, HOSTILE, "Move");
  await page.getByLabel("Drive", { exact: true }).selectOption({ label: "Safe ⟨U+202E⟩gpj.exe" });
  expect(await page.title()).toBe("Hostile · Coffer");
});

test("by keyboard, rows are gone through, selected, opened, renamed and deleted", async () => {
  await using page = await openDrive("Keyboard", {
    "a.txt": 1,
    "b.txt": 2,
    "c.txt": 3,
    "d/e.txt": 4,
    "d/f.txt": 5,
  });
  await row(page, "a.txt").waitFor();
  const focused = () => page.locator(".file-row:focus .name").textContent();
  const selected = () => page.locator(".file-row[aria-selected=true] .name").allTextContents();

  await row(page, "d").focus();
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("a.txt");
  await pressKeys(page, "Space", "Shift+ArrowDown");
  expect(await selected()).toEqual(["a.txt", "b.txt"]);
  await page.keyboard.press("Escape");
  expect(await selected()).toEqual([]);
  await renameTo(page, "z.txt");
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
  await confirmDelete(page, "1 folder with 2 files in it");
  await row(page, "d").waitFor({ state: "detached" });
  expect(await paths(page.drive.id)).toEqual(["a.txt", "c.txt", "z.txt"]);

  await page.keyboard.press("/");
  await page.keyboard.type("plan");
  await page.keyboard.press("Enter");
  await page.waitForURL(`/search?drive=${page.drive.id}&q=plan`);
  await page.goBack();
  await row(page, "a.txt").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\?file=/);
});

longTest(
  "pictures are seen in the list and as tiles, which have the same keys, and are remembered",
  async () => {
    await using page = await openDrive("Pictures", { "a.txt": 1, "broken.png": 1, "d/e.txt": 4 });
    for (const name of ["p.png", "q.png", "r.png", "s.png"]) {
      await putFile(dashboard.owner, page.drive.id, name, png(600, name.charCodeAt(0)));
    }
    await page.reload();
    const isDrawn = (name: string, width: number) =>
      eventually(async () => {
        const image = row(page, name).locator("img");
        return (await image.evaluate((each) => ("naturalWidth" in each ? each.naturalWidth : 0))) === width;
      });
    await isDrawn("p.png", 96);
    await row(page, "broken.png").locator(".kind-image").waitFor();
    await page.getByRole("button", { name: "Grid" }).click();
    await page.locator(".file-tiles").waitFor();
    await isDrawn("p.png", 384);
    const focused = () => page.locator(".file-row:focus .name").textContent();
    const selected = () => page.locator(".file-row[aria-selected=true] .name").allTextContents();
    // Five in a line: the folder, a.txt, broken.png, p.png, q.png.
    await row(page, "d").focus();
    await pressKeys(page, "ArrowRight", "ArrowDown");
    expect(await focused()).toBe("s.png");
    await pressKeys(page, "ArrowUp", "ArrowLeft", "ArrowUp");
    expect(await focused()).toBe("d");
    await pressKeys(page, "ArrowRight", "Space", "Shift+ArrowRight");
    expect(await selected()).toEqual(["a.txt", "broken.png"]);
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    const lefts = () =>
      page
        .locator(".file-row")
        .evaluateAll((rows) => new Set(rows.map((each) => each.getBoundingClientRect().x)).size);
    await eventually(async () => (await lefts()) === 2);
    await page.reload();
    await page.locator(".file-tiles").waitFor();
    // On a phone, the words of the buttons are in a menu.
    await page.getByRole("button", { name: "More for this folder" }).click();
    await page.getByRole("menuitem", { name: "List" }).click();
    await page.locator(".file-list").waitFor();
  },
);

longTest("the card of a drive shows the files that were changed last, and leads to them", async () => {
  const { id } = await driveWith("Newest", { "old/a.txt": 1, "b.txt": 1 });
  await using page = await open("/drives");
  const card = page.locator(".drive-card").filter({ hasText: "Newest" });
  await card.getByRole("link", { name: "b.txt" }).waitFor();
  // It follows what others do.
  await dashboard.owner.client.put(id, "c.txt", "c");
  await card.getByRole("link", { name: "c.txt" }).waitFor();
  await card.getByRole("link", { name: "a.txt" }).click();
  await page.getByRole("heading", { name: "a.txt" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives/alice/newest/old/");
});

test("a key that is pressed as soon as there are rows is not lost", async () => {
  await driveWith("Early", { "a.txt": 1, "b.txt": 2 });
  await using page = await open();
  await using _ = await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector(".file-row") === null) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  }).observe(document, { childList: true, subtree: true })`);
  await page.goto("/drives/alice/early/");
  await page.locator(".file-row:focus", { hasText: "a.txt" }).waitFor();
});

test("a list that cannot be read anew stays, with the reason, and is tried again", async () => {
  await using page = await openDrive("Again", { "a.txt": 1, "b.txt": 2 });
  await row(page, "a.txt").waitFor();
  const refusal = { status: 500, json: { error: { code: "INTERNAL", message: "The disk is on fire." } } };
  await page.route("**/v0/files?*sort=-size*", (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole("button", { name: "Size" }).click();
  await page.getByRole("alert").getByText("The disk is on fire.").waitFor();
  expect(await names(page)).toEqual(["a.txt", "b.txt"]);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.locator("[data-index='0']", { hasText: "b.txt" }).waitFor();
  expect(await names(page)).toEqual(["b.txt", "a.txt"]);
});

/** The item of an open menu that has the focus. */
function focusedItem(page: Page): Promise<string> {
  return page.locator("[role=menuitem]:focus").innerText();
}

test("the menu of a row is opened by its button, by a right click and by keyboard, gone through, and does what is chosen", async () => {
  await using page = await openDrive("Menus", { "a.txt": 1, "b.txt": 2, "d/e.txt": 4 });
  const menu = page.getByRole("menu");
  await page.getByRole("button", { name: "Actions for b.txt" }).click();
  await page.getByRole("menu", { name: "Actions for “b.txt”" }).waitFor();
  expect(await menu.getByRole("menuitem").allInnerTexts()).toEqual(
    ["Open", "Download", "Share", "Versions", "Details", "Rename", "Move", "Copy", "Delete"].map((name) =>
      expect.stringContaining(name),
    ),
  );
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  await page.mouse.click(5, 5);
  await menu.waitFor({ state: "detached" });

  await row(page, "d").click({ button: "right", position: { x: 400, y: 20 } });
  await page.getByRole("menu", { name: "Actions for “d”" }).waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  for (const key of ["ContextMenu", "Shift+F10"]) {
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(key);
    await menu.waitFor();
    await page.keyboard.press("Tab");
    await menu.waitFor({ state: "detached" });
    // From the row, where it was again, to the button of its menu.
    expect(await page.locator(":focus").getAttribute("aria-label")).toMatch(/^Actions for [ab]\.txt$/);
  }
  await page.keyboard.press("Enter");
  await page.getByRole("menu", { name: "Actions for “b.txt”" }).waitFor();
  for (const [key, name] of [
    ["ArrowUp", "Delete"],
    ["ArrowDown", "Open"],
    ["End", "Delete"],
    ["Home", "Open"],
    ["c", "Copy"],
    ["r", "Rename"],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focusedItem(page)).toContain(name);
  }
  await page.keyboard.press("Space");
  await enter(page.getByLabel("Name", { exact: true }), "c.txt");
  await row(page, "c.txt").waitFor();

  await page.getByRole("button", { name: "Actions for d", exact: true }).click();
  await page.getByRole("menuitem", { name: "Details" }).click();
  await page.getByText("1 file, 4 bytes").waitFor();
  await closeDialog(page);
  expect(await page.locator(".file-row:focus .name").textContent()).toBe("d");

  // A row that is among what is selected stands for all of it.
  await page.getByLabel("Select a.txt").click();
  await page.getByLabel("Select c.txt").click();
  await row(page, "c.txt").click({ button: "right", position: { x: 400, y: 20 } });
  await page.getByRole("menu", { name: "Actions for 2 items" }).waitFor();
  expect(await focusedItem(page)).toContain("Download");
  await pressKeys(page, "d", "Enter");
  await confirmDelete(page, "2 files (3 bytes)");
  await row(page, "c.txt").waitFor({ state: "detached" });
  expect(await paths(page.drive.id)).toEqual(["d/e.txt"]);
  await page.getByRole("button", { name: "Actions for d", exact: true }).click();
  await page.getByRole("menuitem", { name: "Open" }).click();
  await row(page, "e.txt").waitFor();
});
