import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { hold, onlyPageOf, signInAt, signInto } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { enter, upload } from "../../support/browser/drive-page.ts";
import { signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest, someOf } from "../../support/server/thorough.ts";

// Who is signed in: in two tabs, and when that ends.

const dashboard = await openDashboard();
const { paths } = dashboard;
await signUp(dashboard.server, "bob");

async function signIn(page: Page, username: string): Promise<void> {
  await signInAt(page, username);
  await page.getByRole("link", { name: username }).waitFor();
}

/** A page of Ada's at an address, in a window of its own, which is closed at the end of its scope. */
async function adasPage(address: string): Promise<Page & AsyncDisposable> {
  const page = await onlyPageOf(await dashboard.windowOf("ada"));
  await page.goto(address);
  await page.getByRole("link", { name: "ada" }).waitFor();
  return page;
}

/** Ada's page with an upload on its way, once her sessions have ended. */
async function cutOff(filename: string): Promise<Page & AsyncDisposable> {
  const page = await adasPage(`/drives/${dashboard.owner.drive}/`);
  const held = await hold(page, "PUT", /\/v0\/files\?/);
  const files = [`${filename}-1`, `${filename}-2`, `${filename}-3`, `${filename}-4`];
  await upload(page, files);
  await page.getByText("0 of 4").first().waitFor();
  await dashboard.owner.client.delete("/v0/sessions");
  held.release();
  await page.getByRole("heading", { name: "Sign in again" }).waitFor();
  expect(await page.getByText(filename).count()).toBe(0);
  return page;
}

/** Sends a page's form for a key. The sessions end while it is on its way, so nothing else finds that out first. */
async function sendCutOff(page: Page): Promise<void> {
  const held = await hold(page, "POST", /\/v0\/keys$/);
  const sent = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/v0/keys"),
  );
  await page.getByRole("button", { name: "Create key" }).click();
  await sent;
  await dashboard.owner.client.delete("/v0/sessions");
  held.release();
}

/** Ada's page of keys with a name typed in a dialog, which she sends once her sessions have ended. */
async function endedAmidForm(name: string): Promise<Page & AsyncDisposable> {
  const page = await adasPage("/keys");
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.getByRole("textbox", { name: /^Name/ }).fill(name);
  await sendCutOff(page);
  await page.getByRole("heading", { name: "Sign in again" }).waitFor();
  return page;
}

/** How many keys of Ada's have this name. */
async function keysNamed(wanted: string): Promise<number> {
  const keys = await dashboard.owner.client.get<{ name: string }[]>("/v0/keys");
  return keys.filter(({ name }) => name === wanted).length;
}

describe("two tabs", () => {
  test("show the same user, whoever signs in in one of them", async () => {
    await using page = await adasPage("/drives");
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Ada's plans");
    // Where drafts of what she wrote are kept.
    await page.evaluate(`new Promise((done) => {
      indexedDB.open("coffer-drafts").onsuccess = ({ target }) => done(target.result.close());
    })`);
    const other = await page.context().newPage();
    await other.goto("/account");
    await other.getByRole("button", { name: "Sign out of this browser" }).click();
    // What was open in the first tab is gone: it was Ada's.
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await eventually(
      async () => (await page.evaluate("indexedDB.databases().then((all) => all.length)")) === 0,
    );
    await signIn(other, "bob");
    await page.getByRole("link", { name: "bob" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  longTest("show the same user, also where one was asking who that is when it became another", async () => {
    await using other = await adasPage("/account");
    const page = await other.context().newPage();
    const [answered, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    await page.route("**/v0/account", async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const response = await route.fetch();
      answered.resolve();
      await changed.promise;
      return route.fulfill({ response });
    });
    await page.goto("/drives");
    await answered.promise;
    await other.getByRole("button", { name: "Sign out of this browser" }).click();
    await signIn(other, "bob");
    changed.resolve();
    await page.getByRole("link", { name: "bob" }).waitFor();
  });
});

test("an answer that does not come to who is signed in takes neither the page nor its uploads away", async () => {
  await using page = await adasPage(`/drives/${dashboard.owner.drive}/`);
  const held = await hold(page, "PUT", /\/v0\/files\?/);
  await upload(page, ["slow.txt"]);
  const busy = { error: { code: "RATE_LIMITED", message: "Too many requests." } };
  await page.route("**/v0/account", (route) => route.fulfill({ status: 429, json: busy }));
  await page.route("**/v0/search?*", (route) => route.fulfill({ status: 401, json: busy }));
  const asked = page.waitForResponse("**/v0/account");
  await page.getByRole("link", { name: "Search" }).click();
  await enter(page.getByRole("searchbox", { name: "Search terms" }), "x");
  await asked;
  held.release();
  await page.getByRole("heading", { name: "Search" }).waitFor();
  await eventually(async () => (await paths(dashboard.owner.drive, "slow.txt")).length === 1);
});

describe("a session that ends during an upload", () => {
  test("goes on with it when the same user signs in again", async () => {
    await using page = await cutOff("kept");
    await signIn(page, "ada");
    await page.getByText("4 files uploaded").first().waitFor();
    expect(await paths(dashboard.owner.drive, "kept")).toHaveLength(4);
  });

  test("leaves nothing of it to somebody else", async () => {
    await using page = await cutOff("dropped");
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));
    await signIn(page, "bob");
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await page.getByRole("region", { name: "Uploads" }).count()).toBe(0);
    expect(sent).toEqual([]);
    expect(await paths(dashboard.owner.drive, "dropped")).toHaveLength(0);
  });
});

describe("a session that ends while a dialog is open", () => {
  test("is begun again over it, and what was sent is done", async () => {
    await using page = await endedAmidForm("Kept");
    const field = page.getByLabel(/^Password/);
    await page.locator("input[type=password]:focus").waitFor();
    // It is no way out.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await enter(field, "wrong");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await keysNamed("Kept")).toBe(0);
    await enter(field, "ada's password");
    await page.getByText("Waiting for the first request").waitFor();
    expect(await keysNamed("Kept")).toBe(1);
  });

  longTest("is begun again in another tab, as where only a provider signs in", async () => {
    await using page = await adasPage("/keys");
    await page.route("**/auth/options", (route) =>
      route.fulfill({ json: { setup: false, signups: true, provider: { name: "Example" } } }),
    );
    await page.getByRole("button", { name: "Connect an agent" }).click();
    const field = page.getByRole("textbox", { name: /^Name/ });
    await field.fill("Elsewhere");
    await sendCutOff(page);
    const way = page.getByRole("link", { name: "Sign in with Example in a new tab" });
    expect(await way.getAttribute("target")).toBe("_blank");
    await page.getByText("Come back to this tab").waitFor();
    await signInto(page.context(), dashboard.server.url, "ada");
    await (await page.context().newPage()).goto("/drives");
    await page.getByText("Waiting for the first request").waitFor();
    expect(await keysNamed("Elsewhere")).toBe(1);
  });

  const hows: readonly (readonly [how: string, leave: boolean])[] = [
    ["there", false],
    ["after it was left", true],
  ];
  test.each(someOf(hows, 2))("leaves nothing of it to somebody else who signs in %s", async (how, leave) => {
    await using page = await endedAmidForm(`Lost ${how}`);
    if (leave) await page.getByRole("button", { name: "Use another account" }).click();
    if (leave) await page.getByRole("dialog").first().waitFor({ state: "detached" });
    await signIn(page, "bob");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await keysNamed(`Lost ${how}`)).toBe(0);
  });
});
