import { expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { confirmDelete, enter, fillForm, moveTo, row, tooEarly } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { ZipReader } from "../../support/samples/unzip.ts";
import { longTest } from "../../support/server/thorough.ts";

const dashboard = await openDashboard({ owner: "alice" });
const { open, openDrive, driveWith, paths } = dashboard;

test("folders are made, and files and folders moved and copied", async () => {
  await using page = await openDrive("Tidy", {
    "a.txt": 1,
    "b.txt": 2,
    "old/deep/c.txt": 3,
    "old/d.txt": 4,
  });
  await page.getByRole("button", { name: "New folder" }).click();
  await enter(page.getByLabel("Name", { exact: true }), "a/b");
  await page.getByText('A name cannot contain "/" or "\\".').waitFor();
  await enter(page.getByLabel("Name", { exact: true }), "box");
  await row(page, "box").waitFor();
  await page.getByRole("treeitem", { name: "box", exact: true }).waitFor();

  await page.getByLabel("Select a.txt").click();
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").getByRole("treeitem", { name: "box" }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Move here" }).click();
  await row(page, "a.txt").waitFor({ state: "detached" });

  const copyBoth = async () => {
    for (const name of ["b.txt", "old"]) await page.getByLabel(`Select ${name}`).click();
    await fillForm(page, "Copy", /^Folder/, "box/new", "Copy here");
  };
  await copyBoth();
  await page.getByText("Copied 2 items.").waitFor();

  // It is asked about what is there already; a folder replaces nothing.
  await copyBoth();
  const question = page.getByRole("dialog", { name: "already exists" });
  await question.getByRole("heading", { name: "b.txt already exists" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await question.getByRole("button", { name: "Keep both" }).click();
  await question.getByRole("heading", { name: "old already exists" }).waitFor();
  expect(await question.getByRole("button", { name: "Replace" }).count()).toBe(0);
  await question.getByRole("button", { name: "Skip" }).click();
  await page.getByText("Copied “b.txt”.").waitFor();

  expect(await paths(page.drive.id)).toEqual([
    "b.txt",
    "box/a.txt",
    "box/new/b (2).txt",
    "box/new/b.txt",
    "box/new/old/d.txt",
    "box/new/old/deep/c.txt",
    "old/d.txt",
    "old/deep/c.txt",
  ]);
});

longTest("work waits when the server asks for it, goes on, and can be stopped", async () => {
  await using page = await openDrive("Patience", { "a.txt": 1, "b.txt": 1, "to/c.txt": 1 });
  // It is asked again after a second, which is answered once it has been seen that it waits.
  const seen = Promise.withResolvers<void>();
  const refusals = [tooEarly(1)];
  await page.route("**/v0/paths/move", async (route) => {
    const refusal = refusals.shift();
    if (refusal !== undefined) return route.fulfill(refusal);
    await seen.promise;
    return route.continue();
  });
  await page.getByLabel("Select a.txt").click();
  await moveTo(page, "to");
  await page.getByText("Paused for 1 s (rate limit).").waitFor();
  seen.resolve();
  await page.getByText("Moved “a.txt”.").waitFor();
  refusals.push(tooEarly(3600));
  await page.getByLabel("Select b.txt").click();
  await moveTo(page, "to");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("What was already done is not undone.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["b.txt", "to/a.txt", "to/c.txt"]);
});

test("tags, metadata and expiry are changed, or stay as they were, and a link is made that works once", async () => {
  const { client } = dashboard.owner;
  const drive = await driveWith("Details", { "plan.md": 12 });
  const file = `/v0/files/${drive.fileId("plan.md")}`;
  // Where the year 10000 has begun by 9999-12-31T23:59:59Z.
  await using context = await dashboard.windowOf("alice", { timezoneId: "Australia/Brisbane" });
  const page = await context.newPage();
  await page.goto(`/drives/${drive.slug}/`);
  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Details" }).click();
  await enter(page.getByLabel("Tags"), "home, sweet");
  await page.getByLabel("Metadata").fill("{colour: blue}");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Metadata is not valid JSON").waitFor();
  await page.getByLabel("Metadata").fill('{"colour": "blue"}');
  await page.getByLabel("Expires").fill("2999-12-31T12:00");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Details saved.").waitFor();
  const changed = { tags: ["home, sweet"], metadata: { colour: "blue" } };
  expect(await client.get(file)).toMatchObject({ ...changed, expires_at: "2999-12-31T02:00:00.000Z" });

  const far = { expires_at: "9999-12-31T23:59:59.000Z" };
  await client.patch(file, far);
  await page.reload();
  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Details" }).click();
  // A tag that is half typed counts.
  await page.getByPlaceholder("Add a tag").fill("kept");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Details saved.").waitFor();
  expect(await client.get(file)).toMatchObject({ ...changed, ...far, tags: ["home, sweet", "kept"] });

  await page.context().grantPermissions(["clipboard-write"]);
  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel("The link opens").selectOption("download");
  await page.getByLabel("Single use").check();
  await page.getByRole("button", { name: "Create and copy link" }).click();
  await page.getByLabel("Link", { exact: true }).and(page.locator(":focus")).waitFor();
  const link = new URL(await page.getByRole("textbox", { name: /^Link/ }).inputValue());
  await page.getByText("Copied to the clipboard.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  // What was chosen is proposed the next time, also where the file is shown, and the address can be seen again.
  await page.getByRole("link", { name: "plan.md", exact: true }).click();
  await page.locator(".preview").getByRole("button", { name: "Share" }).click();
  expect(await page.getByLabel("The link opens").inputValue()).toBe("download");
  expect(await page.getByLabel("Single use").isChecked()).toBe(true);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.goto(`${dashboard.server.url}/links`);
  await page.getByRole("button", { name: "Copy link to plan.md" }).click();
  expect(await page.getByRole("textbox", { name: /^Link/ }).inputValue()).toBe(link.href);
  await page.getByText("Copied to the clipboard.").waitFor();
  expect((await fetch(dashboard.server.url + link.pathname)).status).toBe(200);
  expect((await fetch(dashboard.server.url + link.pathname)).status).toBe(410);
});

test("a file is downloaded as it is, several and folders as one ZIP", async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}`, 1]));
  await using page = await openDrive("Taken", {
    "a.txt": 1,
    "b & c.txt": 2,
    "d/e/f.txt": 3,
    "d/g.txt": 4,
    ...many,
  });
  const taken = async (press: () => Promise<void>) => {
    const downloading = page.waitForEvent("download");
    await press();
    const download = await downloading;
    const path = await download.path();
    const name = download.suggestedFilename();
    if (!name.endsWith(".zip")) return [name, await Bun.file(path).text()];
    using zip = await ZipReader.of(path);
    return [name, ...zip.entries.map((entry) => entry.name)];
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
  await page.getByRole("button", { name: "Clear selection" }).click();
  await page.getByRole("button", { name: "Actions for d", exact: true }).click();
  const ofFolder = () => page.getByRole("menuitem", { name: "Download" }).click();
  expect(await taken(ofFolder)).toEqual(["d.zip", "d/", "d/e/", "d/e/f.txt", "d/g.txt"]);
  const all = await taken(() => page.getByRole("link", { name: "Download all" }).click());
  expect(all.length).toBe(209);

  await page.getByRole("link", { name: "many" }).click();
  await row(page, "0").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByRole("button", { name: "Download" }).click();
  await page.getByText("You selected 201 items.").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  const whole = await taken(() =>
    page.getByRole("dialog").getByRole("link", { name: "Download all" }).click(),
  );
  expect(whole.length).toBe(203);
});

longTest("a folder is ordered by its headings, and all in it is selected and deleted together", async () => {
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
  await page.getByRole("columnheader", { name: "Size" }).getByRole("button").click();
  await page.locator("[aria-sort=descending]", { hasText: "Size" }).waitFor();
  for (const [index, name] of ["large", "small", "big.bin"].entries()) {
    await page.locator(`[data-index='${index}']`, { hasText: name }).waitFor();
  }
  // Whoever comes back finds the order again.
  await page.getByRole("link", { name: "large" }).click();
  await row(page, "b.txt").waitFor();
  await page.goBack();
  await page.locator("[aria-sort=descending]", { hasText: "Size" }).waitFor();
  await page.getByLabel("Select all", { exact: true }).click();
  await page.getByText("1,203 selected").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Delete");
  await confirmDelete(page, "1,201 files (6.1 KiB) and 2 folders with 2 files in them");
  await page.getByText("This folder is empty").waitFor();
  expect(await paths(drive)).toEqual(["one.txt"]);
});
