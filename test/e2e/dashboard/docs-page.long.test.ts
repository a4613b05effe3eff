import { afterAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { borrowBrowser, newWindow, strangersTo } from "../../support/browser/browser.ts";
import { serve } from "../../support/server/executable.ts";

// `/docs` of the executable, as somebody uses it who has an agent provisioned there and gives the page its key.

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
const server = closing.use(await serve());
const { browser } = closing.use(await borrowBrowser());
const page = await (await newWindow(browser)).newPage();
const strangers = strangersTo(page, server.url);
const complaints: string[] = [];
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
await page.goto(`${server.url}/docs`);
const provisioned = await execute(await openOperation("Drives-provisionDrive"));
const { data: agent }: { data: { api_key: string; drive_id: string } } = JSON.parse(provisioned.text);
await page.locator(".auth-wrapper > .authorize").click();
await page.locator(".auth-container", { hasText: "http, Bearer" }).locator("input").fill(agent.api_key);
await page.locator(".auth-btn-wrapper .authorize").first().click();
await page.locator(".auth-btn-wrapper .btn-done").first().click();

/** Opens an operation, named as `Drives-listDrives`. */
async function openOperation(name: string): Promise<Locator> {
  const group = page.locator(`#operations-tag-${name.slice(0, name.indexOf("-"))}`);
  await group.waitFor();
  if ((await group.getAttribute("data-is-open")) !== "true") await group.click();
  const operation = page.locator(`#operations-${name}`);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".execute").waitFor();
  return operation;
}

/** Presses Execute; the status and the text of the answer. */
async function execute(operation: Locator): Promise<{ status: string; text: string }> {
  await operation.locator(".execute").click();
  const answer = operation.locator(".live-responses-table");
  const status = await answer.locator(".response-col_status").last().innerText();
  return { status: status.trim(), text: await answer.locator(".highlight-code code").first().innerText() };
}

/** The field for the body, if it is text. */
function bodyOf(operation: Locator): Locator {
  return operation.locator(".opblock-section-request-body textarea");
}

/** What is filled in, by name. @param attribute what has the name, on each row */
async function filledIn(operation: Locator, attribute: string): Promise<[name: string, value: string][]> {
  const found: [string, string][] = [];
  for (const row of await operation.locator(`tr[${attribute}]`).all()) {
    const name = (await row.getAttribute(attribute)) ?? "";
    for (const field of await row.locator("input, select").all()) {
      const value = await field.inputValue();
      if (value !== "") found.push([name, value]);
    }
  }
  return found;
}

test("an operation is tried in the browser, with a key given to Authorize, and no other host is asked", async () => {
  const list = await openOperation("Drives-listDrives");
  // What the description refers to is put in its place.
  const refusal = list.locator('.responses-table tr[data-code="429"] .response-col_description');
  expect(await refusal.innerText()).toContain("RATE_LIMITED");
  const { text: drives } = await execute(list);
  expect(drives).toContain('"slug": null');
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
});

test("what is filled in can be executed as it is, but for the ids: an upload, a form, a change", async () => {
  const upload = await openOperation("Files-uploadFile");
  const example: { drive_id: string; filename: string; content: string } = JSON.parse(
    await bodyOf(upload).inputValue(),
  );
  expect(example).toEqual({
    drive_id: expect.any(String),
    filename: "hello.txt",
    content: "SGVsbG8gV29ybGQh",
  });
  await bodyOf(upload).fill(JSON.stringify({ ...example, drive_id: agent.drive_id }));
  const uploaded = await execute(upload);
  expect(uploaded).toEqual({ status: "201", text: expect.stringContaining('"path": "hello.txt"') });
  const file: { id: string } = JSON.parse(uploaded.text);

  await upload.locator("select.content-type").first().selectOption("multipart/form-data");
  await upload.locator("[data-property-name=file] input").setInputFiles({
    name: "plan.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("A plan."),
  });
  expect(await filledIn(upload, "data-property-name")).toEqual([
    ["drive_id", example.drive_id],
    ["file", expect.stringMatching(/plan\.md$/)],
  ]);
  await upload.locator("[data-property-name=drive_id] input").fill(agent.drive_id);
  await upload.locator(".live-responses-table").waitFor();
  await upload.locator(".btn-clear").click();
  expect(await execute(upload)).toEqual({
    status: "201",
    text: expect.stringMatching(
      /"path": "plan\.md"[^]*"tags": \[\],\s*"metadata": \{\},\s*"expires_at": null/,
    ),
  });

  const update = await openOperation("Files-updateFile");
  expect(JSON.parse(await bodyOf(update).inputValue())).toEqual({ tags: ["greeting"] });
  await update.locator("tr[data-param-name=id] input").fill(file.id);
  const updated = await execute(update);
  expect(updated.status).toBe("200");
  expect(JSON.parse(updated.text)).toMatchObject({
    filename: "hello.txt",
    tags: ["greeting"],
    expires_at: null,
  });

  const parameters = [
    ["Files-downloadArchive", []],
    ["Search-searchFiles", ["page=1", "limit=50"]],
    ["Files-listFiles", ["sort=path", "page=1", "limit=50"]],
  ] as const;
  for (const [name, defaults] of parameters) {
    const filled = await filledIn(await openOperation(name), "data-param-name");
    expect([name, filled.map((each) => each.join("="))]).toEqual([name, [...defaults]]);
  }
});

test("descriptions are formatted, and what an operation answers comes part by part", async () => {
  await page.reload();
  const overview = page.locator(".info .renderedMarkdown");
  await page.getByText("More about the API").click();
  await overview.locator("p > strong", { hasText: "Where to begin." }).waitFor();
  await overview.locator("p > code", { hasText: "/skill.md" }).waitFor();
  expect(await overview.innerText()).not.toMatch(/`|\*\*/);
  await page.evaluate(`{
    window.together = [];
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.nodeType === 1);
      const rows = added.flatMap((node) => [node, ...node.querySelectorAll("tr.response")]);
      window.together.push(rows.filter((node) => node.matches("tr.response")).length);
    }).observe(document.body, { childList: true, subtree: true });
  }`);
  const upload = await openOperation("Files-uploadFile");
  await upload.locator(".responses-table tr.response").nth(8).waitFor();
  expect(await page.evaluate<number>("Math.max(...window.together)")).toBe(1);
  expect(complaints).toEqual([]);
});

test("the name and the first operation are on the first screen, light or dark as the device is", async () => {
  const window = await newWindow(browser, { colorScheme: "dark", viewport: { width: 1100, height: 700 } });
  const dark = await window.newPage();
  await dark.goto(`${server.url}/docs`);
  const first = await dark.locator(".opblock").first().boundingBox();
  expect(first === null ? Infinity : first.y + first.height).toBeLessThan(700);
  expect(await dark.getByRole("heading", { name: /^Coffer/ }).isVisible()).toBe(true);
  const isDark = () => dark.locator("html.dark-mode").count();
  expect(await isDark()).toBe(1);
  await dark.emulateMedia({ colorScheme: "light" });
  await dark.locator("html:not(.dark-mode)").waitFor();
  // What is chosen in the dashboard counts before that.
  await dark.evaluate('localStorage.setItem("coffer:appearance", "dark")');
  await dark.reload();
  expect(await isDark()).toBe(1);
  await window.close();
});
