import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { complaintsOf, lead, newWindow, signInto, strangersTo } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog } from "../../support/browser/drive-page.ts";
import { isFound } from "../../support/server/drives.ts";
import { provision, signUp } from "../../support/server/executable.ts";
import { inspect } from "../../support/browser/looks.ts";
import { askToBeLetIn, OAuthTestClient } from "../../support/peers/oauth.ts";
import { pageWeight } from "../../support/browser/page-weight.ts";
import { sessionIn } from "../../support/server/sign-in.ts";

/** Script and style together, as they are sent. */
const MOST_BYTES = 120 * 1024;

/** As long and as wide as a name may be. */
const LONG = "W".repeat(64);

const dashboard = openDashboard();
let page: Page;
/** What the addresses of the pages are made of. */
let made: {
  readonly file: string;
  readonly claim: string;
  /** Where apps send people: one of a site, and one of this computer. */
  readonly consent: readonly [string, string];
};
let strangers: string[];
let complaints: string[];

beforeAll(async () => {
  made = await fill();
  const context = await newWindow(dashboard.browser, { baseURL: dashboard.server.url });
  page = await context.newPage();
  strangers = strangersTo(page, dashboard.server.url);
  complaints = complaintsOf(page);
});

/** Something to look at on every page. */
async function fill(): Promise<typeof made> {
  const { owner: ada, server } = dashboard;
  await signUp(server, "bob");
  const body = { name: "Field notes", description: "What we saw out there, day by day." };
  await ada.client.patch(`/v0/drives/${ada.drive}`, body);
  await ada.client.makeDrive("<b>Markup</b> \u202Egnp.exe");
  const put = (path: string, content: string) =>
    ada.client.store(ada.drive, path, content, "&tags=river,2030");
  const file = await put("river/log.md", "# The river\n\nThe *river* is high, `3 m`.\n\n- boats\n- birds\n");
  await put("river/birds.csv", "bird,seen\nheron,3\nkingfisher,1\n");
  await put("readme.txt", "Everything about the river.");
  await ada.client.post("/v0/drives", { name: LONG, description: LONG });
  const keys = [
    { name: "Night shift", scope: "read-only", drive_id: ada.drive },
    { name: "Laptop", expires_at: new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString() },
    { name: LONG },
  ];
  for (const key of keys) await ada.client.makeKey(key);
  await letAppIn();
  await isFound(ada, "river", 3);
  await signUp(server, "w".repeat(32));
  const { claim } = await provision(server);
  const consent = await Promise.all([
    askToBeLetIn(server.url, "https://app.example/callback", "Example App"),
    askToBeLetIn(server.url, "http://127.0.0.1/callback", LONG),
  ]);
  return { file, claim: `/claim/${claim}`, consent };
}

/** Lets an application in, as Ada does. */
async function letAppIn(): Promise<void> {
  const { server } = dashboard;
  const body = { username: "ada", password: "ada's password" };
  const cookie = `coffer_session=${sessionIn(await server.client().send("POST", "/auth/login", { body }))}`;
  const app = await OAuthTestClient.register(server, { client_name: "Example App" });
  await app.signIn({
    send: (method, path, options) =>
      server.client().send(method, path, { ...options, headers: { cookie, origin: server.url } }),
  });
}

/** Goes to a page and waits until it shows what it is about. */
async function visit(path: string, shows: string | RegExp): Promise<void> {
  await lead(page, path);
  await page.getByText(shows).first().waitFor();
}

type Visit = readonly [name: string, path: () => string, shows: string | RegExp];

const SIGNED_OUT: readonly Visit[] = [
  ["sign-in", () => "/drives", "Password"],
  ["sign-in-failed", () => "/drives?sign_in=failed&request=one", "Request one"],
  ["setup-used", () => "/auth/setup?token=used", /link/],
  ["claim-signed-out", () => made.claim, "Sign in to claim it"],
  ["consent-signed-out", () => made.consent[0], "Sign in to decide"],
  ["consent-unsafe", () => "/oauth/consent?problem=redirect", "This request is not safe"],
  ["claim-unknown", () => "/claim/clm_none", "This link is not valid"],
];

const SIGNED_IN: readonly Visit[] = [
  ["drives", () => "/drives", "ada/field-notes"],
  ["nothing", () => "/drives/nobody", "Page not found"],
  ["drive", () => "/drives/ada/field-notes/", "readme.txt"],
  ["folder", () => "/drives/ada/field-notes/river/", "birds.csv"],
  ["preview", () => `/drives/ada/field-notes/river/?file=${made.file}`, "boats"],
  ["drive-none", () => "/drives/nobody/nothing/", "Page not found"],
  ["search", () => "/search", "What are you looking for?"],
  ["search-found", () => "/search?q=river&tags=2030", "3 files found"],
  ["search-nothing", () => "/search?q=nothing&type=image/*", "Nothing found"],
  ["keys", () => "/keys", "Night shift"],
  ["account", () => "/account", "This browser"],
  ["users", () => "/users", "bob"],
  ["claim", () => made.claim, "Claim this drive"],
  ["consent", () => made.consent[0], "asked for it there just now"],
  ["consent-computer", () => made.consent[1], "A program on this computer"],
  ["consent-over", () => "/oauth/consent?request=none", "This request is over"],
];

/** What opens a dialog on a page. */
const DIALOGS: readonly (readonly [name: string, path: string, button: string | RegExp])[] = [
  ["drive-new", "/drives", "New drive"],
  ["drive-edit", "/drives", "Edit Field notes"],
  ["drive-delete", "/drives", "Delete Field notes"],
  ["drive-delete-long", "/drives", `Delete ${LONG}`],
  ["key-new", "/keys", "New key"],
  ["key-revoke", "/keys", "Revoke Laptop"],
  ["key-revoke-long", "/keys", `Revoke ${LONG}`],
  ["account-everywhere", "/account", "Sign out everywhere"],
  ["users-add", "/users", "Add user"],
  ["users-disable", "/users", "Disable bob"],
];

describe("with nobody signed in, axe finds nothing", () => {
  test.each(SIGNED_OUT)("%s", async (name, path, shows) => {
    // What came before is told to who loads the page.
    await page.goto(path());
    await page.getByText(shows).first().waitFor();
    expect(await inspect(page, name)).toEqual([]);
  });
});

describe("with somebody signed in, axe finds nothing", () => {
  beforeAll(async () => {
    await signInto(page.context(), dashboard.server.url, "ada");
    await page.reload();
  });

  test.each(SIGNED_IN)("%s", async (name, path, shows) => {
    await visit(path(), shows);
    expect(await inspect(page, name)).toEqual([]);
  });

  test.each(DIALOGS)("%s", async (name, path, button) => {
    await lead(page, path);
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("dialog").waitFor();
    expect(await inspect(page, name)).toEqual([]);
    await closeDialog(page);
  });

  test("key-made", async () => {
    await visit("/keys", "Night shift");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Instructions for an agent").click();
    await page.getByText("VS Code").click();
    expect(await inspect(page, "key-made")).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();
  });

  test("key-clients", async () => {
    await visit("/keys", "Night shift");
    await page.getByText("ChatGPT").click();
    await page.getByText("Claude Code").click();
    expect(await inspect(page, "key-clients")).toEqual([]);
  });
});

test("no page asked another host, or did what its policy forbids", () => {
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
});

test("no text becomes markup or a script of the page, whatever its own scripts do", async () => {
  await visit("/claim/clm_none", "This link is not valid");
  await page.evaluate(`document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
    (window.violations ??= []).push(effectiveDirective);
  })`);
  const attempts = [
    `document.querySelector("main").innerHTML = "<b id=made>"`,
    `new DOMParser().parseFromString("<b id=made>", "text/html")`,
    `new Worker("/markdown-worker.js")`,
    `new Worker("/other.js")`,
    `document.createElement("script").text = "1"`,
    `trustedTypes.createPolicy("other", {})`,
    `trustedTypes.createPolicy("default", {})`,
  ];
  for (const attempt of attempts) {
    const done = page.evaluate(`{ ${attempt} }`).then(
      () => "done",
      (error: unknown) => String(error),
    );
    expect([attempt, await done]).toEqual([attempt, expect.stringContaining("TypeError")]);
  }
  expect(await page.locator("#made").count()).toBe(0);
  expect(await page.evaluate<string[]>("window.violations")).toEqual([
    ...Array.from({ length: 5 }, () => "require-trusted-types-for"),
    ...Array.from({ length: 2 }, () => "trusted-types"),
  ]);
});

test("script and style are small, as the browser gets them", async () => {
  expect(await pageWeight(dashboard.server.url)).toBeLessThan(MOST_BYTES);
});
