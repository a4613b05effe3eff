import { beforeAll, describe, expect, test } from "bun:test";
import {
  complaintsOf,
  lead,
  newWindow,
  resize,
  signInto,
  strangersTo,
} from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { chooseInPreview, closeDialog } from "../../support/browser/drive-page.ts";
import { isFound, putFile } from "../../support/server/drives.ts";
import { provision, signUp } from "../../support/server/executable.ts";
import { inspect } from "../../support/browser/looks.ts";
import { askToBeLetIn, OAuthTestClient } from "../../support/peers/oauth.ts";
import { pageWeight } from "../../support/browser/page-weight.ts";
import { sessionIn } from "../../support/server/sign-in.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";

/** As long and as wide as a name may be. */
const LONG = "W".repeat(64);
const LONG_USERNAME = "w".repeat(32);

const { owner: ada, browser, server } = await openDashboard();
const page = await (await newWindow(browser, { baseURL: server.url })).newPage();
const strangers = strangersTo(page, server.url);
const complaints = complaintsOf(page);

/** Something to look at on every page; the ids of a file and of a webhook. */
async function fill() {
  await signUp(server, "bob");
  await signUp(server, LONG_USERNAME);
  const body = { name: "Field notes", description: "What we saw out there, day by day." };
  await ada.client.patch(`/v0/drives/${ada.drive}`, body);
  const { id: other } = await ada.client.makeDrive("<b>Markup</b> \u202Egnp.exe");
  const put = (path: string, content: string) =>
    ada.client.store(ada.drive, path, content, "&tags=river,2030");
  const file = await put("river/log.md", "# The river\n\nThe *river* is high, `3 m`.\n\n- boats\n- birds\n");
  await put("river/birds.csv", "bird,seen\nheron,3\nkingfisher,1\n");
  await put("readme.txt", "Everything about the river.");
  await ada.client.post("/v0/drives", { name: LONG, description: LONG });
  // Of what does not happen here: nothing is to be sent.
  const events = ["snapshot.*", "folder.deleted"];
  const hook = await ada.client.post<{ id: string }>("/v0/webhooks", {
    url: "https://agent.example/hook",
    events,
  });
  await ada.client.post("/v0/webhooks", {
    url: `https://agent.example/${LONG.repeat(20)}`,
    events: ["version.*"],
  });
  const keys = [
    { name: "Night shift", scope: "read-only", drive_id: ada.drive },
    { name: "Laptop", expires_at: new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString() },
    { name: LONG },
  ];
  let busy = "";
  for (const key of keys) busy = (await ada.client.makeKey(key)).key;
  // What the last one did since she was there.
  await server.client(busy).put(other, `${LONG}/${LONG}`, "x");
  const visits = "INSERT INTO drive_visit (drive, user, change, at) SELECT pk, user, 0, 0 FROM drive";
  changeDatabase(server.dataDir, `${visits} WHERE user IS NOT NULL`);
  // Ada lets an application in.
  const login = { body: { username: "ada", password: "ada's password" } };
  const cookie = `coffer_session=${sessionIn(await server.client().send("POST", "/auth/login", login))}`;
  const app = await OAuthTestClient.register(server, { client_name: "Example App" });
  await app.signIn({
    send: (method, path, options) =>
      server.client().send(method, path, { ...options, headers: { cookie, origin: server.url } }),
  });
  await isFound(ada, "river", 3);
  return { file, hook: hook.id };
}

/** A page, what it shows, and the button that opens a dialog on it, if one is looked at. */
type Visit = readonly [name: string, address: string, shows: string | RegExp, button?: string];

const { file, hook } = await fill();
const claim = `/claim/${(await provision(server)).claim}`;
// Where apps send people: one of a site, and one of this computer.
const consent = await askToBeLetIn(server.url, "https://app.example/callback", "Example App");
const consentOfComputer = await askToBeLetIn(server.url, "http://127.0.0.1/callback", LONG);

const SIGNED_OUT: readonly Visit[] = [
  ["sign-in", "/drives", "Password"],
  ["setup-used", "/auth/setup?token=used", /link/],
  ["claim-signed-out", claim, "Sign in to claim it"],
  ["consent-signed-out", consent, "Sign in to decide"],
  ["consent-unsafe", "/oauth/consent?problem=redirect", "This request is not safe"],
];

/** What looks as another one does; in a long run alone. */
const SIGNED_OUT_TOO: readonly Visit[] = [
  ["sign-in-failed", "/drives?sign_in=failed&request=one", "Request one"],
  ["claim-unknown", "/claim/clm_none", "This link is not valid"],
];

const SIGNED_IN: readonly Visit[] = [
  ["drives", "/drives", "Since your last visit"],
  ["drive", "/drives/ada/field-notes/", "readme.txt"],
  ["folder", "/drives/ada/field-notes/river/", "birds.csv"],
  ["preview", `/drives/ada/field-notes/river/?file=${file}`, "boats"],
  ["drive-none", "/drives/nobody/nothing/", "Page not found"],
  ["search", "/search", "What are you looking for?"],
  ["search-found", "/search?q=river&tags=2030", "3 files found"],
  ["keys", "/keys", "Night shift"],
  ["webhooks", "/webhooks", "folder.deleted"],
  ["webhook", `/webhooks?webhook=${hook}`, "Deliveries"],
  ["account", "/account", "All days"],
  ["users", "/users", "bob"],
  ["claim", claim, "Claim this drive"],
  ["consent", consent, "asked for it there just now"],
  ["drive-new", "/drives", "ada/field-notes", "New drive"],
  ["drive-delete-long", "/drives", "ada/field-notes", `Delete ${LONG}`],
  ["connect", "/keys", "Night shift", "Connect an agent"],
  ["key-revoke-long", "/keys", "Night shift", `Revoke ${LONG}`],
  ["server", "/server", "All days"],
  ["audit", "/audit", "made the key"],
  ["server-change", "/server", "What needs attention", "Change: Storage of an account"],
];

/** The same, with somebody signed in. */
const SIGNED_IN_TOO: readonly Visit[] = [
  ["nothing", "/drives/nobody", "Page not found"],
  ["search-nothing", "/search?q=nothing&type=image/*", "Nothing found"],
  ["webhook-new", "/webhooks", "folder.deleted", "New webhook"],
  ["consent-computer", consentOfComputer, "A program on this computer"],
  ["consent-over", "/oauth/consent?request=none", "This request is over"],
  ["drive-edit", "/drives", "ada/field-notes", "Edit Field notes"],
  ["drive-delete", "/drives", "ada/field-notes", "Delete Field notes"],
  ["key-revoke", "/keys", "Night shift", "Revoke Laptop"],
  ["account-everywhere", "/account", "This browser", "Sign out everywhere"],
  ["users-add", "/users", "bob", "Add user"],
  ["audit-none", "/audit?account=nobody", "Nothing found"],
];

/** The pages about the past of a drive, and about who may use it. */
async function visitsOfPast(): Promise<readonly Visit[]> {
  const { client } = ada;
  const { id: drive } = await client.makeDrive("Past");
  const log = await putFile(ada, drive, "river/log.md", "# The river\n\nIt is high.\n");
  const longFile = await putFile(ada, drive, `${LONG}/${LONG} \u202Egnp.exe`);
  const snapshots = `/v0/drives/${drive}/snapshots`;
  const { data } = await client.post<{ data: { id: string } }>(snapshots, { name: "Before the clean-up" });
  await client.post(snapshots, { name: LONG });
  await client.put(drive, "river/log.md", "# The river\n\nIt is low.\n", 200);
  await client.delete(`/v0/files/${longFile}`);
  await client.delete("/v0/folders", { drive_id: drive, path: `${LONG}/`, confirm: true });
  await client.post("/v0/links", { drive_id: drive, path: "river/", password: "through the mill" });
  await client.post("/v0/links", { drive_id: drive, path: "river/log.md" });
  await client.post("/v0/webhooks", {
    url: `https://agent.example/${LONG}`,
    events: ["version.*"],
    drive_id: drive,
  });
  await client.post(`/v0/drives/${drive}/members`, { username: "bob", role: "editor" });
  await client.post(`/v0/drives/${drive}/members`, { username: LONG_USERNAME, role: "reader" });
  const { id: empty } = await client.makeDrive("Empty");
  return [
    ["drive-empty", `/drives/${empty}/`, "This drive is empty"],
    ["trash-empty", `/trash?drive=${empty}`, "Nothing in the trash"],
    ["snapshots-none", `/snapshots?drive=${empty}`, "No snapshots yet"],
    ["links-none", `/links?drive=${empty}`, "No links"],
    ["members-none", `/members?drive=${empty}`, "Nobody else uses this drive"],
    ["trash", `/trash?drive=${drive}`, "Gone for good"],
    ["trash-delete", `/trash?drive=${drive}`, "Gone for good", `Delete ${LONG} for good`],
    ["activity", `/activity?drive=${drive}`, "Deleted the folder"],
    ["snapshots", `/snapshots?drive=${drive}`, "Before the clean-up"],
    ["snapshot-new", `/snapshots?drive=${drive}`, "Before the clean-up", "Take a snapshot"],
    ["snapshot-restore", `/snapshots?drive=${drive}`, "Before the clean-up", `Restore ${LONG}`],
    ["snapshot-inside", `/snapshots?drive=${drive}&inside=${data.id}`, "river"],
    ["snapshot-compare", `/snapshots?drive=${drive}&compare=${data.id}`, "river/log.md"],
    ["webhooks-of-drive", `/webhooks?drive=${drive}`, "Nothing sent yet"],
    ["links", `/links?drive=${drive}`, "Shows a folder"],
    ["link-revoke", "/links", "Shows a folder", "Revoke the link to river"],
    ["members", `/members?drive=${drive}`, "bob"],
    ["member-new", `/members?drive=${drive}`, "bob", "Add member"],
    ["member-remove", `/members?drive=${drive}`, "bob", "Remove bob"],
    ["versions", `/drives/${drive}/river/?file=${log}`, "It is low."],
  ];
}

const [moreSignedOut, moreSignedIn] = isThorough()
  ? [SIGNED_OUT_TOO, [...SIGNED_IN_TOO, ...(await visitsOfPast())]]
  : [[], []];

/** Leads the page to an address, and waits until it shows what it is about. */
async function visit(address: string, shows: string | RegExp): Promise<void> {
  await lead(page, address);
  await page.getByText(shows).first().waitFor();
}

describe("with nobody signed in, axe finds nothing", () => {
  test.each([...SIGNED_OUT, ...moreSignedOut])("%s", async (name, address, shows) => {
    // What came before is told to who loads the page.
    await page.goto(address);
    await page.getByText(shows).first().waitFor();
    expect(await inspect(page, name)).toEqual([]);
  });
});

describe("with somebody signed in, axe finds nothing", () => {
  beforeAll(async () => {
    await signInto(page.context(), server.url, "ada");
    await page.reload();
  });

  for (const [name, address, shows, button] of [...SIGNED_IN, ...moreSignedIn]) {
    test(name, async () => {
      await visit(address, shows);
      if (button !== undefined) {
        await page.getByRole("button", { name: button, exact: true }).first().click();
        await page.getByRole("dialog").last().waitFor();
      }
      if (name === "versions") {
        await chooseInPreview(page, "Versions");
        await page.getByRole("button", { name: /^Compare version 1/ }).click();
        await page.getByRole("region", { name: /^From version 1/ }).waitFor();
      }
      expect(await inspect(page, name)).toEqual([]);
      if (name === "versions") {
        await page.keyboard.press("Escape");
        await page.locator("dialog").nth(1).waitFor({ state: "detached" });
      }
      if (button !== undefined || name === "versions") await closeDialog(page);
    });
  }

  test("the tabs of a drive stay at their place from page to page, in one row", async () => {
    const tabs = page.getByRole("navigation", { name: "This drive" });
    for (const width of [1280, 900]) {
      await resize(page, width, 800);
      await visit("/drives/ada/field-notes/", "readme.txt");
      const before = await tabs.boundingBox();
      expect(before?.height).toBeLessThan(50);
      await visit(`/members?drive=${ada.drive}`, "Nobody else uses this drive");
      expect(await tabs.boundingBox()).toEqual(before);
    }
  });

  longTest("users-delete", async () => {
    await visit("/users", "bob");
    await page.getByRole("button", { name: "Actions for bob" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    expect(await inspect(page, "users-delete")).toEqual([]);
    await closeDialog(page);
  });

  test("palette, palette-found, shortcuts", async () => {
    await visit("/drives/ada/field-notes/", "readme.txt");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: LONG }).waitFor();
    expect(await inspect(page, "palette")).toEqual([]);
    await page.keyboard.type("river");
    await page.getByRole("option", { name: "birds.csv" }).waitFor();
    expect(await inspect(page, "palette-found")).toEqual([]);
    await closeDialog(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await inspect(page, "shortcuts")).toEqual([]);
    await closeDialog(page);
  });

  test("connect-key, connect-sign-in", async () => {
    await visit("/keys?connect", "Create key");
    await page.getByLabel("Agent", { exact: true }).selectOption("Your own program");
    await page.getByLabel("Only one folder of it").check();
    await page.getByRole("tree").waitFor();
    expect(await inspect(page, "connect-folder")).toEqual([]);
    await page.getByLabel("Only one folder of it").uncheck();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Waiting for the first request").waitFor();
    expect(await inspect(page, "connect-key")).toEqual([]);
    await page.getByLabel("Agent", { exact: true }).selectOption("ChatGPT");
    expect(await inspect(page, "connect-sign-in")).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();
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
    `navigator.serviceWorker.register("/offline-worker.js")`,
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
    ...Array<string>(6).fill("require-trusted-types-for"),
    ...Array<string>(2).fill("trusted-types"),
  ]);
});

test("script and style together are small, as the browser gets them", async () => {
  expect(await pageWeight(server.url)).toBeLessThan(120 * 1024);
});
