import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { accessibilityProblems } from "../support/axe.ts";
import { launchBrowser } from "../support/browser.ts";
import { type Agent, type Server, serve, signUp } from "../support/executable.ts";
import { addManyFiles } from "../support/many-files.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

setDefaultTimeout(60_000);

const HOSTILE = `<img src=x onerror="document.title='ran'">.html`;
const OVERRIDE = "photo\u202egpj.exe";

let directory: TemporaryDirectory;
let server: Server;
let browser: Browser;
let context: BrowserContext;
let alice: Agent;

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await serve({ dataDir: directory.path });
  alice = await signUp(server, "alice");
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(10_000);
  const signedIn = await context.request.post(`${server.url}/auth/login`, {
    data: { username: "alice", password: "alice's password" },
    headers: { origin: server.url },
  });
  expect(signedIn.status()).toBe(200);
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** A new drive of alice's with these files, each holding as many bytes as given. */
async function driveWith(
  name: string,
  files: Readonly<Record<string, number>>,
): Promise<Record<string, string>> {
  const { data } = await alice.client.json<{ data: { id: string; slug: string } }>(
    201,
    "POST",
    "/v0/drives",
    {
      body: { name },
    },
  );
  const ids: Record<string, string> = { drive: data.id };
  for (const [path, size] of Object.entries(files)) {
    const query = new URLSearchParams({ drive_id: data.id, path });
    const body = "x".repeat(size);
    const file = await alice.client.json<{ id: string }>(201, "PUT", `/v0/files?${query.toString()}`, {
      body,
    });
    ids[path] = file.id;
  }
  return ids;
}

async function paths(drive: string, folder = ""): Promise<string[]> {
  const query = new URLSearchParams({ drive_id: drive, prefix: folder, limit: "1000" });
  const { data } = await alice.client.json<{ data: { path: string }[] }>(
    200,
    "GET",
    `/v0/files?${query.toString()}`,
  );
  return data.map(({ path }) => path);
}

/** A page at an address, which must not report any error. */
async function open(address: string): Promise<Page & AsyncDisposable> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(server.url + address);
  return Object.assign(page, {
    [Symbol.asyncDispose]: async () => {
      await page.close();
      expect(complaints).toEqual([]);
    },
  });
}

function row(page: Page, name: string) {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
}

/** What stands in the list, from the top. */
function names(page: Page): Promise<string[]> {
  return page.locator(".file-row .name").allTextContents();
}

test("folders are places with addresses; back and forward lead through them", async () => {
  await driveWith("Places", { "a.txt": 1, "notes/2030/plan.md": 2, "ünï & #1/%41.txt": 3 });
  await using page = await open("/drives/alice/places");
  await row(page, "a.txt").waitFor();
  expect(await names(page)).toEqual(["notes", "ünï & #1", "a.txt"]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("link", { name: "notes" }).click();
  await page.getByRole("link", { name: "2030" }).click();
  await row(page, "plan.md").waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives/alice/places/notes/2030/");
  await page.goBack();
  await row(page, "2030").waitFor();
  await page.goForward();
  await row(page, "plan.md").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("2030");
  await page.getByRole("navigation", { name: "Folders above" }).getByRole("link", { name: "Places" }).click();
  await page.getByRole("link", { name: "ünï & #1" }).click();
  await row(page, "%41.txt").waitFor();
  await page.reload();
  await row(page, "%41.txt").waitFor();
  await page.getByRole("link", { name: "%41.txt" }).click();
  await page.waitForURL(/\?file=[0-9a-f-]{36}$/);
  await page.goto(`${server.url}/drives/alice/places/nowhere/`);
  await page.getByText("There is no such folder").waitFor();
});

test("names with markup and right-to-left overrides stay text and show what they are", async () => {
  await driveWith("Hostile", { [HOSTILE]: 1, [OVERRIDE]: 1 });
  await using page = await open("/drives/alice/hostile/");
  await row(page, HOSTILE).waitFor();
  expect(await names(page)).toEqual([HOSTILE, "photoU+202Egpj.exe"]);
  await row(page, HOSTILE).click({ position: { x: 600, y: 20 } });
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: `Delete “${HOSTILE}”?` }).waitFor();
  await closeDialog(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: "Delete 2 items?" }).waitFor();
  await closeDialog(page);
  await page.getByLabel(`Select ${HOSTILE}`).click();
  await page.keyboard.press("Delete");
  await page.getByRole("heading", { name: "Delete “photo⟨U+202E⟩gpj.exe”?" }).waitFor();
  expect(await page.title()).toBe("Hostile · Coffer");
});

describe("by keyboard", () => {
  test("rows are gone through, selected, opened, renamed and deleted", async () => {
    const { drive = "" } = await driveWith("Keyboard", {
      "a.txt": 1,
      "b.txt": 2,
      "c.txt": 3,
      "d/e.txt": 4,
      "d/f.txt": 5,
    });
    await using page = await open("/drives/alice/keyboard/");
    await row(page, "a.txt").waitFor();
    const focused = () => page.locator(".file-row:focus .name").textContent();
    const selected = () => page.locator(".file-row[aria-selected=true] .name").allTextContents();

    await row(page, "d").focus();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("a.txt");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    expect(await selected()).toEqual(["a.txt", "b.txt"]);
    await page.keyboard.press("Escape");
    expect(await selected()).toEqual([]);
    await page.keyboard.press("F2");
    await page.getByLabel("Name", { exact: true }).fill("z.txt");
    await page.keyboard.press("Enter");
    await row(page, "z.txt").waitFor();
    // The focus comes back from the dialog by itself.
    await focused();
    await page.keyboard.press("Home");
    expect(await focused()).toBe("d");
    await page.keyboard.press("Enter");
    await row(page, "e.txt").waitFor();
    expect(await focused()).toBe("e.txt");
    await page.goBack();
    await row(page, "z.txt").waitFor();
    expect(await focused()).toBe("d");
    await page.keyboard.press("Delete");
    await page.getByText("1 folder with 2 files in it will be gone for good.").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).last().click();
    await row(page, "d").waitFor({ state: "detached" });
    expect(await paths(drive)).toEqual(["a.txt", "c.txt", "z.txt"]);

    await page.keyboard.press("/");
    await page.keyboard.type("plan");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${server.url}/search?drive=${drive}&q=plan`);
    await page.goBack();
    await row(page, "a.txt").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?file=/);
  });
});

test("folders are made, and files and folders moved, copied and renamed", async () => {
  const { drive = "" } = await driveWith("Tidy", {
    "a.txt": 1,
    "b.txt": 2,
    "old/deep/c.txt": 3,
    "old/d.txt": 4,
  });
  await using page = await open("/drives/alice/tidy/");
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByLabel("Name", { exact: true }).fill("a/b");
  await page.keyboard.press("Enter");
  await page.getByText('A name cannot hold "/" or "\\".').waitFor();
  await page.getByLabel("Name", { exact: true }).fill("box");
  await page.keyboard.press("Enter");
  await row(page, "box").waitFor();

  await page.getByLabel("Select a.txt").click();
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").getByRole("treeitem", { name: "box" }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Move here" }).click();
  await row(page, "a.txt").waitFor({ state: "detached" });

  await page.getByLabel("Select b.txt").click();
  await page.getByLabel("Select old").click();
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("textbox", { name: /^Folder/ }).fill("box/new");
  await page.getByRole("button", { name: "Copy here" }).click();
  await page.getByText("Copied 2 items.").waitFor();

  await row(page, "old").click({ position: { x: 600, y: 20 } });
  await page.keyboard.press("F2");
  await page.getByLabel("Name", { exact: true }).fill("older");
  await page.keyboard.press("Enter");
  await row(page, "older").waitFor();
  expect(await paths(drive)).toEqual([
    "b.txt",
    "box/a.txt",
    "box/new/b.txt",
    "box/new/old/d.txt",
    "box/new/old/deep/c.txt",
    "older/d.txt",
    "older/deep/c.txt",
  ]);

  // What is taken stays, and is named.
  await page.getByLabel("Select b.txt").click();
  await page.getByLabel("Select older").click();
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("textbox", { name: /^Folder/ }).fill("box/new");
  await page.getByRole("button", { name: "Copy here" }).click();
  await page.getByText("1 item stayed as it was:").waitFor();
  await page.getByRole("button", { name: "Close" }).click();

  // A folder goes whole or not at all.
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.getByLabel("Select older").click();
  const moveTo = async (folder: string) => {
    await page.getByRole("button", { name: "Move" }).click();
    await page.getByRole("textbox", { name: /^Folder/ }).fill(folder);
    await page.getByRole("button", { name: "Move here" }).click();
  };
  for (const taken of ["box/new", "older/deep"]) {
    await moveTo(taken);
    await page.getByText("1 item stayed as it was:").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
  }
  expect(await paths(drive, "older/")).toEqual(["older/d.txt", "older/deep/c.txt"]);
  await moveTo("box/moved");
  await page.getByText("Moved “older”.").waitFor();
  expect(await paths(drive, "older/")).toEqual([]);
  expect(await paths(drive, "box/moved/")).toEqual(["box/moved/older/d.txt", "box/moved/older/deep/c.txt"]);
});

/** What the server answers to who asks too often. */
function tooEarly(seconds: number) {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    json: { error: { code: "RATE_LIMITED", message: "Too many requests" } },
  };
}

test("work waits when the server asks for it, goes on, and can be stopped", async () => {
  const { drive = "" } = await driveWith("Patience", { "a.txt": 1, "b.txt": 1, "to/c.txt": 1 });
  await using page = await open("/drives/alice/patience/");
  const startMoving = async (name: string) => {
    await page.getByLabel(`Select ${name}`).click();
    await page.getByRole("button", { name: "Move" }).click();
    await page.getByRole("dialog").getByRole("treeitem", { name: "to" }).click();
    await page.getByRole("button", { name: "Move here" }).click();
  };
  await page.route("**/v0/files/*/move", (route) => route.fulfill(tooEarly(1)), { times: 1 });
  await startMoving("a.txt");
  await page.getByText("The server asks to wait 1 s.").waitFor();
  await page.getByText("Moved “a.txt”.").waitFor();
  await page.route("**/v0/files/*/move", (route) => route.fulfill(tooEarly(3600)), { times: 1 });
  await startMoving("b.txt");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("What was done until then stays done.").waitFor();
  expect(await paths(drive)).toEqual(["b.txt", "to/a.txt", "to/c.txt"]);
});

test("tags, metadata and expiry are changed, and a link is made that works once", async () => {
  const { "plan.md": id = "" } = await driveWith("Details", { "plan.md": 12 });
  await using page = await open("/drives/alice/details/");
  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByLabel("Tags").fill("home, sweet");
  await page.keyboard.press("Enter");
  await page.getByLabel("Metadata").fill("{colour: blue}");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The metadata is not JSON").waitFor();
  await page.getByLabel("Metadata").fill('{"colour": "blue"}');
  await page.getByLabel("Vanishes").fill("2999-12-31T12:00");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved what is known about “plan.md”.").waitFor();
  expect(await alice.client.json<object>(200, "GET", `/v0/files/${id}`)).toMatchObject({
    tags: ["home, sweet"],
    metadata: { colour: "blue" },
    expires_at: expect.stringMatching(/^2999-12-31T|^3000-01-01T/),
  });

  await page.getByLabel("Select plan.md").click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByLabel("For one download only").check();
  await page.getByRole("button", { name: "Create the link" }).click();
  const link = new URL(await page.getByLabel(/^Link/).inputValue());
  expect((await fetch(server.url + link.pathname)).status).toBe(200);
  expect((await fetch(server.url + link.pathname)).status).toBe(410);
});

test("1,200 files are sorted whole and deleted together", async () => {
  const { drive = "", "one.txt": one = "" } = await driveWith("Bulk", { "one.txt": 1 });
  await addManyFiles(server.dataDir, one, 1200);
  const big = new URLSearchParams({ drive_id: drive, path: "many/big.bin" });
  await alice.client.json(201, "PUT", `/v0/files?${big.toString()}`, { body: "x".repeat(5000) });
  await using page = await open("/drives/alice/bulk/many/");
  await row(page, "0000001.txt").waitFor();
  await page.getByRole("button", { name: "Size" }).click();
  await page.locator("[data-index='0']", { hasText: "big.bin" }).waitFor();
  await page
    .getByRole("columnheader", { name: "Size" })
    .and(page.locator("[aria-sort=descending]"))
    .waitFor();
  await page.getByLabel("Select all that is loaded").click();
  await page.getByText("1,201 selected").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Delete");
  await page.getByText("1,201 files").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
  await page.getByText("This folder is empty").waitFor();
  expect(await paths(drive)).toEqual(["one.txt"]);
});

test("100,000 files in a folder are looked at anywhere, quickly", async () => {
  const { "one.txt": one = "" } = await driveWith("Huge", { "one.txt": 1 });
  await addManyFiles(server.dataDir, one, 100_000);
  await using page = await open("/drives/alice/huge/many/");
  await row(page, "0000001.txt").waitFor();
  await page.getByText("100,000 files, by name").waitFor();
  const jumps: number[] = [];
  for (const [key, name] of [
    ["End", "0100000.txt"],
    ["Home", "0000001.txt"],
  ] as const) {
    await page.keyboard.press(key === "End" ? "ArrowUp" : "ArrowDown");
    const start = performance.now();
    await page.keyboard.press(key);
    await row(page, name).waitFor();
    jumps.push(performance.now() - start);
    expect(await page.locator(".file-row:focus .name").textContent()).toBe(name);
  }
  const start = performance.now();
  await page.getByRole("button", { name: "Name" }).click();
  await page.locator("[data-index='0']", { hasText: "0100000.txt" }).waitFor();
  jumps.push(performance.now() - start);
  expect(await page.locator(".file-row").count()).toBeLessThan(60);
  expect(Math.max(...jumps)).toBeLessThan(2000);
});
