import { beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { networkAddresses } from "../../../src/network/local-address.ts";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { hold, lead } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { closeDialog, enter, pressKeys } from "../../support/browser/drive-page.ts";
import { connectMcp } from "../../support/peers/mcp.ts";
import { Receiver, signatureOf } from "../../support/peers/receiver.ts";
import { isFound } from "../../support/server/drives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

const env = { COFFER_HOST: "0.0.0.0", COFFER_WEBHOOK_ADDRESSES: "127.0.0.1" };
const dashboard = await openDashboard({ env });
const { driveWith, owner, context, server } = dashboard;
await owner.client.delete(`/v0/drives/${owner.drive}`);
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
const page = await context.newPage();
await page.goto("/");

function clipboard(): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}

/** The words of what has the focus. */
function focused(): Promise<string> {
  return page.evaluate<string>("document.activeElement.textContent.trim()");
}

/** Types what is no name of the drive, and what is one, in the dialog that deletes it. */
async function deleteNamed(wrong: string, name: string): Promise<void> {
  const field = page.getByLabel("Type the name to confirm");
  await field.fill(wrong);
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByRole("alert").getByText("That doesn't match the drive's name.").waitFor();
  await field.fill(name);
  await page.getByRole("button", { name: "Delete permanently" }).click();
}

/** Where something begins from the left of the window, in whole pixels. */
async function leftOf(what: Locator): Promise<number> {
  return Math.round((await what.boundingBox())?.x ?? Number.NaN);
}

function toast(text: string): Promise<void> {
  return page.locator(".toast", { hasText: text }).last().waitFor();
}

describe("drives", () => {
  test("without any, the page says what to do next", async () => {
    await page.getByRole("heading", { name: "No drives yet" }).waitFor();
    await page.getByRole("link", { name: "Connect an agent" }).click();
    await page.getByRole("button", { name: "Create key" }).waitFor();
    // There is nothing else that a key could reach.
    expect(await page.getByLabel("Access").innerText()).toBe("All my drives and my account");
    await closeDialog(page);
    expect(new URL(page.url()).search).toBe("");
    await page.getByRole("link", { name: "Drives" }).click();
  });

  test("one is made with the keyboard alone, copied, renamed and described, and deleted once its name is typed", async () => {
    await page.getByRole("button", { name: "New drive" }).focus();
    await page.keyboard.press("Enter");
    await eventually(() => page.evaluate<boolean>("document.activeElement?.name === 'name'"));
    await page.keyboard.type("Field notes");
    await page.keyboard.press("Tab");
    await page.keyboard.type("What we saw\nout there");
    await pressKeys(page, "Tab", "Enter");
    const made = page.getByRole("listitem").filter({ hasText: "Field notes" });
    await made.getByText("0 files").waitFor();
    // The head of a page about a drive is laid out in another way than that of a card.
    expect(await leftOf(made.locator(".icon").first())).toBe(await leftOf(made.getByText("0 files")));
    expect(await made.getByRole("link").getAttribute("href")).toBe("/drives/ada/field-notes/");
    const { data } = await owner.client.get<{ data: { description: string }[] }>("/v0/drives");
    expect(data.map(({ description }) => description)).toEqual(["What we saw\nout there"]);
    // What opened the dialog has the focus again.
    expect(await focused()).toBe("New drive");

    await page.getByRole("button", { name: "Copy the drive slug" }).click();
    await toast("Copied the drive slug.");
    expect(await clipboard()).toBe("ada/field-notes");

    const name = page.getByRole("textbox", { name: /^Name/ });
    await page.getByRole("button", { name: "Edit Field notes" }).click();
    await name.fill("Never mind");
    await closeDialog(page);
    await page.getByRole("button", { name: "Edit Field notes" }).click();
    await name.fill("River notes");
    await page.getByLabel("Description").fill("Only the river");
    await page.getByRole("button", { name: "Save" }).click();
    const renamed = page.getByRole("listitem").filter({ hasText: "River notes" });
    await renamed.getByText("Only the river").waitFor();
    await renamed.getByText("ada/river-notes").waitFor();

    await page.getByRole("button", { name: "Delete River notes" }).click();
    await deleteNamed("river", "River notes");
    await page.getByRole("heading", { name: "No drives yet" }).waitFor();
    await eventually(async () => (await focused()) === "Drives");
  });

  test("a name that is refused is told in words, with the request's id, at the field", async () => {
    await page.getByRole("button", { name: "New drive" }).click();
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("   ");
    await page.getByRole("button", { name: "Create drive" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("The name must have 1 to 64 characters.").waitFor();
    expect(await alert.innerText()).toMatch(/Request [0-9a-f-]{36}/);
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("name");
    const description = await page.evaluate<string>(
      "document.activeElement.ariaDescribedByElements.map((element) => element.innerText).join(' ')",
    );
    expect(description).toMatch(/^The name must have[^]*1 to 64 characters$/);
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  /** What is no name like others, and what somebody types who sees it. */
  const NAMES: readonly (readonly [name: string, typed: string])[] = [
    ['<img src=x onerror="window.hasRun=1">\u202Egnp.exe', '<img src=x onerror="window.hasRun=1">gnp.exe'],
    ["two  spaces\u00A0here", "two spaces here"],
    ["in\u200Bvi\u00ADsi\u2060ble", "invisible"],
    ["cafe\u0301", "caf\u00E9"],
  ];
  test("a name that is markup, or is not what it looks like, stays a name; what is seen of it is typed", async () => {
    const drives = await Promise.all(NAMES.map(([name]) => driveWith(name)));
    const [markup] = drives;
    await owner.client.patch(`/v0/drives/${markup?.id}`, { description: "Open \u202Egpj.exe" });
    await page.reload();
    const card = page.getByRole("listitem").filter({ hasText: "<img" });
    const shown = '<img src=x onerror="window.hasRun=1">U+202Egnp.exe';
    expect(await card.getByRole("heading").locator("bdi").textContent()).toBe(shown);
    await card.locator(".drive-about", { hasText: "Open U+202Egpj.exe" }).waitFor();
    expect(await page.evaluate<boolean>("'hasRun' in window")).toBe(false);
    for (const [at, { id, slug }] of drives.entries()) {
      const [name, typed = ""] = NAMES[at] ?? [];
      await page.getByRole("listitem").filter({ hasText: slug }).getByTitle("Delete").click();
      await deleteNamed(`${typed}x`, typed);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect([name, await owner.client.status("GET", `/v0/drives/${id}`)]).toEqual([name, 404]);
    }
  });

  test("a failure is told, and can be tried again", async () => {
    const error = { code: "INTERNAL", message: "Something went wrong on the server." };
    const headers = { "x-request-id": "the-request" };
    await page.route("**/v0/drives", (route) => route.fulfill({ status: 500, headers, json: { error } }));
    await page.reload();
    const alert = page.getByRole("alert");
    await alert.getByText(error.message).waitFor();
    await alert.getByText("Request the-request").waitFor();
    await page.unroute("**/v0/drives");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "No drives yet" }).waitFor();
    // The button is gone: Tab goes on from the start of what it brought.
    expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("MAIN");
  });
});

describe("from page to page, with the keyboard", () => {
  test("what leads past the links at the top comes first", async () => {
    await page.goto("/drives");
    await page.getByRole("heading", { name: "No drives yet" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    await pressKeys(page, "Enter", "Tab");
    expect(await focused()).toBe("New drive");
  });

  test("a page that is come to is announced, and the focus stays where one goes on", async () => {
    const said = page.getByRole("status").filter({ hasText: "Coffer" });
    expect(await said.count()).toBe(0);
    await page.getByRole("link", { name: "Search" }).focus();
    await page.keyboard.press("Enter");
    await said.getByText("Search · Coffer").waitFor({ state: "attached" });
    expect(await focused()).toBe("Search");
    await page.goto("/drives");
    await page.getByRole("link", { name: "Links" }).focus();
    await page.keyboard.press("Enter");
    await said.getByText("Links · Coffer").waitFor({ state: "attached" });
    // The link itself is gone with its page.
    expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("MAIN");
  });

  longTest("a toast is seen above a dialog that is open", async () => {
    await using own = await dashboard.open("/drives");
    await own.getByRole("button", { name: "New drive" }).click();
    await own.getByRole("dialog").waitFor();
    // It stays: after a moment it would go, perhaps before it has been looked at.
    await own.evaluate(`{
      const { setTimeout } = window;
      window.setTimeout = () => 0;
      dispatchEvent(new CustomEvent("coffer:said", { detail: { text: "Said meanwhile" } }));
      window.setTimeout = setTimeout;
    }`);
    // What lies outside of the dialog is hidden from screen readers.
    await own
      .getByRole("dialog")
      .getByRole("status")
      .getByText("Said meanwhile")
      .waitFor({ state: "attached" });
    const said = own.locator(".toast", { hasText: "Said meanwhile" });
    const box = await said.boundingBox();
    if (box === null) throw new Error("there is no toast");
    // Within its border: what lies around it does change.
    const clip = { x: box.x + 8, y: box.y + 8, width: box.width - 16, height: box.height - 16 };
    const above = await own.screenshot({ clip });
    await closeDialog(own);
    expect(above.equals(await own.screenshot({ clip }))).toBe(true);
  });
});

describe("keys", () => {
  test("one is made for an agent, which is seen to come and to write", async () => {
    const drive = await driveWith("Fresh");
    await page.goto("/drives/ada/fresh/");
    await page.locator(".empty").getByRole("button", { name: "Connect an agent" }).focus();
    await page.keyboard.press("Enter");
    const create = page.getByRole("button", { name: "Create key" });
    await create.focus();
    // Nothing is made before.
    expect(await owner.client.get<{ drive_id: string | null }[]>("/v0/keys")).not.toContainEqual(
      expect.objectContaining({ drive_id: drive.id }),
    );
    await page.keyboard.press("Enter");
    const status = page.getByRole("dialog").locator(".notice");
    await status.getByText("Waiting for the first request…").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Copy the command" }).click();
    await toast("Copied the command.");
    const [, url, key] = /"(.+)\/mcp" --header "Authorization: Bearer (.+)"$/.exec(await clipboard()) ?? [];
    expect(url).toBe(server.url);
    await using agent = await connectMcp(server.url, key, "2025-11-25");
    await status.getByText("Connected.", { exact: true }).waitFor();
    await agent.get("write_file", { path: "river/notes.txt", text: "It is high." });
    await status.getByText("Connected, and wrote notes.txt just now.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();
    // The list below has followed as well, and the button that opened the dialog is gone with the emptiness.
    await page.getByRole("link", { name: "river" }).first().waitFor();
    await page.getByRole("button", { name: "Connect an agent" }).click();
    await page.getByLabel("Agent", { exact: true }).selectOption("ChatGPT");
    await page.getByText(`${server.url}/mcp`, { exact: true }).waitFor();
    expect(await create.count()).toBe(0);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.locator(":focus").textContent()).toContain("Connect an agent");
  });

  test("one is made for a folder, shown once, does what it may, and is revoked", async () => {
    const drive = await driveWith("For an agent");
    await owner.client.post("/v0/folders", { drive_id: drive.id, path: "notes/" });
    await page.goto("/drives/ada/for-an-agent/");
    await page.getByRole("link", { name: "notes" }).first().waitFor();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("button", { name: "Connect an agent" }).click();
    await page.getByLabel("Agent", { exact: true }).selectOption("Your own program");
    await page.getByRole("textbox", { name: /^Name/ }).fill("Night shift");
    // It is for the drive that one comes from, and ends.
    expect(await page.getByLabel("Access").inputValue()).toBe(drive.id);
    expect(await page.getByLabel("Expires").inputValue()).toBe("90");
    await page.getByLabel("Only one folder of it").check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("Choose a folder.").waitFor();
    await page.getByRole("treeitem", { name: "notes" }).click();
    expect(await page.getByRole("textbox", { name: /^Folder/ }).inputValue()).toBe("notes/");
    await page.getByLabel("Permission").selectOption("read-only");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Copy the key" }).click();
    await toast("Copied the key.");
    const key = await clipboard();
    expect(key).toMatch(/^cof_sk_live_[0-9a-f]{48}$/);
    const agent = server.client(key);
    const seen = await agent.get<{ data: { id: string }[] }>("/v0/drives");
    expect(seen.data.map(({ id }) => id)).toEqual([drive.id]);
    await agent.put(drive.id, "a", "x", 403);

    // The same key is in what every other agent is given, and an address that leads from elsewhere to here.
    await dialog.getByText('the folder "notes/" of the drive "ada/for-an-agent"').waitFor();
    await page.getByLabel("Agent", { exact: true }).selectOption("VS Code");
    const [elsewhere] = networkAddresses({ scheme: "http", host: "0.0.0.0", port: server.port });
    if (elsewhere !== undefined) await page.getByLabel("The agent runs on").selectOption(elsewhere);
    await dialog.getByRole("button", { name: "Copy the configuration" }).click();
    await toast("Copied the configuration.");
    const headers = { Authorization: `Bearer ${key}` };
    expect(JSON.parse(await clipboard())).toEqual({
      servers: { coffer: { type: "http", url: `${elsewhere ?? server.url}/mcp`, headers } },
    });

    // After that nothing shows it any more.
    await page.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    const row = page.getByRole("listitem").filter({ hasText: "Night shift" });
    await row.getByText("Last used").waitFor();
    await row.getByText("Read-only").waitFor();
    expect(await row.getByRole("link", { name: "For an agent" }).getAttribute("href")).toBe(
      "/drives/ada/for-an-agent/",
    );
    expect(await page.content()).not.toContain(key);
    await row.getByRole("button", { name: "Revoke" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    // Once too often does no harm.
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.locator(":focus").innerText()).toMatch(/^Revoke\s+Night shift$/);
    await agent.get("/v0/drives");
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    await agent.json(401, "GET", "/v0/drives");
    await eventually(async () => (await focused()) === "Keys");
  });

  test("of many, one is found by its name, or by the drive that it reaches", async () => {
    const drive = await driveWith("Lighthouse \u202Etxt");
    const make = (body: { name: string; drive_id?: string }) => owner.client.makeKey(body);
    for (let index = 1; index <= 10; index += 1) await make({ name: `Agent ${index}` });
    await make({ name: "Keeper", drive_id: drive.id });
    await page.reload();
    const rows = page.locator(".keys > li");
    await rows.filter({ hasText: "Keeper" }).getByText("Lighthouse U+202Etxt").waitFor();
    await rows.filter({ hasText: "Agent 7" }).getByText("All drives").waitFor();
    await page.getByLabel("Sort keys").selectOption("By name");
    const named = async () => await rows.getByRole("heading").allTextContents();
    expect((await named()).slice(0, 3)).toEqual(["Agent 1", "Agent 2", "Agent 3"]);
    await page.getByLabel("Find a key").fill("lighthouse");
    expect(await named()).toEqual(["Keeper"]);
    await page.getByRole("status").getByText("1 key").waitFor({ state: "attached" });
    await page.getByLabel("Find a key").fill("nobody's");
    await page.getByText("No matching keys.").waitFor();
    await owner.client.delete(`/v0/drives/${drive.id}`);
    // One whose drive is gone says so.
    await page.route("**/v0/keys", async (route) => {
      const answer = await route.fetch();
      const keys: object[] = await answer.json();
      await route.fulfill({ response: answer, json: keys.map((key) => ({ ...key, drive_id: "gone" })) });
    });
    await page.reload();
    await page.getByText("Deleted drive").first().waitFor();
    await page.unroute("**/v0/keys");
  });
});

function results(): Locator {
  return page.getByRole("main").locator("ol > li");
}

describe("webhooks", () => {
  test("one is made, its secret shown once, tried, and told of what was chosen", async () => {
    await using receiver = new Receiver();
    const drive = await driveWith("Told");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
    await page.getByRole("button", { name: "New webhook" }).click();
    await page.getByLabel("Address").fill(receiver.url());
    await page.getByText("With http, whoever is on the way can read the messages.").waitFor();
    await page.getByLabel("Drive", { exact: true }).selectOption("Told");
    await page.getByLabel("Only what I choose").check();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByRole("alert").getByText("Choose at least one.").waitFor();
    await page.getByLabel("Folders").check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByRole("button", { name: "Copy the secret" }).click();
    await toast("Copied the secret.");
    const secret = await clipboard();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Nothing was sent yet.").waitFor();

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("status").getByText("The test came through.").waitFor();
    await page.getByText("Working", { exact: true }).waitFor();
    const [came] = await receiver.first(1);
    if (came === undefined) throw new Error("no message came");
    expect(came.headers.get("webhook-signature")).toBe(signatureOf(came, secret));

    await owner.client.put(drive.id, "not-told.txt", "x");
    await owner.client.post("/v0/folders", { drive_id: drive.id, path: "told/" });
    await page.getByText("folder.created", { exact: true }).waitFor();
    const types = (await receiver.first(2)).map(({ message }) => message.type);
    expect(types).toEqual(["webhook.test", "folder.created"]);
  });

  longTest(
    "what fails is told, and sent again; it is disabled and enabled, changed and deleted",
    async () => {
      await using receiver = new Receiver();
      receiver.answer = () => new Response("no", { status: 503 });
      const wanted = { url: receiver.url("/fails"), events: ["file.created", "link.*"] };
      await owner.client.post("/v0/webhooks", wanted);
      await page.goto("/webhooks");
      await page.getByRole("link", { name: wanted.url }).focus();
      await page.keyboard.press("Enter");
      await page.locator("main:focus").waitFor();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByRole("status").getByText("The test failed.").waitFor();
      await page.getByText("Failing", { exact: true }).waitFor();
      await page.getByRole("status").getByText("It is sent again").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      const choose = async (name: string) => {
        await page.getByRole("button", { name: "More actions" }).click();
        await page.getByRole("menuitem", { name }).click();
      };
      await choose("Disable");
      await page.getByText("It was disabled by request.").waitFor();
      // Until it is enabled, nothing is sent again.
      expect(await page.getByText("is sent again").count()).toBe(0);
      expect(await page.getByRole("button", { name: /^Send/ }).count()).toBe(0);
      await page.getByRole("button", { name: "Enable" }).click();
      receiver.answer = () => new Response(null, { status: 204 });
      await page.getByRole("button", { name: "Send again: Test" }).click();
      await page.getByRole("status").getByText("The server answered 204.").waitFor();
      await page.getByText("Working", { exact: true }).waitFor();
      await choose("Change");
      await page.getByLabel("Address").fill(receiver.url("/other"));
      await page.getByLabel("Comments").check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: receiver.url("/other") }).waitFor();
      const { data } = await owner.client.get<{ data: { url: string; events: string[] }[] }>("/v0/webhooks");
      const events = ["comment.*", "link.*", "file.created"];
      expect(data).toContainEqual(expect.objectContaining({ url: receiver.url("/other"), events }));
      await choose("Delete");
      await page.getByRole("button", { name: "Delete webhook" }).click();
      await page.getByRole("link", { name: /\/hook$/ }).waitFor();
      await page.locator("main:focus").waitFor();
      expect(await page.getByRole("link", { name: /\/other$/ }).count()).toBe(0);
    },
  );
});

describe("search", () => {
  beforeAll(async () => {
    const tea = await driveWith("Tea");
    const other = await driveWith("Other");
    const { client } = owner;
    const text =
      "The R\u00c9SUM\u00c9 of green tea: <b>markup</b> stays text. \u7DD1\u8336\u306E\u6B74\u53F2";
    await client.store(tea.id, "asia/green & black?.md", text, "&tags=draft&tags=tea&tags=Paris,%20France");
    await client.put(other.id, "teapot.txt", "Nothing of it in here");
    await client.put(other.id, "invoice\u202Efdp.exe", "");
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => client.put(other.id, `many/${i}.log`, `kettle ${i}`)),
    );
    // All of it, by what stands in it and not only by its names.
    for (const [words, count] of [
      ["resume tea", 1],
      ["nothing of it", 1],
      ["invoice", 1],
      ["kettle", 30],
    ] as const) {
      await isFound(owner, words, count);
    }
  });

  test("words are found in all drives and highlighted, in contents and in names", async () => {
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
    await enter(page.getByLabel("Search terms"), "resume tea");
    await page.getByText("1 file found").waitFor();
    expect(await results().locator(".snippet mark").allTextContents()).toEqual(["R\u00c9SUM\u00c9", "tea"]);
    expect(await results().locator(".snippet").textContent()).toContain("<b>markup</b> stays text.");
    expect(await results().locator(".found-tags mark").allTextContents()).toEqual(["tea"]);
    const link = results().getByRole("link", { name: "green & black?.md" });
    expect(await link.getAttribute("href")).toMatch(/^\/drives\/ada\/tea\/asia\/\?file=[0-9a-f-]{36}$/);

    await page.getByLabel("Search terms").fill("teapo");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await results().getByRole("link", { name: "teapot.txt" }).waitFor();
    expect(await results().locator("h3 mark").allTextContents()).toEqual(["teapo"]);
    await enter(page.getByLabel("Search terms"), "\u8336\u306E");
    await results().locator(".snippet mark", { hasText: "\u8336\u306E" }).waitFor();
    await enter(page.getByLabel("Search terms"), "invoice");
    await results().getByRole("link", { name: "invoiceU+202Efdp.exe" }).waitFor();
  });

  test("from a drive's page, that drive alone is searched", async () => {
    await page.goto("/drives/ada/other/");
    await enter(page.getByLabel("Search this drive"), "tea");
    await page.getByText("1 file found").waitFor();
    await results().getByRole("link", { name: "teapot.txt" }).waitFor();
    await page.locator("summary", { hasText: "Filters (1)" }).waitFor();
    await page
      .getByLabel("Drive", { exact: true })
      .locator("option:checked", { hasText: /^Other$/ })
      .waitFor({ state: "attached" });
  });

  test("what is typed while the drives are still on their way stays", async () => {
    const { release } = await hold(page, "GET", /\/v0\/drives$/);
    await page.goto("/search?q=teapo");
    await page.getByLabel("Search terms").fill("teapot");
    release();
    await page
      .getByLabel("Drive", { exact: true })
      .getByText("Tea", { exact: true })
      .waitFor({ state: "attached" });
    expect(await page.getByLabel("Search terms").inputValue()).toBe("teapot");
  });

  test("the address holds what was asked: it can be gone back to, and opened anew", async () => {
    await page.goto("/search?q=teapo");
    await enter(page.getByLabel("Search terms"), "invoice");
    await page.goBack();
    await results().getByRole("link", { name: "teapot.txt" }).waitFor();
    expect(await page.getByLabel("Search terms").inputValue()).toBe("teapo");
    expect(new URL(page.url()).search).toBe("?q=teapo");
    await page.reload();
    await results().getByRole("link", { name: "teapot.txt" }).waitFor();
  });

  test("filters narrow it, at once", async () => {
    await enter(page.getByLabel("Search terms"), "tea");
    await page.getByText("2 files found").waitFor();
    await page.getByText("Filters", { exact: true }).click();
    await page.getByLabel("Drive", { exact: true }).selectOption({ label: "Tea" });
    await page.getByText("1 file found").waitFor();
    await page.getByLabel("Drive", { exact: true }).selectOption({ label: "All drives" });
    await page.getByText("2 files found").waitFor();
    await page.getByLabel("Type").selectOption({ label: "Images" });
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    await page.getByRole("link", { name: "Search without filters" }).click();
    await page.getByText("2 files found").waitFor();
    expect(await page.getByLabel("Type").inputValue()).toBe("");
  });

  const FOUND: readonly (readonly [query: string, count: number])[] = [
    ["type=text/markdown", 1],
    ["tags=draft,tea", 1],
    ['tags="Paris, France"', 1],
    ['tags=draft, "Paris, France"', 1],
    ["tags=Paris, France", 0],
    ["q=tea&min=0.00002&max=1", 2],
    ["q=tea&min=1", 0],
    ["q=tea&after=2020-01-01", 2],
    ["q=tea&before=2020-01-01", 0],
    ["q=tea&after=9999-01-01", 0],
  ];
  test("an address finds what it says", async () => {
    for (const [query, count] of FOUND) {
      await lead(page, "/search");
      await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
      await lead(page, `/search?${query}`);
      await page.getByText(count === 0 ? "Nothing found" : /^\d files? found$/).waitFor();
      expect([query, await results().count()]).toEqual([query, count]);
    }
  });

  longTest("page by page", async () => {
    await page.goto("/search?q=kettle");
    await page.getByText("30 files found").waitFor();
    expect(await results().count()).toBe(25);
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("Page 2 of 2").waitFor();
    expect(await results().count()).toBe(5);
    await eventually(async () => (await focused()) === "30 files found");
    await page.goBack();
    await page.getByText("Page 1 of 2").waitFor();
  });

  longTest("of more files than are counted, it says that there are at least so many", async () => {
    const { id, fileId } = await driveWith("Much", { "one.txt": 1 });
    await addManyFiles(server.dataDir, fileId("one.txt"), 3000);
    await page.goto(`/search?drive=${id}&type=text/*`);
    await page.getByText("At least 2,500 files found").waitFor();
    expect(await results().count()).toBe(25);
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("Page 2 of 100").waitFor();
  });
});
