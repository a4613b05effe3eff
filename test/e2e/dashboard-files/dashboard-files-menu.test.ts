import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, row } from "../../support/browser/drive-page.ts";

const dashboard = openDashboard({ owner: "alice" });
const { openDrive, paths } = dashboard;

/** The item of an open menu that has the focus. */
function focusedItem(page: Page): Promise<string> {
  return page.locator("[role=menuitem]:focus").innerText();
}

describe("the menu of a row", () => {
  test("is opened by its button, by a right click and by keyboard, and gives the focus back", async () => {
    await using page = await openDrive("Menus", { "a.txt": 1, "b.txt": 2, "d/e.txt": 4 });
    const menu = page.getByRole("menu");
    await page.getByRole("button", { name: "Actions for b.txt" }).click();
    await page.getByRole("menu", { name: "Actions for “b.txt”" }).waitFor();
    expect(await menu.getByRole("menuitem").allInnerTexts()).toEqual(
      [
        "Open",
        "Download",
        "Share",
        "Copy link",
        "Versions",
        "Details",
        "Rename",
        "Move",
        "Copy",
        "Delete",
      ].map((name) => expect.stringContaining(name)),
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
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
  });

  test("is gone through by arrows and letters, and does what is chosen", async () => {
    await using page = await openDrive("Choices", { "a.txt": 1, "b.txt": 2, "d/e.txt": 4 });
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
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page
      .getByText("2 files (3 bytes) will go to the trash, and can be put back for 30 days.")
      .waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).last().click();
    await row(page, "c.txt").waitFor({ state: "detached" });
    expect(await paths(page.drive.id)).toEqual(["d/e.txt"]);
    await page.getByRole("button", { name: "Actions for d", exact: true }).click();
    await page.getByRole("menuitem", { name: "Open" }).click();
    await row(page, "e.txt").waitFor();
  });
});
