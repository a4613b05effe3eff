import { afterAll, expect, test } from "bun:test";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { newWindow } from "../../support/browser/browser.ts";
import { inspect } from "../../support/browser/looks.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { signUp } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { longTest } from "../../support/server/thorough.ts";

const place = await temporaryDirectory(FAST_DIRECTORY);
afterAll(() => place[Symbol.asyncDispose]());
const backups = join(place.path, "backups");
// A file in the place of a directory: the first backup fails.
await writeFile(backups, "");

const [disk, otherDisk] = [join(place.path, "a"), join(place.path, "b")];
for (const path of [disk, otherDisk]) await mkdir(path);

const dashboard = await openDashboard({
  env: {
    COFFER_RATE_LIMITS: "",
    COFFER_KEEP_VERSIONS: "20",
    COFFER_BACKUP: backups,
    COFFER_BLOBS: `${disk},${otherDisk}`,
  },
});
const bob = await signUp(dashboard.server, "bob");
// Before the page is opened: what storage is used for is kept for a time, a longer one where the machine is busy.
// Read from right to left, the name of the key would turn the order of what stands beside it.
const { key } = await bob.client.post<{ key: string }>("/v0/keys", { name: "\u05d0\u05d1 <b>W" });
const secret = await bob.client.makeDrive("Bob's secret");
await dashboard.server.client(key).put(secret.id, "a.png", "x".repeat(5000));
await dashboard.owner.client.put(dashboard.owner.drive, "b.txt", "x".repeat(3000));

/** The line of a setting. */
const lineOf = (page: Page, title: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

async function change(page: Page, title: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole("button", { name: `Change: ${title}` }).click();
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
  await page.getByRole("button", { name: "Save" }).click();
}

test("settings are changed on the page, hold at once, and are set back", async () => {
  await using page = await dashboard.open("/server");
  await page.getByRole("heading", { name: "Usage of the server by day" }).waitFor();
  await change(page, "Requests a minute", { "Plan free": "7" });
  await page.getByText("Saved. It holds from now on.").waitFor();
  await lineOf(page, "Requests a minute").getByText("free: 7, pro: 300, and team: 1000").waitFor();
  const { headers } = await dashboard.server.client().send("GET", "/v0");
  expect(headers.get("x-ratelimit-limit")).toBe("7");
  await change(page, "Requests a minute", { "Plan free": "many" });
  await page
    .getByRole("alert")
    .getByText(/must be a whole number/)
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Set back to default: Requests a minute" }).click();
  await page.getByRole("button", { name: "Set back", exact: true }).click();
  await lineOf(page, "Requests a minute").getByText("Default").waitFor();
  await page.locator("h2:focus").getByText("Settings").waitFor();
  // What the environment says stands.
  const versions = lineOf(page, "Earlier versions kept of a file");
  await versions.getByText("Set by COFFER_KEEP_VERSIONS").waitFor();
  expect(await versions.getByRole("button").count()).toBe(0);
});

test("use is shown by user or by key, and storage by drive and kind, of others' drives without their names", async () => {
  await using page = await dashboard.open("/server");
  const usage = page.getByRole("region", { name: "Usage of the server by day" });
  await usage.getByRole("rowheader", { name: "bob", exact: true }).waitFor();
  const grouping = usage.getByLabel("Grouping");
  await grouping.focus();
  await page.keyboard.press("ArrowDown");
  await usage.getByRole("rowheader", { name: "bob: \u05d0\u05d1 <b>W" }).waitFor();
  expect(await grouping.evaluate((select) => select === select.ownerDocument.activeElement)).toBe(true);
  await usage.getByLabel("Show", { exact: true }).selectOption("Uploaded");
  const uploads = usage.getByRole("table").first().getByRole("row", { name: "bob: \u05d0\u05d1 <b>W" });
  expect(await uploads.getByRole("cell").allInnerTexts()).toEqual(["4.9 KiB", "4.9 KiB"]);
  await usage.getByText("Show as table").press("Enter");
  const values = usage.getByRole("region", { name: "Values by day" });
  await values.getByRole("columnheader", { name: "bob: \u05d0\u05d1 <b>W" }).waitFor();
  const storage = page.getByRole("region", { name: "Storage", exact: true });
  await storage
    .getByRole("listitem")
    .filter({ hasText: `bob: ${secret.id}` })
    .waitFor();
  await storage.getByRole("listitem").filter({ hasText: "ada: Files" }).waitFor();
  await storage.getByRole("listitem").filter({ hasText: "Pictures" }).waitFor();
  expect(await page.getByText("Bob's secret").count()).toBe(0);
  expect(await inspect(page, "server-usage")).toEqual([]);
});

longTest("what is loaded before the language is known is shown in it", async () => {
  const speak = (language: string) =>
    changeDatabase(dashboard.server.dataDir, `UPDATE user SET language = ${language} WHERE username = 'ada'`);
  speak("'de'");
  const window = await dashboard.windowOf("ada");
  const page = await window.newPage();
  await page.goto("/server");
  await page.getByRole("listitem").filter({ hasText: "Bilder" }).waitFor();
  await window.close();
  speak("NULL");
});

test("the server's name is shown on its pages, and runs nothing that it holds", async () => {
  const name = "<b>Ours</b> \u202Egnp $&";
  await using page = await dashboard.open("/server");
  await change(page, "Name", { "New value": name });
  const sign = page.getByRole("banner").getByRole("link", { name: "<b>Ours</b> U+202Egnp $&" });
  await sign.waitFor();
  expect(await page.title()).toBe("Server · <b>Ours</b> ⟨U+202E⟩gnp $&");
  const stranger = await (await newWindow(dashboard.browser, { baseURL: dashboard.server.url })).newPage();
  await stranger.goto("/drives");
  await stranger.getByRole("banner").getByText("<b>Ours</b>").waitFor();
  expect(await stranger.title()).toContain("<b>Ours</b>");
  const devtools = await stranger.context().newCDPSession(stranger);
  expect(await devtools.send("Page.getAppManifest")).toMatchObject({ errors: [], manifest: { name } });
  await stranger.context().close();
  await page.reload();
  await sign.waitFor();
  // As long as it may be, in every look.
  await change(page, "Name", { "New value": "W".repeat(64) });
  await page.getByRole("banner").getByText("W".repeat(64)).waitFor();
  expect(await inspect(page, "server-named")).toEqual([]);
});

test("a backup that fails needs attention, until the next one is made", async () => {
  await using page = await dashboard.open("/server");
  await page.getByText("No backup has been made yet.").waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  const problem = page.getByRole("listitem").filter({ hasText: "The last backup failed" });
  await problem.getByText(backups).waitFor();
  await Bun.file(backups).delete();
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByText("The last one was complete.").waitFor();
  await page.getByText("Nothing: all is well.").waitFor();
});

test("each disk is shown, and one that is away needs attention until it is back", async () => {
  await rename(otherDisk, join(place.path, "gone"));
  expect(await dashboard.server.stdout.until(/a disk cannot be used/)).not.toBeNull();
  await using page = await dashboard.open("/server");
  const problem = page.getByRole("listitem").filter({ hasText: "1 place for contents can't be reached" });
  await problem.getByText(`${otherDisk}: it is missing, or not mounted`).waitFor();
  const health = page.getByRole("region", { name: "Health" });
  await health.getByRole("meter", { name: disk }).waitFor();
  await health.getByText("Can't be reached").waitFor();
  expect(await health.getByRole("meter", { name: otherDisk }).count()).toBe(0);
  expect(await inspect(page, "server-disks")).toEqual([]);
  await rename(join(place.path, "gone"), otherDisk);
  expect(await dashboard.server.stdout.until(/a disk of contents is back/)).not.toBeNull();
  await page.reload();
  await health.getByRole("meter", { name: otherDisk }).waitFor();
  await page.getByText("Nothing: all is well.").waitFor();
});

test("nobody else is told that there is such a page", async () => {
  const window = await dashboard.windowOf("bob");
  const page = await window.newPage();
  await page.goto("/server");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await page.getByRole("link", { name: "Server" }).count()).toBe(0);
  await window.close();
});
