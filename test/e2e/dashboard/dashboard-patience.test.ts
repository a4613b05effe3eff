import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { complaintsOf, lead, onlyPageOf, queriesOf } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseFor, confirmDelete, goFollowing, row, upload } from "../../support/browser/drive-page.ts";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { inspect } from "../../support/browser/looks.ts";
import { putFile } from "../../support/server/drives.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

// What keeps a person from an answer: limits, which are those of a new server here, and a server that is away.

const dashboard = await openDashboard({
  env: { COFFER_RATE_LIMITS: "free=60,pro=300,team=1000", COFFER_PROVISIONS_PER_HOUR: "10" },
});
const { open, driveWith } = dashboard;
changeDatabase(dashboard.server.dataDir, "UPDATE user SET plan = 'free'");

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

longTest("a person on plan free opens ten folders and 24 previews at once, and is not stopped", async () => {
  const folders = numbers(10).map((at) => [`folder ${at}/in it.txt`, 1] as const);
  const files = numbers(24).map((at) => [`file ${at}.txt`, 1] as const);
  const { slug, fileId } = await driveWith("Opened", Object.fromEntries([...folders, ...files]));
  await using page = await open();
  await goFollowing(page, `/drives/${slug}/`);
  const statuses: number[] = [];
  page.on("response", (response) => statuses.push(response.status()));
  for (const at of numbers(10)) {
    await lead(page, `/drives/${slug}/folder%20${at}/`);
    await page.getByRole("heading", { name: `folder ${at}` }).waitFor();
    await row(page, "in it.txt").waitFor();
  }
  for (const at of numbers(24)) {
    await lead(page, `/drives/${slug}/?file=${fileId(`file ${at}.txt`)}`);
    await page
      .getByRole("dialog")
      .getByRole("heading", { name: `file ${at}.txt` })
      .waitFor();
    await page.getByRole("region", { name: "Text" }).getByText("x").waitFor();
  }
  // Neither what was read of a content nor a list is asked for again, while nothing changes.
  const read = queriesOf(page, `/v0/files/${fileId("file 0.txt")}/download`);
  await lead(page, `/drives/${slug}/?file=${fileId("file 0.txt")}`);
  await page.getByRole("region", { name: "Text" }).getByText("x").waitFor();
  expect(read).toEqual([]);
  const lists = queriesOf(page, "/v0/files");
  await lead(page, `/drives/${slug}/folder%200/`);
  await row(page, "in it.txt").waitFor();
  expect(lists).toEqual([]);
  expect(statuses.length).toBeGreaterThan(60);
  expect(statuses.filter((status) => status >= 400)).toEqual([]);
});

describe("while the server is away", () => {
  test("the page says so by itself; what is opened, sent and uploaded meanwhile goes on once it is back", async () => {
    const { slug, id } = await driveWith("Away", { "a.txt": 1, "e.txt": 1 });
    await using page = await onlyPageOf(await dashboard.windowOf("ada"));
    await page.goto(`/drives/${slug}/`);
    await chooseFor(page, "e.txt", "Delete");
    await confirmDelete(page, "1 file (1 byte)");
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    await undo.waitFor();
    await dashboard.server.kill();
    await undo.click();
    const banner = page.locator(".trouble");
    await banner.getByText("Can't reach the server.").waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await upload(page, ["b.txt", "c.txt"]);
    await page.getByText("Uploads wait for the server").first().waitFor();
    await page.getByRole("button", { name: "New folder" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("made later");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("It is sent again by itself").waitFor();
    await dashboard.restart();
    await row(page, "made later").waitFor();
    await row(page, "e.txt").waitFor();
    await page.getByText("2 files uploaded").first().waitFor();
    await banner.waitFor({ state: "detached" });
    // It follows what others do again.
    await putFile(dashboard.owner, id, "d.txt", "x");
    await row(page, "d.txt").waitFor();
    expect((await dashboard.paths(id)).toSorted()).toEqual(["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]);
  });

  longTest("what is opened, and what is loaded as it asks to wait, comes by itself", async () => {
    await driveWith("Back");
    await using page = await onlyPageOf(await dashboard.windowOf("ada"));
    await page.goto("/account");
    await page.getByRole("heading", { name: "ada" }).waitFor();
    await dashboard.server.kill();
    await page.getByRole("link", { name: "Drives" }).click();
    await page.locator(".trouble").getByRole("button", { name: "Try now" }).click();
    // What is closed meanwhile is not sent.
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Never");
    await page.getByRole("button", { name: "Create drive" }).click();
    await page.getByText("It is sent again by itself").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await dashboard.restart();
    await page.getByRole("heading", { name: "Back", exact: true }).waitFor();
    expect(await page.getByRole("heading", { name: "Never" }).count()).toBe(0);
    const busy = { error: { code: "UNAVAILABLE", message: "Busy." } };
    const headers = { "retry-after": "2" };
    await page.route("**/v0/account", (route) => route.fulfill({ status: 503, headers, json: busy }), {
      times: 1,
    });
    await page.reload();
    await page.locator(".trouble").getByText("The server is busy.").waitFor();
    await page.getByRole("heading", { name: "Back", exact: true }).waitFor();
  });
});

/** A window of a new user that takes itself for an installed one: a browser without a screen installs nothing. */
async function openInstalled(username: string) {
  await signUp(dashboard.server, username);
  const window = await dashboard.windowOf(username);
  await window.addInitScript(`{
    const ask = window.matchMedia;
    window.matchMedia = (query) => ask(query === "(display-mode: standalone)" ? "all" : query);
  }`);
  return onlyPageOf(window);
}

const workersOf = (page: Page) =>
  page.evaluate<string[]>(`navigator.serviceWorker.getRegistrations().then((all) =>
    all.map(({ scope, active }) => scope + " " + active?.scriptURL))`);
const keptIn = (page: Page) =>
  page.evaluate<string>(`caches.match("/offline-page").then((page) => page?.text() ?? "")`);
const isReady = (page: Page) => page.evaluate("navigator.serviceWorker.ready.then(() => {})");

describe("the installed dashboard", () => {
  test("says that its server is away, in the language of the account, and goes on by itself to where one was going", async () => {
    await using page = await openInstalled("dora");
    const complaints = complaintsOf(page);
    // Neither strangers nor who only visits get anything that would outlast the server.
    await page.goto("/s/none");
    await page.getByRole("heading").waitFor();
    await using visit = await onlyPageOf(await dashboard.windowOf("ada"));
    await visit.goto("/account");
    await visit.getByRole("heading", { name: "ada" }).waitFor();
    expect(await workersOf(page)).toEqual([]);
    await page.goto("/account");
    await page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
    await isReady(page);
    await eventually(async () => (await keptIn(page)).includes(`lang="de"`));
    const { url } = dashboard.server;
    expect(await workersOf(page)).toEqual([`${url}/ ${url}/offline-worker.js`]);
    await page.goto("/");
    await page.getByRole("heading", { name: "Laufwerke" }).waitFor();

    await dashboard.server.kill();
    await page.goto("/trash?a=b#c");
    await page.getByRole("heading", { name: "Der Server ist nicht erreichbar." }).waitFor();
    await page.getByText(`${new URL(url).host} antwortet nicht.`).waitFor();
    expect(await inspect(page, "offline")).toEqual([]);
    const loaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Erneut versuchen" }).click();
    await loaded;
    await page.getByText(/^Nächster Versuch in \d/).waitFor();
    const docs = await page.context().newPage();
    expect(await docs.goto("/docs").catch(String)).toContain("ERR_CONNECTION_REFUSED");
    await dashboard.restart();
    await page.getByRole("heading", { name: "Papierkorb", exact: true }).waitFor();
    expect(page.url()).toBe(`${url}/trash?a=b#c`);

    expect(
      await page.evaluate<string[]>(`caches.open("coffer-offline").then((cache) => cache.keys())
      .then((keys) => keys.map(({ url }) => url))`),
    ).toEqual([`${url}/offline-page`]);
    expect(await page.evaluate<string[]>("caches.keys()")).toEqual(["coffer-offline"]);
    expect(await workersOf(visit)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  longTest(
    "tries at once when there is a network again, and goes when another service is at its address",
    async () => {
      await using page = await openInstalled("emil");
      await page.goto("/account");
      await isReady(page);
      const { port } = dashboard.server;
      await dashboard.server.kill();
      await page.goto("/keys");
      await page.getByText(/^Trying again in \d/).waitFor();
      const asked = page.waitForRequest(/\/keys$/);
      await page.evaluate(`dispatchEvent(new Event("online"))`);
      expect((await asked).method()).toBe("HEAD");
      const headers = { "content-type": "text/html" };
      const html = "<h1>Another service</h1>";
      using other = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response(html, { headers }) });
      await page.getByRole("heading", { name: "Another service" }).waitFor();
      await page.reload();
      expect(await workersOf(page)).toEqual([]);
      await other.stop(true);
      expect(await page.goto("/keys").catch(String)).toContain("ERR_CONNECTION_REFUSED");
      await dashboard.restart();
    },
  );

  longTest("another version of its page takes the place of the one before with the next visit", async () => {
    await using page = await openInstalled("finn");
    await page.goto("/account");
    await isReady(page);
    await page.evaluate(
      `caches.open("coffer-offline").then((cache) => cache.put("/offline-page", new Response("old")))`,
    );
    await page.reload();
    await eventually(async () => (await keptIn(page)) !== "old");
  });

  longTest(
    "an uploaded script cannot become the worker of an address, even where a page of ours is made to try",
    async () => {
      const { id } = await dashboard.driveWith("Hostile");
      const file = await putFile(dashboard.owner, id, "worker.js", "onfetch = () => {};");
      const { client } = dashboard.owner;
      const { url } = await client.json<{ url: string }>(200, "POST", `/v0/files/${file}/presigned-url`);
      await using page = await onlyPageOf(await dashboard.windowOf("ada", { bypassCSP: true }));
      await page.goto("/account");
      const register = (script: string) =>
        page.evaluate<string>(`navigator.serviceWorker.register("${script}").then(() => "done", String)`);
      expect(await register(`/v0/files/${file}/download`)).toContain("code (403)");
      expect(await register(url)).toContain("code (403)");
      expect(await register("/offline-worker.js")).toBe("done");
    },
  );
});
