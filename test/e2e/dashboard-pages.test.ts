import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { type Server, provision, serve, signUp } from "../support/executable.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

setDefaultTimeout(60_000);

const SCREENSHOTS = resolve(import.meta.dir, "../screenshots");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Script and style together, as they are sent. */
const MOST_BYTES = 120 * 1024;

const LOOKS = [
  { look: "light", colorScheme: "light", width: 1280 },
  { look: "dark", colorScheme: "dark", width: 1280 },
  { look: "phone", colorScheme: "light", width: 360 },
  { look: "phone-dark", colorScheme: "dark", width: 360 },
  // Between and beyond, where only the room changes.
  { look: "tablet", colorScheme: "light", width: 768, isOnlyFitted: true },
  { look: "4k", colorScheme: "light", width: 3840, isOnlyFitted: true },
] as const;

/** As long and as wide as a name may be. */
const LONG = "W".repeat(64);

let directory: TemporaryDirectory;
let server: Server;
let browser: Browser;
let page: Page;
/** What the addresses of the pages are made of. */
let made: { readonly file: string; readonly claim: string };
const strangers: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await serve({ dataDir: directory.path });
  made = await fill();
  await mkdir(SCREENSHOTS, { recursive: true });
  browser = await launchBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${server.url}/`) && !/^(?:data|blob):/.test(url)) strangers.push(url);
  });
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** Something to look at on every page. */
async function fill(): Promise<typeof made> {
  const ada = await signUp(server, "ada");
  await signUp(server, "bob");
  const body = { name: "Field notes", description: "What we saw out there, day by day." };
  await ada.client.json(200, "PATCH", `/v0/drives/${ada.drive}`, { body });
  await ada.client.json(201, "POST", "/v0/drives", { body: { name: "<b>Markup</b> \u202Egnp.exe" } });
  const put = (path: string, content: string) =>
    ada.client.json<{ id: string }>(
      201,
      "PUT",
      `/v0/files?drive_id=${ada.drive}&path=${path}&tags=river,2030`,
      { body: content },
    );
  const { id } = await put(
    "river/log.md",
    "# The river\n\nThe *river* is high, `3 m`.\n\n- boats\n- birds\n",
  );
  await put("river/birds.csv", "bird,seen\nheron,3\nkingfisher,1\n");
  await put("readme.txt", "Everything about the river.");
  await ada.client.json(201, "POST", "/v0/drives", { body: { name: LONG, description: LONG } });
  const keys = [
    { name: "Night shift", scope: "read-only", drive_id: ada.drive },
    { name: "Laptop" },
    { name: LONG },
  ];
  for (const key of keys) await ada.client.json(201, "POST", "/v0/keys", { body: key });
  await provision(server);
  await signUp(server, "w".repeat(32));
  const unclaimed = await server
    .client()
    .json<{ data: { claim_url: string } }>(201, "POST", "/v0/drives/provision", {
      body: { name: "An agent's" },
    });
  return { file: id, claim: new URL(unclaimed.data.claim_url).pathname };
}

/** Goes to a page and waits until it shows what it is about. */
async function visit(path: string, shows: string | RegExp): Promise<void> {
  await page.goto(server.url + path);
  await page.getByText(shows).first().waitFor();
}

/** A picture of the page in each look, and what axe finds in it. */
async function inspect(name: string): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const { look, colorScheme, width, ...more } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 844 });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`), fullPage: true });
    const violations = "isOnlyFitted" in more ? [] : await findings();
    const wider = await page.evaluate<
      string[]
    >(`[document.documentElement, ...document.querySelectorAll("dialog")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ tagName, scrollWidth, clientWidth }) => tagName + " needs " + scrollWidth + " pixels of " + clientWidth)`);
    found.push(...[...violations, ...wider].map((problem) => `${look}: ${problem}`));
  }
  return found;
}

/** What axe finds in the page as it is. */
function findings(): Promise<string[]> {
  return page.evaluate<string[]>(`axe
    .run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ["violations"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`);
}

type Visit = readonly [name: string, path: () => string, shows: string | RegExp];

const SIGNED_OUT: readonly Visit[] = [
  ["sign-in", () => "/drives", "Password"],
  ["sign-in-failed", () => "/drives?sign_in=failed&request=one", "Request one"],
  ["setup-used", () => "/auth/setup?token=used", /link/],
  ["claim-signed-out", () => made.claim, "Sign in to claim it"],
  ["claim-unknown", () => "/claim/clm_none", "No drive belongs to this link"],
];

const SIGNED_IN: readonly Visit[] = [
  ["drives", () => "/drives", "ada/field-notes"],
  ["nothing", () => "/drives/nobody", "There is nothing here"],
  ["drive", () => "/drives/ada/field-notes/", "readme.txt"],
  ["folder", () => "/drives/ada/field-notes/river/", "birds.csv"],
  ["preview", () => `/drives/ada/field-notes/river/?file=${made.file}`, "boats"],
  ["drive-none", () => "/drives/nobody/nothing/", "There is nothing here"],
  ["search", () => "/search", "What are you looking for?"],
  ["search-found", () => "/search?q=river&tags=2030", "3 files found"],
  ["search-nothing", () => "/search?q=nothing&type=image/*", "Nothing found"],
  ["keys", () => "/keys", "Night shift"],
  ["account", () => "/account", "this browser"],
  ["people", () => "/people", "bob"],
  ["claim", () => made.claim, "Claim this drive"],
];

/** What opens a dialog on a page. */
const DIALOGS: readonly (readonly [name: string, path: string, button: string | RegExp])[] = [
  ["drive-new", "/drives", "New drive"],
  ["drive-edit", "/drives", "Rename or describe Field notes"],
  ["drive-delete", "/drives", "Delete Field notes"],
  ["drive-delete-long", "/drives", `Delete ${LONG}`],
  ["key-new", "/keys", "New key"],
  ["key-revoke", "/keys", "Revoke Laptop"],
  ["key-revoke-long", "/keys", `Revoke ${LONG}`],
  ["account-everywhere", "/account", "Sign out everywhere"],
  ["people-add", "/people", "Add somebody"],
  ["people-disable", "/people", "Disable bob"],
];

describe("with nobody signed in, axe finds nothing", () => {
  test.each(SIGNED_OUT)("%s", async (name, path, shows) => {
    await visit(path(), shows);
    expect(await inspect(name)).toEqual([]);
  });
});

describe("with somebody signed in, axe finds nothing", () => {
  beforeAll(async () => {
    const data = { username: "ada", password: "ada's password" };
    const headers = { origin: server.url };
    const answer = await page.context().request.post(`${server.url}/auth/login`, { data, headers });
    expect(answer.status()).toBe(200);
  });

  test.each(SIGNED_IN)("%s", async (name, path, shows) => {
    await visit(path(), shows);
    expect(await inspect(name)).toEqual([]);
  });

  test.each(DIALOGS)("%s", async (name, path, button) => {
    await page.goto(server.url + path);
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("dialog").waitFor();
    expect(await inspect(name)).toEqual([]);
  });

  test("key-made", async () => {
    await visit("/keys", "Night shift");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByText("Instructions for an agent").click();
    expect(await inspect("key-made")).toEqual([]);
  });
});

test("no page asked another host, or did what its policy forbids", () => {
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
});

test("script and style are small, as the browser gets them", async () => {
  const html = await (await fetch(server.url)).text();
  const files = [...html.matchAll(/(?:href|src)="([^"]+\.(?:js|css))"/g)].map(([, link]) => link ?? "");
  expect(files.length).toBeGreaterThanOrEqual(2);
  let bytes = 0;
  for (const file of files) {
    const answer = await fetch(server.url + file, {
      decompress: false,
      headers: { "accept-encoding": "gzip" },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    bytes += (await answer.bytes()).length;
  }
  expect(bytes).toBeLessThan(MOST_BYTES);
});
