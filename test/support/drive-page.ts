import type { Locator, Page } from "playwright-core";

/** A row of a folder's list, by the name of what stands in it. */
export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** The names in a folder's list, from the top, as far as they are in the page. */
export function names(page: Page): Promise<string[]> {
  return page.locator(".file-row .name").allTextContents();
}

/** Leaves the dialog that is open as it is. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
}

/** What the server answers to who asks too often. */
export function tooEarly(seconds: number) {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    json: { error: { code: "RATE_LIMITED", message: "Too many requests" } },
  };
}
