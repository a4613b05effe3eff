import { beforeAll, describe, expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { openDashboard } from "../support/dashboard.ts";
import { signUp } from "../support/executable.ts";
import { eventually } from "../support/scenario.ts";

const dashboard = openDashboard();
const { paths } = dashboard;
beforeAll(() => signUp(dashboard.server, "bob"));

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel(/^Password/).fill(`${username}'s password`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: username }).waitFor();
}

/** A page of Ada's at an address, in a window of its own, which is closed at the end of its scope. */
async function adasPage(address: string, timezoneId = "UTC"): Promise<Page & AsyncDisposable> {
  const context = await dashboard.windowOf("ada", { timezoneId });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("link", { name: "ada" }).waitFor();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
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

interface Lost {
  readonly sent: () => number;
  /** Loses the answer; until then there is none. */
  readonly lose: () => void;
}

/** Lets the first request take effect, and loses its answer once that is asked for. */
async function loseOne(page: Page, path: string): Promise<Lost> {
  const lost = Promise.withResolvers<void>();
  let sent = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent += 1;
    if (sent > 1) return route.continue();
    await route.fetch();
    await lost.promise;
    await route.abort();
  });
  return { sent: () => sent, lose: lost.resolve };
}

/** Ada's page with an upload on its way, once her sessions have ended. */
async function cutOff(filename: string): Promise<Page & AsyncDisposable> {
  const page = await adasPage(`/drives/${dashboard.owner.drive}/`);
  const upload = await hold(page, "PUT", /\/v0\/files\?/);
  const files = [`${filename}-1`, `${filename}-2`, `${filename}-3`, `${filename}-4`];
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(
      files.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("on its way") })),
    );
  await page.getByText("0 of 4").first().waitFor();
  await dashboard.owner.client.json(200, "DELETE", "/v0/sessions");
  upload.release();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText(filename).count()).toBe(0);
  return page;
}

describe("two tabs", () => {
  test("show the same user, whoever signs in in one of them", async () => {
    await using page = await adasPage("/drives");
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Ada's plans");
    const other = await page.context().newPage();
    await other.goto("/account");
    await other.getByRole("button", { name: "Sign out of this browser" }).click();
    // What was open in the first tab is gone: it was Ada's.
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(other, "bob");
    await page.getByRole("link", { name: "bob" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("show the same user, also where one was asking who that is when it became another", async () => {
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

describe("an answer that", () => {
  test("does not come to who is signed in takes neither the page nor its uploads away", async () => {
    await using page = await adasPage(`/drives/${dashboard.owner.drive}/`);
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
    await page.getByRole("searchbox", { name: "Search terms" }).fill("x");
    await page.keyboard.press("Enter");
    await asked;
    upload.release();
    await page.getByRole("heading", { name: "Search" }).waitFor();
    await eventually(async () => (await paths(dashboard.owner.drive, "slow.txt")).length === 1);
  });

  test("comes after its dialog was dismissed leaves the next one open: a drive", async () => {
    await using page = await adasPage("/drives");
    const { release } = await hold(page, "POST", /\/v0\/drives$/);
    const name = page.getByRole("textbox", { name: /^Name/ });
    await page.getByRole("button", { name: "New drive" }).click();
    await name.fill("Slow");
    await page.getByRole("button", { name: "Create drive" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New drive" }).click();
    await name.fill("Half typed");
    release();
    await page.getByRole("heading", { name: "Slow" }).waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("Half typed");
  });

  test("comes after its dialog was dismissed leaves the next one open: a folder", async () => {
    await using page = await adasPage(`/drives/${dashboard.owner.drive}/`);
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
    await page.getByText("Created the folder “slow”").first().waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("half typed");
  });
});

test("an account made after its dialog was dismissed is told about all the same", async () => {
  await using page = await adasPage("/users");
  const { release } = await hold(page, "POST", /\/v0\/users$/);
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByRole("textbox", { name: /^Username/ }).fill("carol");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  release();
  await page.getByRole("heading", { name: "Share sign-in details" }).waitFor();
  await page.getByText("Username: carol").waitFor();
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

describe("what is sent again because its answer was lost", () => {
  test("makes one drive; pressed twice, it is sent once", async () => {
    await using page = await adasPage("/drives");
    const { sent, lose } = await loseOne(page, "**/v0/drives");
    await page.getByRole("button", { name: "New drive" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Only once");
    await page.getByRole("button", { name: "Create drive" }).dblclick();
    lose();
    await page.getByText("Can't reach the server.").waitFor();
    expect(sent()).toBe(1);
    await page.getByRole("button", { name: "Create drive" }).click();
    await page.getByRole("heading", { name: "Only once" }).waitFor();
    const { data } = await dashboard.owner.client.json<{ data: { name: string }[] }>(
      200,
      "GET",
      "/v0/drives",
    );
    expect(data.filter(({ name }) => name === "Only once")).toHaveLength(1);
  });

  test("makes one key, and shows it", async () => {
    await using page = await adasPage("/keys");
    const { lose } = await loseOne(page, "**/v0/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("textbox", { name: /^Name/ }).fill("Only once");
    await page.getByRole("button", { name: "Create key" }).click();
    lose();
    await page.getByText("Can't reach the server.").waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = await page.locator(".secret code").innerText();
    await dashboard.server.client(secret).json(200, "GET", "/v0/account");
    const keys = await dashboard.owner.client.json<{ name: string }[]>(200, "GET", "/v0/keys");
    expect(keys.filter(({ name }) => name === "Only once")).toHaveLength(1);
  });
});

test("saving a file, with a tag half typed, leaves an expiry that is far away as it was", async () => {
  const expiry = "9999-12-31T23:59:59.000Z";
  const body = { drive_id: dashboard.owner.drive, filename: "far.txt", content: "aGk=", expires_at: expiry };
  const { id } = await dashboard.owner.client.json<{ id: string }>(201, "POST", "/v0/files", { body });
  // Where the year 10000 has begun by then.
  await using page = await adasPage(`/drives/${dashboard.owner.drive}/`, "Australia/Brisbane");
  await page
    .getByRole("row", { name: /far\.txt/ })
    .getByRole("checkbox")
    .click();
  await page.getByRole("button", { name: "Details" }).first().click();
  await page.getByPlaceholder("Add a tag").fill("kept");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Details saved.").waitFor();
  const file = await dashboard.owner.client.json<unknown>(200, "GET", `/v0/files/${id}`);
  expect(file).toMatchObject({ tags: ["kept"], expires_at: expiry });
});
