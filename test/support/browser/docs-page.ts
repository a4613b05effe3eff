import type { Locator, Page } from "playwright-core";
import { borrowBrowser, newWindow, strangersTo } from "./browser.ts";
import { serve } from "../server/executable.ts";

/** The page of the API description, where an agent was provisioned and whose key the page was given. */
export interface DocsPage extends AsyncDisposable {
  readonly page: Page;
  /** The agent's. */
  readonly drive: string;
  /** The other hosts that were asked. */
  readonly strangers: readonly string[];
  /** What went wrong in the page. */
  readonly complaints: readonly string[];
}

/** Opens `/docs` of the executable. */
export async function openDocsPage(): Promise<DocsPage> {
  await using closing = new AsyncDisposableStack();
  const server = closing.use(await serve());
  const { browser } = closing.use(await borrowBrowser());
  const page = await (await newWindow(browser)).newPage();
  const strangers = strangersTo(page, server.url);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${server.url}/docs`);
  const provisioned = await execute(await openOperation(page, "Drives-provisionDrive"));
  const { data }: { data: { api_key: string; drive_id: string } } = JSON.parse(provisioned.text);
  await authorize(page, data.api_key);
  const owned = closing.move();
  return {
    page,
    drive: data.drive_id,
    strangers,
    complaints,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Gives a key to Authorize. */
async function authorize(page: Page, key: string): Promise<void> {
  await page.locator(".auth-wrapper > .authorize").click();
  await page.locator(".auth-container", { hasText: "http, Bearer" }).locator("input").fill(key);
  await page.locator(".auth-btn-wrapper .authorize").first().click();
  await page.locator(".auth-btn-wrapper .btn-done").first().click();
}

/** Opens an operation, named as `Drives-listDrives`. */
export async function openOperation(page: Page, name: string): Promise<Locator> {
  const group = page.locator(`#operations-tag-${name.slice(0, name.indexOf("-"))}`);
  await group.waitFor();
  if ((await group.getAttribute("data-is-open")) !== "true") await group.click();
  const operation = page.locator(`#operations-${name}`);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".execute").waitFor();
  return operation;
}

/** Presses Execute; the status and the text of the answer. */
export async function execute(operation: Locator): Promise<{ status: string; text: string }> {
  await operation.locator(".execute").click();
  const answer = operation.locator(".live-responses-table");
  const status = await answer.locator(".response-col_status").last().innerText();
  return { status: status.trim(), text: await answer.locator(".highlight-code code").first().innerText() };
}

/** The field for the body, if it is text. */
export function bodyOf(operation: Locator): Locator {
  return operation.locator(".opblock-section-request-body textarea");
}

/** What is filled in, by name. @param attribute what has the name, on each row */
export async function filledIn(
  operation: Locator,
  attribute: string,
): Promise<[name: string, value: string][]> {
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
