import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page, Route } from "playwright-core";
import { type Server, serve, signUp } from "../support/executable.ts";
import { launchBrowser } from "../support/browser.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

setDefaultTimeout(60_000);

let directory: TemporaryDirectory;
let server: Server;
let browser: Browser;
let ada: Awaited<ReturnType<typeof signUp>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await serve({ dataDir: directory.path });
  ada = await signUp(server, "ada");
  await signUp(server, "bob");
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel(/^Password/).fill(`${username}'s password`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: username }).waitFor();
}

/** Ada's page at a path. */
async function adasPage(path: string, timezoneId = "UTC"): Promise<Page> {
  const context = await browser.newContext({ timezoneId });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  await page.goto(server.url + path);
  await signIn(page, "ada");
  return page;
}

/** Holds requests of a method to `path` until `release` is called. */
async function hold(page: Page, method: string, path: RegExp): Promise<{ release: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route: Route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return { release: resolve };
}

/** Lets a request take effect, and loses its answer; that many times. */
async function lose(page: Page, path: string, times: number): Promise<{ readonly sent: () => number }> {
  let sent = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent += 1;
    if (sent > times) return route.continue();
    await route.fetch();
    await route.abort();
  });
  return { sent: () => sent };
}

/** Ada's page with an upload on its way, once her sessions have ended. */
async function cutOff(filename: string): Promise<Page> {
  const page = await adasPage(`/drives/${ada.drive}/`);
  const upload = await hold(page, "PUT", /\/v0\/files\?/);
  const files = [`${filename}-1`, `${filename}-2`, `${filename}-3`, `${filename}-4`];
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(
      files.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("on its way") })),
    );
  await page.getByText("0 of 4").first().waitFor();
  await ada.client.json(200, "DELETE", "/v0/sessions");
  upload.release();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText(filename).count()).toBe(0);
  return page;
}

describe("two tabs", () => {
  test("show the same person, whoever signs in in one of them", async () => {
    const page = await adasPage("/drives");
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Ada's plans");
    const other = await page.context().newPage();
    await other.goto(`${server.url}/account`);
    await other.getByRole("button", { name: "Sign out of this browser" }).click();
    // What was open in the first tab is gone: it was Ada's.
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(other, "bob");
    await page.getByRole("link", { name: "bob" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.context().close();
  });
});

describe("an answer that", () => {
  test("does not come to who is signed in takes neither the page nor its uploads away", async () => {
    const page = await adasPage(`/drives/${ada.drive}/`);
    const upload = await hold(page, "PUT", /\/v0\/files\?/);
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: "slow.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("still on its way"),
      });
    const busy = { error: { code: "RATE_LIMITED", message: "Too many requests." } };
    await page.route("**/v0/account", (route) => route.fulfill({ status: 429, json: busy }));
    await page.route("**/v0/search?*", (route) => route.fulfill({ status: 401, json: busy }));
    const asked = page.waitForResponse("**/v0/account");
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByRole("searchbox", { name: "Words to look for" }).fill("x");
    await page.keyboard.press("Enter");
    await asked;
    upload.release();
    await page.getByRole("heading", { name: "Search" }).waitFor();
    const path = `/v0/files?drive_id=${ada.drive}&prefix=slow.txt`;
    const stored = () => ada.client.json<{ total: number }>(200, "GET", path);
    for (const until = Date.now() + 10_000; (await stored()).total === 0 && Date.now() < until;) {
      await Bun.sleep(50);
    }
    expect((await stored()).total).toBe(1);
    await page.context().close();
  });

  test("comes after its dialog was dismissed leaves the next one open: a drive", async () => {
    const page = await adasPage("/drives");
    const { release } = await hold(page, "POST", /\/v0\/drives$/);
    const name = page.getByRole("textbox", { name: /^Name/ });
    await page.getByRole("button", { name: "New drive" }).click();
    await name.fill("Slow");
    await page.getByRole("button", { name: "Make the drive" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New drive" }).click();
    await name.fill("Half typed");
    release();
    await page.getByRole("heading", { name: "Slow" }).waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("Half typed");
    await page.context().close();
  });

  test("comes after its dialog was dismissed leaves the next one open: a folder", async () => {
    const page = await adasPage(`/drives/${ada.drive}/`);
    const { release } = await hold(page, "POST", /\/v0\/folders$/);
    const name = page.getByRole("dialog").getByRole("textbox");
    const open = () => page.getByRole("button", { name: "New folder" }).first().click();
    await open();
    await name.fill("slow");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.keyboard.press("Escape");
    await open();
    await name.fill("half typed");
    release();
    await page.getByText("Made the folder “slow”").first().waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("half typed");
    await page.context().close();
  });
});

test("an account made after its dialog was dismissed is told about all the same", async () => {
  const page = await adasPage("/people");
  const { release } = await hold(page, "POST", /\/v0\/people$/);
  await page.getByRole("button", { name: "Add somebody" }).click();
  await page.getByRole("textbox", { name: /^Username/ }).fill("carol");
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  release();
  await page.getByRole("heading", { name: "Tell carol how to get in" }).waitFor();
  await page.getByText("Username: carol").waitFor();
  await page.context().close();
});

describe("a session that ends during an upload", () => {
  test("goes on with it when the same person signs in again", async () => {
    const page = await cutOff("kept");
    await signIn(page, "ada");
    await page.getByText("4 files uploaded").first().waitFor();
    const path = `/v0/files?drive_id=${ada.drive}&prefix=kept`;
    expect(await ada.client.json<{ total: number }>(200, "GET", path)).toMatchObject({ total: 4 });
    await page.context().close();
  });

  test("leaves nothing of it to somebody else", async () => {
    const page = await cutOff("dropped");
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));
    await signIn(page, "bob");
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await page.getByRole("region", { name: "Uploads" }).count()).toBe(0);
    expect(sent).toEqual([]);
    const path = `/v0/files?drive_id=${ada.drive}&prefix=dropped`;
    expect(await ada.client.json<{ total: number }>(200, "GET", path)).toMatchObject({ total: 0 });
    await page.context().close();
  });
});

describe("what is sent again because its answer was lost", () => {
  test("makes one drive; pressed twice, it is sent once", async () => {
    const page = await adasPage("/drives");
    const { sent } = await lose(page, "**/v0/drives", 1);
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Only once");
    await page.getByRole("button", { name: "Make the drive" }).dblclick();
    await page.getByText("The server does not answer.").waitFor();
    expect(sent()).toBe(1);
    await page.getByRole("button", { name: "Make the drive" }).click();
    await page.getByRole("heading", { name: "Only once" }).waitFor();
    const { data } = await ada.client.json<{ data: { name: string }[] }>(200, "GET", "/v0/drives");
    expect(data.filter(({ name }) => name === "Only once")).toHaveLength(1);
    await page.context().close();
  });

  test("makes one key, and shows it", async () => {
    const page = await adasPage("/keys");
    await lose(page, "**/v0/keys", 1);
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Only once");
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByText("The server does not answer.").waitFor();
    await page.getByRole("button", { name: "Make the key" }).click();
    const secret = await page.locator(".secret code").innerText();
    await server.client(secret).json(200, "GET", "/v0/account");
    const keys = await ada.client.json<{ name: string }[]>(200, "GET", "/v0/keys");
    expect(keys.filter(({ name }) => name === "Only once")).toHaveLength(1);
    await page.context().close();
  });
});

test("saving a file, with a tag half typed, leaves an expiry that is far away as it was", async () => {
  const expiry = "9999-12-31T23:59:59.000Z";
  const body = { drive_id: ada.drive, filename: "far.txt", content: "aGk=", expires_at: expiry };
  const { id } = await ada.client.json<{ id: string }>(201, "POST", "/v0/files", { body });
  // Where the year 10000 has begun by then.
  const page = await adasPage(`/drives/${ada.drive}/`, "Australia/Brisbane");
  await page
    .getByRole("row", { name: /far\.txt/ })
    .getByRole("checkbox")
    .click();
  await page.getByRole("button", { name: "Details" }).first().click();
  await page.getByPlaceholder("Add a tag").fill("kept");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved what is known").waitFor();
  const file = await ada.client.json<unknown>(200, "GET", `/v0/files/${id}`);
  expect(file).toMatchObject({ tags: ["kept"], expires_at: expiry });
  await page.context().close();
});
