import { expect, test } from "bun:test";
import { queriesOf } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, pressKeys, row } from "../../support/browser/drive-page.ts";
import { isFound } from "../../support/server/drives.ts";
import { longTest } from "../../support/server/thorough.ts";

// "Search or jump to": what it offers, finds and does, by keyboard and pointer; and the list of shortcuts. How both look
// is in dashboard-pages.test.ts.

const dashboard = await openDashboard();
const page = await dashboard.openDrive("Field notes", { "river/birds.md": 3, "river/log.md": 3, "a.md": 3 });
await isFound(dashboard.owner, "birds", 1);

const palette = page.getByRole("dialog", { name: "Search or jump to" });
const chosen = palette.getByRole("option", { selected: true });
const option = (name: string | RegExp) => palette.getByRole("option", { name });

/** Opens it with the key, and waits until it takes what is typed. */
async function openPalette(): Promise<void> {
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").and(page.locator(":focus")).waitFor();
}

test("a file is found and gone to by keyboard, and is offered first the next time", async () => {
  await row(page, "a.md").waitFor();
  await openPalette();
  await option("Field notes").first().waitFor();
  const asked = queriesOf(page, "/v0/search");
  await page.keyboard.type("bir");
  await option(/^birds\.md/).waitFor();
  // Once for all that was typed, of the drive that one is in.
  expect(asked.map((query) => [query.get("q"), query.get("drive_id")])).toEqual([["bir", page.drive.id]]);
  await pressKeys(page, "ArrowUp", "ArrowDown", "Enter");
  await page.getByRole("dialog", { name: "birds.md" }).waitFor();
  // One jumps on from what shows a file.
  await openPalette();
  expect(await chosen.textContent()).toContain("birds.md");
  await page.keyboard.press("Escape");
  // A closed dialog is hidden for a moment before it is gone.
  await page.locator(".palette").waitFor({ state: "detached" });
  await closeDialog(page);
});

test("what the page offers is done, and the focus comes back to where it was", async () => {
  await page.goto(`/drives/${page.drive.slug}/`);
  await row(page, "a.md").focus();
  await openPalette();
  await page.keyboard.type("new folder");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New folder" }).waitFor();
  // No key opens it above a form.
  await page.keyboard.press("Control+k");
  expect(await palette.count()).toBe(0);
  await closeDialog(page);
  await row(page, "a.md").and(page.locator(":focus")).waitFor();
  await openPalette();
  await option("Show as a grid").click();
  await page.locator(".file-tiles").waitFor();
  await openPalette();
  const choosing = page.waitForEvent("filechooser");
  await option("Upload files").click();
  await choosing;
});

longTest("the button opens it, and what is chosen with Ctrl opens in a new tab", async () => {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Search or jump to" }).click();
  await option(/^Field notes/).waitFor();
  await page.keyboard.type("field");
  const opening = page.context().waitForEvent("page");
  await page.keyboard.press("Control+Enter");
  const tab = await opening;
  await row(tab, "a.md").waitFor();
  await tab.close();
  await palette.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/keys");
});

test("the shortcuts are listed on ?, which writes in a field, and does nothing once it is turned off", async () => {
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await page.goto(`/drives/${page.drive.slug}/`);
  await page.getByLabel("Search this drive").focus();
  await page.keyboard.press("?");
  expect(await page.getByLabel("Search this drive").inputValue()).toBe("?");
  await page.getByRole("treeitem", { name: "river" }).focus();
  await page.keyboard.press("?");
  await list.getByText("Rename").waitFor();
  await list.getByRole("checkbox", { name: "Use the keys / and ?" }).uncheck();
  await closeDialog(page);
  await pressKeys(page, "?", "/");
  // The next key is heard after these.
  await openPalette();
  expect(await list.count()).toBe(0);
  await page.keyboard.type("short");
  await page.keyboard.press("Enter");
  await list.getByRole("checkbox", { name: "Use the keys / and ?" }).check();
  await list.getByRole("button", { name: "Close" }).click();
  await list.waitFor({ state: "detached" });
});
