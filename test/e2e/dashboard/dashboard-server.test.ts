import { afterAll, expect, test } from "bun:test";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { newWindow, resize } from "../../support/browser/browser.ts";
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

/** The height at which the middle of something is. */
function middleOf(box: { readonly y: number; readonly height: number } | null): number {
  return box === null ? Number.NaN : box.y + box.height / 2;
}

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
  // On a telephone, too, the sign stands beside what it is for.
  await resize(page, 360, 800);
  const heading = problem.getByRole("heading");
  const [sign, whole] = [await heading.locator(".icon").boundingBox(), await heading.boundingBox()];
  expect(Math.abs(middleOf(sign) - middleOf(whole))).toBeLessThan(2);
  await rename(join(place.path, "gone"), otherDisk);
  expect(await dashboard.server.stdout.until(/a disk of contents is back/)).not.toBeNull();
  await page.reload();
  await health.getByRole("meter", { name: otherDisk }).waitFor();
  await page.getByText("Nothing: all is well.").waitFor();
});

/** An event of the audit log. */
const eventOf = (page: Page, sentence: string) =>
  page.getByRole("listitem").filter({ has: page.locator(".change-what", { hasText: sentence }) });

const signInAsBob = () => {
  const body = { username: "bob", password: "not bob's password" };
  return dashboard.server.client().send("POST", "/auth/login", { body });
};

test("the audit log says what was done and refused, is filtered, and leads to whom it is about", async () => {
  await signInAsBob();
  const { id } = await dashboard.owner.client.makeKey({ name: "<b>backup</b>" });
  await dashboard.owner.client.delete(`/v0/keys/${id}`);
  await using page = await dashboard.open("/server");
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByText("Events are kept for 365 days.").waitFor();
  await eventOf(page, "revoked the key <b>backup</b>").getByText("from 127.0.0.1").waitFor();
  const refused = eventOf(page, "Wrong password for bob");
  await refused.getByText("Refused", { exact: true }).waitFor();

  await page.getByLabel("About").selectOption("Signing in");
  await page.getByLabel("Outcome").selectOption("Refused");
  await page.getByLabel("Account").fill("BOB");
  await page.keyboard.press("Enter");
  await page.waitForURL("/audit?about=sign_in&outcome=refused&account=BOB");
  await eventOf(page, "revoked the key").waitFor({ state: "detached" });
  await page.reload();
  await refused.waitFor();
  expect(await page.getByLabel("Account").inputValue()).toBe("BOB");
  await refused.getByRole("button", { name: "Details: Wrong password for bob" }).press("Enter");
  const facts = refused.locator("dl");
  await facts.getByText("session.created").waitFor();
  await facts.getByText("wrong_password").waitFor();
  expect(await inspect(page, "audit-details")).toEqual([]);

  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("audit-events.jsonl");
  const text = await Bun.file(await download.path()).text();
  const lines = text.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: "session.created", outcome: "refused", subject: { name: "bob" } },
  ]);
  const again = page.waitForEvent("download");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("download these events");
  await page.getByRole("option", { name: "Download these events", exact: true }).click();
  expect(await Bun.file(await (await again).path()).text()).toBe(text);
  await facts.getByRole("link", { name: "All events of this account" }).click();
  await page.waitForURL("/audit?account=bob");
  await page.goBack();
  await refused.getByRole("link", { name: "bob" }).click();
  await page.waitForURL("/users?find=bob");
  await page.getByRole("button", { name: "Actions for bob" }).click();
  expect(await page.getByRole("button", { name: /^Actions for/ }).count()).toBe(1);
  await page.getByRole("menuitem", { name: "Audit log" }).click();
  await page.waitForURL("/audit?account=bob");
});

/** The day of a time here, as in `2030-01-31`. */
const dayOf = (ms: number) => new Date(ms).toLocaleDateString("sv");

test("the audit log is shown in parts, by days, and anew when that is asked for", async () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const at = Date.now() - 20 * DAY_MS;
  changeDatabase(
    dashboard.server.dataDir,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
     INSERT INTO audit_event (id, at, category, action, outcome, serial, count, last_at, actor_kind,
                              subject_kind, subject_name, detail)
     SELECT 'e' || i, ${at}, 'sign_in', 'session.created', 'refused', -i, 12, ${at}, 'anonymous',
            'user', 'old-' || i, '{"reason": "wrong_password"}' FROM n`,
  );
  await using page = await dashboard.open("/audit?outcome=refused");
  await page.getByLabel("Since").fill(dayOf(at - DAY_MS));
  await page.getByLabel("Until").fill(dayOf(at));
  await page.getByText("Wrong password for old-150 (12 times)").waitFor();
  const events = page.locator("main li");
  expect(await events.count()).toBe(100);
  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await events.nth(149).waitFor();
  expect(await events.count()).toBe(150);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  await page.getByLabel("Until").fill(dayOf(at - DAY_MS));
  await page.getByText("Nothing that is still on record fits these filters.").waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("audit log");
  await page.getByRole("option", { name: "Audit log Server" }).click();
  await page.waitForURL("/audit");
  await events.first().waitFor();
  await bob.client.makeKey({ name: "the newest" });
  await page.getByRole("button", { name: "Refresh" }).click();
  await eventOf(page, "made the key the newest").waitFor();
  await page.route("**/v0/audit-events?*", (route) => route.fulfill({ status: 500, body: "" }));
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("The server answered with status 500.").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click();
  await eventOf(page, "made the key the newest").waitFor();
});

test("nobody else is told that there are such pages", async () => {
  const window = await dashboard.windowOf("bob");
  const page = await window.newPage();
  for (const address of ["/server", "/audit"]) {
    await page.goto(address);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(await page.getByRole("link", { name: "Server" }).count()).toBe(0);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("audit");
  await page.getByRole("option").first().waitFor();
  expect(await page.getByRole("option", { name: "Audit log" }).count()).toBe(0);
  await window.close();
});
