import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../support/axe.ts";
import { resize } from "../support/browser.ts";
import { openDashboard } from "../support/dashboard.ts";
import { closeDialog, row, tooEarly } from "../support/drive-page.ts";
import { putFile } from "../support/drives.ts";
import { addManyFolders } from "../support/many-files.ts";
import { eventually } from "../support/scenario.ts";

// What shows that the page was made for people: it keeps up with others, and loses nothing of theirs.

const dashboard = openDashboard({ owner: "alice" });
const { open, driveWith, paths } = dashboard;

/** Tells a page that its person came back to it: in a browser without a window none is ever hidden. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
}

async function rename(drive: string, name: string): Promise<void> {
  await dashboard.owner.client.json(200, "PATCH", `/v0/drives/${drive}`, { body: { name } });
}

describe("what is gone leaves the list as soon as that is known:", () => {
  const attempts: Record<string, { readonly choice: string; readonly submit: string }> = {
    renamed: { choice: "Rename", submit: "Rename" },
    detailed: { choice: "Details", submit: "Save" },
    linked: { choice: "Copy link", submit: "Create link" },
  };
  for (const [name, { choice, submit }] of Object.entries(attempts)) {
    test(`to be ${name}`, async () => {
      const { fileId, slug } = await driveWith(`Gone ${name}`, { "gone.txt": 1, "kept.txt": 1 });
      await using page = await open(`/drives/${slug}/`);
      await row(page, "gone.txt").click({ button: "right" });
      await page.getByRole("menuitem", { name: choice }).click();
      const dialog = page.getByRole("dialog");
      if (choice === "Rename") await dialog.getByLabel("Name", { exact: true }).fill("new.txt");
      await dashboard.owner.client.json(200, "DELETE", `/v0/files/${fileId("gone.txt")}`);
      await dialog.getByRole("button", { name: submit }).click();
      await dialog.getByRole("alert").getByText("Request").waitFor();
      await page.locator(".file-row", { hasText: "gone.txt" }).waitFor({ state: "detached" });
      expect(await dialog.isVisible()).toBe(true);
      await closeDialog(page);
      await page.locator(".file-row:focus", { hasText: "kept.txt" }).waitFor();
    });
  }

  test("to be looked at", async () => {
    const { fileId, slug } = await driveWith("Gone seen", { "gone.txt": 1, "kept.txt": 1 });
    await using page = await open(`/drives/${slug}/`);
    await row(page, "gone.txt").waitFor();
    await dashboard.owner.client.json(200, "DELETE", `/v0/files/${fileId("gone.txt")}`);
    await page.getByRole("link", { name: "gone.txt" }).click();
    await page.getByRole("heading", { name: "File not found" }).waitFor();
    await page.locator(".file-row", { hasText: "gone.txt" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(`**/drives/${slug}/`);
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
      await dashboard.owner.client.json(200, "DELETE", `/v0/drives/${id}`);
      const dialog = page.getByRole("dialog");
      if (choice === "Delete") await dialog.getByRole("textbox").fill(name);
      await dialog.getByRole("button", { name: submit }).click();
      await dialog.getByRole("alert").getByText("Request").waitFor();
      await page.locator(".drive-card", { hasText: name }).waitFor({ state: "detached" });
    });
  }
});

test("a drive's description does not obey characters that would reverse it", async () => {
  const { id } = await driveWith("Described");
  const body = { description: "Open \u202Egpj.exe" };
  await dashboard.owner.client.json(200, "PATCH", `/v0/drives/${id}`, { body });
  await using page = await open("/drives");
  await page.locator(".drive-about", { hasText: "Open U+202Egpj.exe" }).waitFor();
});

test("an arrow pressed where nothing has the focus shows which row one is at", async () => {
  const { slug } = await driveWith("Arrows", { "a.txt": 1, "b.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await row(page, "b.txt").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".file-row:focus", { hasText: "a.txt" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".file-row:focus", { hasText: "b.txt" }).waitFor();
});

test("a range chosen with Shift selects no text, which can still be selected to be copied", async () => {
  const { slug } = await driveWith("Shift", { "a.txt": 1, "b.txt": 1, "c.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await row(page, "a.txt").click({ position: { x: 500, y: 20 } });
  await row(page, "c.txt").click({ position: { x: 500, y: 20 }, modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
  await page.locator(".file-row:focus", { hasText: "c.txt" }).waitFor();
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

describe("an address of a file", () => {
  test("shows none that is another drive's", async () => {
    const { slug } = await driveWith("Mine", { "a.txt": 1 });
    const { fileId } = await driveWith("Other", { "secret.txt": 1 });
    await using page = await open(`/drives/${slug}/?file=${fileId("secret.txt")}`);
    await page.getByRole("heading", { name: "File not found" }).waitFor();
    expect(await page.getByText("secret.txt").count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(`**/drives/${slug}/`);
    await row(page, "a.txt").waitFor();
  });

  test("leads to where the file was moved in its drive", async () => {
    const { fileId, slug } = await driveWith("Moved", { "a.txt": 1, "to/b.txt": 1 });
    const id = fileId("a.txt");
    await dashboard.owner.client.json(200, "PATCH", `/v0/files/${id}`, { body: { path: "to/a.txt" } });
    await using page = await open(`/drives/${slug}/?file=${id}`);
    await page.waitForURL(`**/drives/${slug}/to/?file=${id}`);
    await page.getByRole("button", { name: "Close preview" }).click();
    await row(page, "b.txt").waitFor();
    await page.waitForURL(`**/drives/${slug}/to/`);
  });
});

describe("a drive that is given another name", () => {
  test("keeps the folder, what is selected, and the dialog that is open; its address follows", async () => {
    const { id, slug } = await driveWith("Before", { "folder/a.txt": 1, "folder/b.txt": 1 });
    await using page = await open(`/drives/${slug}/`);
    await page.getByRole("link", { name: "folder", exact: true }).click();
    await page.getByLabel("Select a.txt").check();
    await page.keyboard.press("F2");
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("half typed");
    await rename(id, "After");
    await comeBack(page);
    await page.waitForURL("**/drives/alice/after/folder/");
    await page.getByRole("link", { name: "After", exact: true }).waitFor();
    expect(await name.inputValue()).toBe("half typed");
    await closeDialog(page);
    expect(await page.getByLabel("Select a.txt").isChecked()).toBe(true);
    // An entry of the history that still has the old name, too.
    await page.goBack();
    await page.waitForURL("**/drives/alice/after/");
    await row(page, "folder").waitFor();
    await page.goForward();
    await page.waitForURL("**/drives/alice/after/folder/");
    await row(page, "b.txt").waitFor();
    await page.reload();
    await row(page, "b.txt").waitFor();
    expect(await page.title()).toBe("folder · Coffer");
  });

  test("is found again where it was open, also after a reload and with a file above it", async () => {
    const { id, slug, fileId } = await driveWith("Old name", { "a.txt": 1, "b.txt": 1 });
    const file = fileId("a.txt");
    await using page = await open(`/drives/${slug}/?file=${file}`);
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await rename(id, "New name");
    await page.reload();
    await page.waitForURL(`**/drives/alice/new-name/?file=${file}`);
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.getByRole("button", { name: "Close preview" }).click();
    await page.waitForURL("**/drives/alice/new-name/");
    // From the list of drives, where it may have been renamed.
    await page.getByRole("link", { name: "Drives" }).first().click();
    await page.getByRole("heading", { name: "New name" }).waitFor();
    await rename(id, "Newest");
    await page.goBack();
    await page.waitForURL("**/drives/alice/newest/");
    await row(page, "b.txt").waitFor();
  });

  test("leaves its slug to the drive that has it next", async () => {
    const { id, slug } = await driveWith("Handed on", { "old.txt": 1 });
    await using page = await open(`/drives/${slug}/`);
    await row(page, "old.txt").waitFor();
    await rename(id, "Moved on");
    await driveWith("Handed on", { "new.txt": 1 });
    await page.reload();
    await row(page, "new.txt").waitFor();
    await page.waitForURL(`**/drives/${slug}/`);
  });

  test("stays at an address that goes by its id", async () => {
    const { id } = await driveWith("By id", { "a.txt": 1 });
    await using page = await open(`/drives/${id}/`);
    await row(page, "a.txt").waitFor();
    await rename(id, "Still by id");
    await comeBack(page);
    await page.getByRole("heading", { name: "Still by id" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/drives/${id}/`);
  });
});

test("what was refused at one destination can be taken to another", async () => {
  const { id: drive, slug } = await driveWith("Elsewhere", {
    "a.txt": 1,
    "b.txt": 1,
    "taken/a.txt": 1,
    "free/x": 1,
  });
  await using page = await open(`/drives/${slug}/`);
  await page.getByLabel("Select a.txt").check();
  await page.getByLabel("Select b.txt").check();
  await page.getByRole("button", { name: "Move" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("treeitem", { name: "taken" }).click();
  await dialog.getByRole("button", { name: "Move here" }).click();
  await dialog.getByText("1 item couldn't be moved:").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Choose another folder" }).click();
  await page.getByRole("dialog", { name: "Move “a.txt”" }).waitFor();
  await dialog.getByRole("treeitem", { name: "free" }).click();
  await dialog.getByRole("button", { name: "Move here" }).click();
  await page.getByText("Moved “a.txt”.").waitFor();
  expect(await paths(drive)).toEqual(["free/a.txt", "free/x", "taken/a.txt", "taken/b.txt"]);
});

test("folders too many to be put in order by size are said to be by name", async () => {
  const { id: drive, slug } = await driveWith("Ordered", { "folders/1000/a.txt": 1, "few/a/b.txt": 1 });
  await putFile(dashboard.owner, drive, "folders/z.txt");
  await addManyFolders(dashboard.server.dataDir, 501);
  await using page = await open(`/drives/${slug}/folders/`);
  await page.getByText("502 folders, 1 file").waitFor();
  const note = page.getByText("There are too many folders to sort by size");
  expect(await note.count()).toBe(0);
  await page.getByRole("button", { name: "Size" }).click();
  await note.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Name" }).click();
  await note.waitFor({ state: "detached" });
});

describe("where the server asks to wait, a page comes by itself:", () => {
  const pages: Record<string, { readonly address: string; readonly asks: string; readonly heading: string }> =
    {
      "any at first": { address: "/keys", asks: "**/v0/account", heading: "Keys" },
      "the drives": { address: "/drives", asks: "**/v0/drives", heading: "Patient" },
      "a drive": { address: "/drives/alice/patient/", asks: "**/v0/drives/alice*", heading: "Patient" },
    };
  beforeAll(() => driveWith("Patient"));
  for (const [name, { address, asks, heading }] of Object.entries(pages)) {
    test(name, async () => {
      await using page = await open("/search");
      await page.getByRole("heading", { name: "Search" }).waitFor();
      await page.route(asks, (route) => route.fulfill(tooEarly(1)), { times: 1 });
      const refused = page.waitForResponse((response) => response.status() === 429);
      await page.goto(address);
      await refused;
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    });
  }
});

/** Uploads files of seven bytes to the folder that is open. */
async function upload(page: Page, files: readonly string[]): Promise<void> {
  const buffer = Buffer.from("another");
  const chosen = files.map((name) => ({ name, mimeType: "text/plain", buffer }));
  await page.getByLabel("Upload files").setInputFiles(chosen);
}

test("a double click on Replace replaces the file that was asked about, not the next one too", async () => {
  const { slug } = await driveWith("Replaced", { "a.txt": 1, "b.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await upload(page, ["a.txt", "b.txt"]);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("(1 so far)").waitFor();
  const isFirst = (await dialog.getByRole("heading").innerText()).startsWith("a.txt");
  const [first, next] = isFirst ? ["a.txt", "b.txt"] : ["b.txt", "a.txt"];
  await dialog.getByRole("button", { name: "Replace" }).dblclick({ delay: 50 });
  await dialog.getByRole("heading", { name: `${next} already exists` }).waitFor();
  await dialog.getByRole("button", { name: "Skip" }).click();
  await dialog.waitFor({ state: "detached" });
  await row(page, first).locator(".cell-size", { hasText: "7 bytes" }).waitFor();
  await row(page, next).locator(".cell-size", { hasText: "1 byte" }).waitFor();
});

test("a question that is dismissed leaves the next one to be asked", async () => {
  const { slug } = await driveWith("Asked", { "a.txt": 1, "b.txt": 1, "c.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await row(page, "c.txt").focus();
  await upload(page, ["a.txt", "b.txt", "c.txt"]);
  const uploads = page.getByRole("region", { name: "Uploads" });
  for (const left of ["(2 so far)", "(1 so far)"]) {
    await page.getByRole("dialog").getByText(left).waitFor();
    await page.keyboard.press("Escape");
  }
  await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await uploads.getByText("Skipped: already exists").nth(1).waitFor();
  await uploads.getByText("Skipped: already exists").nth(2).waitFor({ state: "detached" });
  await page.locator(".file-row:focus", { hasText: "c.txt" }).waitFor();
});

test("a preview is printed whole, without the page around it, and in dark on light", async () => {
  const { id: drive, slug } = await driveWith("Printed");
  const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
  await putFile(dashboard.owner, drive, "long.txt", lines);
  await using page = await open(`/drives/${slug}/`);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("link", { name: "long.txt" }).click();
  const preview = page.getByRole("dialog", { name: "long.txt" });
  await preview.getByText("line 299").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.locator(".file-row").waitFor({ state: "hidden" });
  const last = await preview.getByText("line 299").boundingBox();
  const paper = await preview.boundingBox();
  expect(last?.height).toBeGreaterThan(300 * 12);
  expect(paper?.height).toBeGreaterThan(last?.height ?? Number.NaN);
  const color = await page.evaluate("getComputedStyle(document.querySelector('.preview')).color");
  expect(color).toBe("rgb(20, 24, 31)");
  await page.emulateMedia({ media: "screen" });
  await page.locator(".file-row").waitFor();
});

describe("closing a preview", () => {
  test("leads back to the search that found the file", async () => {
    const { id: drive } = await driveWith("Found");
    await putFile(dashboard.owner, drive, "needle.txt", "in a haystack");
    await using page = await open("/search?q=haystack");
    await page.getByRole("link", { name: "needle.txt" }).click();
    await page.getByRole("heading", { name: "needle.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/search?q=haystack");
    await page.getByRole("link", { name: "needle.txt" }).waitFor();
  });

  test("leaves one entry of the history for its folder, also after a reload", async () => {
    const { slug } = await driveWith("Entries", { "a.txt": 1 });
    await using page = await open("/drives");
    await page.getByRole("link", { name: "Entries" }).click();
    await page.getByRole("link", { name: "a.txt" }).click();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "a.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/drives/${slug}/`);
    await row(page, "a.txt").waitFor();
    await page.goBack();
    await page.waitForURL("**/drives");
  });

  test("is possible before the file is there, and what is clicked shows that it was", async () => {
    const { fileId, slug } = await driveWith("Slow", { "a.txt": 1 });
    await using page = await open(`/drives/${slug}/`);
    const wanted = Promise.withResolvers<void>();
    await page.route(`**/v0/files/${fileId("a.txt")}`, async (route) => {
      await wanted.promise;
      await route.abort();
    });
    await page.getByRole("link", { name: "a.txt" }).click();
    await page.getByRole("heading", { name: "Loading the file…" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/drives/${slug}/`);
    await page.locator(".file-row:focus-within").waitFor();
    wanted.resolve();
  });
});

test("a dialog longer than the window begins with its title", async () => {
  const { slug } = await driveWith("Long", { "a.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  // A laptop's window at 400%.
  await page.setViewportSize({ width: 320, height: 256 });
  await row(page, "a.txt").focus();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menuitem", { name: "Details" }).press("Enter");
  await page.locator("dialog:focus").waitFor();
  const title = await page.getByRole("heading", { name: "Details" }).boundingBox();
  expect(title?.y).toBeGreaterThan(0);
});

test("a row stays one row in the narrowest window", async () => {
  const { slug } = await driveWith("Narrow", { "a.txt": 1000 });
  await using page = await open(`/drives/${slug}/`);
  // A laptop's window at 400%, and a time ago that takes many words.
  await page.setViewportSize({ width: 320, height: 568 });
  await page.clock.setFixedTime(Date.now() + 40 * 60_000);
  await page.reload();
  const facts = row(page, "a.txt").locator(".cell-facts");
  await facts.getByText("40 minutes ago").waitFor();
  expect((await facts.boundingBox())?.height).toBeLessThan(24);
});

describe("a refusal is tied to the field that it is about, for who does not see it:", () => {
  const refusals: [choice: string, label: string, typed: string, submit: string][] = [
    ["Rename", "Name", "a/b", "Rename"],
    ["Details", "Metadata", "[1]", "Save"],
    ["Details", "Tags", "x".repeat(65), "Save"],
    ["Details", "Expires", "2020-01-01T00:00", "Save"],
  ];
  for (const [choice, label, typed, submit] of refusals) {
    test(label, async () => {
      const { slug } = await driveWith(`Refused ${label}`, { "a.txt": 1 });
      await using page = await open(`/drives/${slug}/`);
      await row(page, "a.txt").click({ button: "right" });
      await page.getByRole("menuitem", { name: choice }).click();
      const dialog = page.getByRole("dialog");
      const field = dialog.getByLabel(label, { exact: true });
      await field.fill(typed);
      await dialog.getByRole("button", { name: submit }).click();
      const alert = dialog.getByRole("alert");
      await alert.waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      const [refusal = ""] = (await field.getAttribute("aria-describedby"))?.split(" ") ?? [];
      expect(await page.locator(`[id="${refusal}"]`).innerText()).toBe(await alert.innerText());
      await field.and(page.locator(":focus")).waitFor();
    });
  }
});

test("a drive to move to is told apart by a name that does not obey characters that would reverse it", async () => {
  await driveWith("Safe \u202Egpj.exe");
  const { slug } = await driveWith("Chooser", { "a.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await row(page, "a.txt").focus();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menuitem", { name: "Move" }).click();
  await page.getByLabel("Drive", { exact: true }).selectOption({ label: "Safe ⟨U+202E⟩gpj.exe" });
});

test("rows are as high as their text, however large a person has set that in their browser", async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`file ${n + 10}.txt`, 1]));
  const { slug } = await driveWith("Large", files);
  await using page = await dashboard.open("/drives");
  await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
    document.documentElement.style.fontSize = "32px";
  })`);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/drives/${slug}/`);
  await row(page, "file 10.txt").focus();
  await page.keyboard.press("End");
  await page.locator(".file-row:focus", { hasText: "file 69.txt" }).waitFor();
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

test("rows stand close as the window, and the text with it, becomes another", async () => {
  const { slug } = await driveWith("Widths", { "a.txt": 1, "b.txt": 1 });
  await using page = await open(`/drives/${slug}/`);
  await row(page, "b.txt").waitFor();
  for (const width of [3840, 1280, 2560, 360, 1280]) {
    await resize(page, width, 800);
    await eventually(async () => {
      const [above, below] = [await row(page, "a.txt").boundingBox(), await row(page, "b.txt").boundingBox()];
      return above !== null && below !== null && Math.abs(above.y + above.height - below.y) < 1;
    });
  }
});
