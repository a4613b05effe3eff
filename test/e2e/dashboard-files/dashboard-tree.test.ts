import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { accessibilityProblems, accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { queriesOf, resize } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, pressKeys, row } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

const MARKUP = `<img src=x onerror="document.title='ran'">`;
const OVERRIDE = "photo\u202egpj.exe";
const LONG = "W".repeat(255);
const DEEP = Array.from({ length: 40 }, (_, index) => `level ${index + 1}/`).join("");

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith } = dashboard;

/** What the tree asks about folders, from now on. The list beside it asks for larger pages. */
function folderRequests(page: Page): () => string[] {
  const queries = queriesOf(page, "/v0/folders");
  return () =>
    queries.filter((query) => query.get("limit") === "200").map((query) => query.get("path") ?? "");
}

function item(page: Page, name: string): Locator {
  return page.getByRole("treeitem", { name, exact: true });
}

/** The tree's lines, each moved in as deep as it stands. */
function outline(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`Array.from(document.querySelectorAll("[role=treeitem]"), (item) =>
    "  ".repeat(item.getAttribute("aria-level") - 1) + item.innerText.trim())`);
}

/** What a click on a link leaves to the browser: where the link leads, unless the page goes there itself. */
async function leftToBrowser(page: Page, click: () => Promise<void>): Promise<string | null> {
  await page.evaluate(`{
    const seen = new AbortController();
    const look = (event) => {
      seen.abort();
      window.left = event.defaultPrevented ? null : event.target.closest("a").pathname;
      // Without windows, Chromium opens what is clicked so in a new tab only most of the time.
      event.preventDefault();
    };
    window.left = undefined;
    for (const type of ["click", "auxclick"]) addEventListener(type, look, { signal: seen.signal });
  }`);
  await click();
  await eventually(() => page.evaluate<boolean>("window.left !== undefined"));
  return page.evaluate<string | null>("window.left");
}

/** The words of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.innerText.trim()");
}

/** Types a letter at a time that the page is told, in ms: those that follow each other quickly begin one name. */
async function typeAt(page: Page, ms: number, letter: string): Promise<void> {
  await page.evaluate(`{
    const event = new KeyboardEvent("keydown", { key: "${letter}", bubbles: true, cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: ${ms} });
    document.activeElement.dispatchEvent(event);
  }`);
}

/** How far down the page is scrolled. */
function scrolled(page: Page): Promise<number> {
  return page.evaluate<number>("scrollY");
}

/** The row that has the focus, and how far the page is scrolled. */
async function state(page: Page): Promise<[string | null, number]> {
  return [await page.locator(".file-row:focus .name").textContent(), await scrolled(page)];
}

/** Whether a line is wholly within what its tree and the window show. */
async function isInSight(page: Page, name: string): Promise<boolean> {
  const [line, tree] = [await item(page, name).boundingBox(), await page.getByRole("tree").boundingBox()];
  if (line === null || tree === null) return false;
  const bottom = line.y + line.height;
  return line.y >= tree.y && bottom <= tree.y + tree.height && bottom <= (page.viewportSize()?.height ?? 0);
}

describe("the tree beside the list", () => {
  test("shows the way to the folder, follows where one goes, and loads a level at a time", async () => {
    await using page = await openDrive(
      "Places",
      ["photos/2030/june/", "photos/2031/", "notes/", "other/deep/er/"],
      "photos/2030/",
    );
    // Each level comes by itself.
    for (const name of ["june", "2031", "other"]) await item(page, name).waitFor();
    expect(await outline(page)).toEqual([
      "Places",
      "  notes",
      "  other",
      "  photos",
      "    2030",
      "      june",
      "    2031",
    ]);
    expect(await item(page, "2030").getAttribute("aria-current")).toBe("page");
    expect(await item(page, "notes").getAttribute("aria-expanded")).toBeNull();
    expect(await item(page, "other").getAttribute("aria-expanded")).toBe("false");

    const asked = folderRequests(page);
    await item(page, "other").locator(".tree-turn").click();
    await item(page, "deep").waitFor();
    expect(asked()).toEqual(["other/"]);
    expect(new URL(page.url()).pathname).toEndWith("/photos/2030/");
    await item(page, "deep").click();
    await item(page, "er").waitFor();
    await row(page, "er").waitFor();
    // The list that is beside it then tells what is in there.
    expect(asked()).toEqual(["other/"]);
    expect(await item(page, "deep").getAttribute("aria-current")).toBe("page");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("deep");
    // The list leads as well, and so do back and forward.
    await row(page, "er").getByRole("link").click();
    await page.locator(".tree [aria-current=page]", { hasText: "er" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator(".tree [aria-current=page]", { hasText: "2030" }).waitFor();
  });

  test("is gone about by keyboard", async () => {
    await using page = await openDrive("Keys", ["alpha/one/", "alpha/two/", "beta/", "bravo/"]);
    await item(page, "bravo").waitFor();
    await item(page, "Keys").focus();
    const steps: readonly (readonly [key: string, focused: string])[] = [
      ["ArrowDown", "alpha"],
      ["ArrowRight", "alpha"],
      ["ArrowRight", "one"],
      ["ArrowRight", "one"],
      ["ArrowDown", "two"],
      ["ArrowLeft", "alpha"],
      ["ArrowLeft", "alpha"],
      ["ArrowDown", "beta"],
      ["End", "bravo"],
      ["ArrowDown", "bravo"],
      ["Home", "Keys"],
    ];
    for (const [key, name] of steps) {
      await page.keyboard.press(key);
      if (key === "ArrowRight" && name === "alpha") await item(page, "one").waitFor();
      expect([key, await focused(page)]).toEqual([key, name]);
    }
    for (const [ms, letter, name] of [
      [0, "b", "beta"],
      [600, "r", "bravo"],
      [2000, "b", "beta"],
      [4000, "b", "bravo"],
    ] as const) {
      await typeAt(page, ms, letter);
      expect([ms, await focused(page)]).toEqual([ms, name]);
    }
    expect(await page.locator("[role=treeitem][tabindex='0']").count()).toBe(1);
    // What is selected in the list is not this tree's to delete.
    await page.getByLabel("Select beta").check();
    await item(page, "bravo").focus();
    await page.keyboard.press("Delete");
    expect(await page.locator("dialog").count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.getByText("This folder is empty").waitFor();
    expect(new URL(page.url()).pathname).toEndWith("/keys/bravo/");
    expect(await focused(page)).toBe("bravo");
    // A new tab is the browser's to open.
    const beta = item(page, "beta");
    const middle = () => beta.click({ button: "middle" });
    const control = () => beta.click({ modifiers: ["Control"] });
    for (const click of [middle, control]) {
      expect(await leftToBrowser(page, click)).toBe("/drives/alice/keys/beta/");
    }
    expect(await leftToBrowser(page, () => beta.click())).toBeNull();
    await page.getByRole("heading", { level: 1, name: "beta" }).waitFor();
  });

  longTest("a level of 1,000 folders is loaded as it is wanted, and has the current one", async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `many/f${String(index).padStart(4, "0")}/`);
    await using page = await openDrive("Many", names, "many/f0900/");
    const more = page.getByRole("treeitem", { name: "Show more (799 left)" });
    await more.waitFor();
    await eventually(() => isInSight(page, "f0900"));
    await more.focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=treeitem]:focus", { hasText: "f0200" }).waitFor();
    await page.keyboard.press("Home");
    for (const [at, letter] of Array.from("f0399").entries()) await typeAt(page, at * 100, letter);
    expect(await focused(page)).toBe("f0399");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("Show more (599 left)");
    await page.keyboard.press("End");
    expect(await focused(page)).toBe("f0900");
    expect(await page.getByRole("treeitem").count()).toBeLessThan(80);
  });

  longTest("forty folders deep it asks little, and shows where one is", async () => {
    await driveWith("Deep", [DEEP]);
    await using page = await open();
    const asked = folderRequests(page);
    await page.goto(`/drives/alice/deep/${DEEP}`);
    await page.getByText("This folder is empty").waitFor();
    const here = item(page, "level 40");
    await here.and(page.locator(":not([aria-expanded])")).waitFor();
    expect(asked().length).toBeLessThan(8);
    await eventually(() => isInSight(page, "level 40"));
    expect(await here.getAttribute("aria-level")).toBe("41");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Show 37 hidden folders" }).click();
    expect(await focused(page)).toBe("level 1");
  });

  test("hostile names stay text and break nothing", async () => {
    await using page = await openDrive("Hostile", [`${MARKUP}/in/`, `${OVERRIDE}/`, `${LONG}/${LONG}/`]);
    await item(page, MARKUP).locator(".tree-turn").click();
    await item(page, "in").waitFor();
    await item(page, LONG).locator(".tree-turn").click();
    await item(page, LONG).nth(1).waitFor();
    expect(await outline(page)).toEqual([
      "Hostile",
      `  ${MARKUP}`,
      "    in",
      "  photoU+202Egpj.exe",
      `  ${LONG}`,
      `    ${LONG}`,
    ]);
    expect(await page.title()).toBe("Hostile · Coffer");
    await item(page, LONG).nth(1).click();
    await page.getByText("This folder is empty").waitFor();
    for (const width of [1280, 360]) {
      await resize(page, width, 800);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
  });

  test("says why a level is not there, and tries again", async () => {
    await using page = await openDrive("Failing", ["a/b/"]);
    const error = { code: "INTERNAL_ERROR", message: "The disk is on fire." };
    await page.route("**/v0/folders?*path=a*", (route) =>
      route.fulfill({ status: 500, headers: { "x-request-id": "req-1" }, json: { error } }),
    );
    await item(page, "a").locator(".tree-turn").click();
    await page.getByText("The disk is on fire.").waitFor();
    await page.getByText("Request req-1").waitFor();
    await page.unroute("**/v0/folders?*path=a*");
    await page.getByRole("treeitem", { name: "Couldn't load. Try again" }).click();
    await item(page, "b").waitFor();
    expect(await page.getByText("The disk is on fire.").count()).toBe(0);
  });
});

longTest("a narrow page has the tree in a drawer, which axe finds nothing wrong with", async () => {
  await using page = await openDrive("Narrow", ["photos/2030/", "notes/"], "photos/");
  await item(page, "2030").waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  const button = page.getByRole("button", { name: "Folders", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  for (const name of ["2030", "notes"]) await item(page, name).waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  expect(await focused(page)).toBe("photos");
  await closeDialog(page);
  expect(await focused(page)).toBe("Folders");
  await pressKeys(page, "Enter", "ArrowUp", "Enter");
  await page.getByText("This folder is empty").waitFor();
  expect(new URL(page.url()).pathname).toEndWith("/narrow/notes/");
  await page.locator("dialog").waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Upload files");
  // Back leads out of the drawer as well.
  await button.click();
  await page.goBack();
  await row(page, "2030").waitFor();
  await page.locator("dialog").waitFor({ state: "detached" });
});

const { id: back } = await driveWith("Back", ["folder/within/"]);
const one = await putFile(dashboard.owner, back, "one.txt");
await addManyFiles(dashboard.server.dataDir, one, 3000);
await putFile(dashboard.owner, back, "many/zzz/in.txt");

describe("going back", () => {
  test("brings back the scroll position and the row, also out of a preview and a search", async () => {
    await using page = await open("/drives/alice/back/many/");
    await row(page, "0000001.txt").focus();
    await page.keyboard.press("End");
    await row(page, "0003000.txt").waitFor();
    await pressKeys(page, "PageUp", "PageUp");
    const before = await state(page);
    expect(before[1]).toBeGreaterThan(100_000);

    await page.keyboard.press("Enter");
    await page.locator("dialog.preview").waitFor();
    await page.goBack();
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await state(page)).toEqual(before);

    await page.keyboard.press("/");
    await page.keyboard.type("nothing of the kind");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing found").waitFor();
    expect(await scrolled(page)).toBe(0);
    await page.goBack();
    await page.locator(".file-row:focus").waitFor();
    expect(await state(page)).toEqual(before);

    await item(page, "folder").click();
    await row(page, "within").waitFor();
    expect(await scrolled(page)).toBe(0);
    await page.goBack();
    await row(page, before[0] ?? "").waitFor();
    expect(await scrolled(page)).toBe(before[1]);
    await page.reload();
    await row(page, before[0] ?? "").waitFor();
    expect(await scrolled(page)).toBe(before[1]);
    await page.goForward();
    await row(page, "within").waitFor();
    expect(await scrolled(page)).toBe(0);
  });

  longTest(
    "comes to the row that was clicked; a folder begins at its top, with the focus in its list",
    async () => {
      await using page = await open("/drives/alice/back/");
      await row(page, "many").getByRole("link").click();
      await page.locator(".file-row:focus", { hasText: "zzz" }).waitFor();
      await page.goBack();
      await page.locator(".file-row:focus", { hasText: "many" }).waitFor();
      await page.getByRole("link", { name: "one.txt" }).click();
      await page.locator("dialog.preview").waitFor();
      await closeDialog(page);
      await page.waitForURL((url) => url.search === "");
      expect(await page.evaluate("document.activeElement.closest('.file-row')?.dataset.index")).toBe("2");
      await page.goto("/drives/alice/back/many/zzz/");
      await row(page, "in.txt").waitFor();
      await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Back" }).focus();
      await page.keyboard.press("Enter");
      await page.locator(".file-row:focus", { hasText: "folder" }).waitFor();
    },
  );
});
