import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { mischiefIn, nextFrame } from "../../support/browser/browser.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseFor, chooseInPreview } from "../../support/browser/drive-page.ts";
import { isFound } from "../../support/server/drives.ts";
import { provision, signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";

// Whatever others can name or store is shown as the text that it is: it becomes no element, runs nothing, and asks
// nobody else for anything.

const dashboard = await openDashboard();
const { open } = dashboard;

const CANARY = "http://canary.invalid";
/** As long as the name of a drive may be. */
const NAME = `'"><img data-evil src=x onerror=alert(7)>{{7*7}}`;
const SCRIPT = `document.title='pw'+'ned';fetch('${CANARY}/fetched');alert(1)`;

const { owner, server } = dashboard;
const { client } = owner;
const { data: drive } = await client.post<{ data: { id: string; slug: string } }>("/v0/drives", {
  name: NAME,
  description: NAME,
});
const file = await client.post<{ id: string }>("/v0/files", {
  drive_id: drive.id,
  filename: `${NAME}.md`,
  path: `${NAME}/${NAME}.md`,
  content: Buffer.from(`kestrel ${NAME}`).toBase64(),
  tags: [NAME],
  metadata: { [NAME]: NAME },
  message: NAME,
});
await client.post(`/v0/files/${file.id}/comments`, { text: NAME, start_line: 1 });
await client.json(200, "PUT", `/v0/files/${file.id}/versions/1/label`, { body: { label: NAME } });
const named = await client.makeKey({ name: NAME });
await server.client(named.key).put(drive.id, `${NAME}.csv`, NAME);
const visits = "INSERT INTO drive_visit (drive, user, change, at) SELECT pk, user, 0, 0 FROM drive";
changeDatabase(server.dataDir, `${visits} WHERE user IS NOT NULL`);
const snapshots = `/v0/drives/${drive.id}/snapshots`;
const { data: snapshot } = await client.post<{ data: { id: string } }>(snapshots, { name: NAME });
const removed = await client.put(drive.id, `${NAME}.txt`, NAME);
await client.delete(`/v0/files/${removed.id}`);
await client.post("/v0/links", { drive_id: drive.id, path: `${NAME}/` });
const url = `https://agent.example/${NAME}?${NAME}#${NAME}`;
const hook = { url, events: ["drive.*"], drive_id: drive.id };
const { id: webhook } = await client.post<{ id: string }>("/v0/webhooks", hook);
await signUp(server, "bob");
const sql = NAME.replaceAll("'", "''");
changeDatabase(server.dataDir, `UPDATE user SET display_name = '${sql}', email = '${sql}'`);
const login = { username: "ada", password: "ada's password" };
await server.client().json(200, "POST", "/auth/login", { body: login, headers: { "user-agent": NAME } });
const agent = await provision(server, NAME);
await agent.client.put(agent.drive, NAME, NAME);
await isFound(owner, "kestrel", 1);

/** A page of ours; see `dashboard.open` for what it must not do besides. */
async function visit(address: string) {
  const page = await open("/healthz");
  const noted = mischiefIn(page, server.url);
  await page.goto(address);
  return Object.assign(page, { noted });
}

/** What came of markup: elements, changed titles, dialogs, requests to others. */
async function traces(page: Page, noted: readonly string[]): Promise<unknown> {
  const elements = await page
    .locator("[data-evil], [onerror], [onload], [onclick], [href^='javascript'], body script:not([src])")
    .count();
  return { elements, isChanged: (await page.title()).includes("pwned"), noted };
}

const NONE = { elements: 0, isChanged: false, noted: [] };

const folder = `/drives/${drive.slug}/${encodeURIComponent(NAME)}/`;
const toast = (page: Page) => page.locator(".toast").getByText(NAME).waitFor();

/** Where a name is shown, and what is done there. */
const PLACES: readonly (readonly [what: string, address: string, act?: (page: Page) => Promise<void>])[] = [
  ["the drives", "/drives"],
  ["what is new", "/drives", (page) => page.locator(".news").getByText(NAME).first().waitFor()],
  ["a drive", `/drives/${drive.slug}/`],
  ["a folder", folder],
  [
    "a file's details",
    folder,
    async (page) => {
      await chooseFor(page, `${NAME}.md`, "Details");
      await page.getByRole("dialog").getByText(NAME).first().waitFor();
    },
  ],
  [
    "a preview, and what was said of it",
    `${folder}?file=${file.id}`,
    async (page) => {
      await page.getByRole("button", { name: /^Comments/ }).click();
      await page.locator(".said-text").getByText(NAME).waitFor();
    },
  ],
  [
    "the versions of a file",
    `${folder}?file=${file.id}`,
    async (page) => {
      await chooseInPreview(page, "Versions");
      await page.locator(".version .badge").getByText(NAME).waitFor();
    },
  ],
  ["what a search finds by a text", "/search?q=kestrel"],
  ["what a search finds by a name", `/search?q=${encodeURIComponent(NAME)}`],
  [
    "what there is to jump to",
    folder,
    async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or jump to" }).fill("kestrel");
      await page.getByRole("option", { name: `${NAME}.md` }).waitFor();
    },
  ],
  ["the keys", "/keys"],
  ["the trash", "/trash"],
  ["what happened", `/activity?drive=${drive.id}`],
  ["the snapshots", `/snapshots?drive=${drive.id}`],
  ["what is in a snapshot", `/snapshots?drive=${drive.id}&inside=${snapshot.id}`],
  ["what came since a snapshot", `/snapshots?drive=${drive.id}&compare=${snapshot.id}`],
  ["the links", `/links?drive=${drive.id}`],
  ["the webhooks", `/webhooks?drive=${drive.id}`],
  ["a webhook", `/webhooks?webhook=${webhook}`],
  ["the members", `/members?drive=${drive.id}`],
  [
    "what is said after something was put back",
    `/trash?drive=${drive.id}`,
    async (page) => {
      await page.getByRole("button", { name: /^Put back (?!all)/ }).click();
      await toast(page);
    },
  ],
  ["the account and its sessions", "/account"],
  ["the users", "/users"],
  ["the audit log", "/audit"],
  [
    "the drives and keys of the server",
    "/server",
    async (page) => {
      await page.getByLabel("Grouping").selectOption("By key");
      await page.getByRole("rowheader", { name: NAME }).first().waitFor();
    },
  ],
  [
    "the page of a claim, and what is said after it",
    `/claim/${agent.claim}`,
    async (page) => {
      await page.getByRole("button", { name: /Claim/ }).click();
      await page.getByRole("heading", { name: "is now yours" }).getByText(NAME).waitFor();
    },
  ],
  [
    "what is said after a drive was deleted",
    "/drives",
    async (page) => {
      const drives = page.locator(".drive-card").filter({ hasText: NAME });
      await drives.last().getByTitle("Delete").click();
      await page.getByRole("textbox", { name: "Type the name to confirm" }).fill(NAME);
      await page.getByRole("button", { name: "Delete permanently" }).click();
      await toast(page);
    },
  ],
];

for (const [what, address, act] of PLACES) {
  test(`markup in names is text: ${what}`, async () => {
    await using page = await visit(address);
    // What a search finds is in pieces: what was searched for is marked.
    await eventually(async () => (await page.locator("main").innerText()).includes(NAME));
    await act?.(page);
    await nextFrame(page);
    expect(await traces(page, page.noted)).toEqual(NONE);
  });
}

const HOSTILE = encodeURIComponent(`'"><img data-evil src=x onerror="${SCRIPT}">`);
const ADDRESSES: readonly string[] = [
  `/${HOSTILE}`,
  `/drives/${HOSTILE}/`,
  `/drives/ada/${HOSTILE}/`,
  `/drives/ada/files/?file=${HOSTILE}`,
  `/drives/ada/files/${HOSTILE}/${HOSTILE}/`,
  `/claim/${HOSTILE}`,
  `/trash?drive=${HOSTILE}`,
  `/links?drive=${HOSTILE}`,
  `/webhooks?drive=${HOSTILE}`,
  `/webhooks?webhook=${HOSTILE}&test=${HOSTILE}`,
  `/activity?drive=${HOSTILE}`,
  `/members?drive=${HOSTILE}`,
  `/snapshots?drive=${HOSTILE}&inside=${HOSTILE}&path=${HOSTILE}`,
  `/search?q=${HOSTILE}&drive_id=${HOSTILE}`,
  `/auth/setup?token=${HOSTILE}`,
  `/?sign_in=failed&request=${HOSTILE}`,
  `/drives?sign_in=${HOSTILE}&request=${HOSTILE}`,
  `/drives#${HOSTILE}`,
  `/docs?url=${CANARY}/x.json&configUrl=${CANARY}/y.json#/${HOSTILE}`,
];

describe("markup in an address is text", () => {
  test.each(ADDRESSES.map((address) => [decodeURIComponent(address).slice(0, 40), address]))(
    "%s",
    async (_, address) => {
      await using page = await visit(address);
      await eventually(async () => /^(?!.*Loading).*\S/s.test(await page.locator("body").innerText()));
      await nextFrame(page);
      expect(await traces(page, page.noted)).toEqual(NONE);
    },
  );

  test("to who is not signed in", async () => {
    const context = await dashboard.browser.newContext({ baseURL: server.url });
    const page = await context.newPage();
    const noted = mischiefIn(page, server.url);
    for (const query of [
      "",
      `?sign_in=${HOSTILE}&request=${HOSTILE}`,
      "?next=javascript:alert(1)",
      `?next=${CANARY}`,
    ]) {
      await page.goto(`/drives${query}`);
      await page.getByLabel("Username").waitFor();
      expect([query, await traces(page, noted)]).toEqual([query, NONE]);
    }
    await context.close();
  });
});

const MARKUP = `<!doctype html><img data-evil src=x onerror="${SCRIPT}"><script>${SCRIPT}</script><link rel=stylesheet href=${CANARY}/s><meta http-equiv=refresh content="0;url=${CANARY}/r"><base href=${CANARY}><iframe src=${CANARY}/f></iframe><form action=${CANARY}><button autofocus onfocus="${SCRIPT}">`;
const XHTML = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${CANARY}/x.xsl"?><html xmlns="http://www.w3.org/1999/xhtml"><body onload="${SCRIPT}"><script>${SCRIPT}</script></body></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script><image href="${CANARY}/i"/></svg>`;
const PDF = `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1);this.submitForm('${CANARY}'))>>>>endobj`;

describe("contents that are opened by their address run nothing", () => {
  test.each<[type: string, content: string]>([
    ["text/html", MARKUP],
    ["TEXT/HTML; charset=utf-7", MARKUP],
    ["application/xhtml+xml", XHTML],
    ["text/xml", XHTML],
    ["application/rss+xml", XHTML],
    ["text/xsl", XHTML],
    ["image/svg+xml", SVG],
    ["application/pdf", PDF],
    ["application/javascript", SCRIPT],
    ["multipart/x-mixed-replace; boundary=x", `--x\r\nContent-Type: text/html\r\n\r\n${MARKUP}\r\n--x--`],
    ["message/rfc822", `Content-Type: text/html\r\n\r\n${MARKUP}`],
    ["text/markdown", MARKUP],
    ["text/plain", MARKUP],
    ["text/csv", MARKUP],
    ["application/json", MARKUP],
    ["image/png", MARKUP],
    ["video/mp4", MARKUP],
    ["text/vtt", MARKUP],
    ["application/octet-stream", MARKUP],
    ["x/x", MARKUP],
  ])("%s", async (type, content) => {
    const id = await client.store(
      owner.drive,
      "opened",
      content,
      `&content_type=${encodeURIComponent(type)}`,
    );
    const link = await client.json<{ url: string }>(200, "POST", `/v0/files/${id}/presigned-url`);
    const page = await dashboard.context.newPage();
    const noted = mischiefIn(page, server.url);
    for (const address of [`/v0/files/${id}/download`, link.url]) {
      for (const suffix of ["", "?inline=1"]) {
        // A download is no page to go to.
        await page.goto(address + suffix).catch(() => null);
        expect([address, suffix, await traces(page, noted)]).toEqual([address, suffix, NONE]);
      }
    }
    await page.close();
  });
});
