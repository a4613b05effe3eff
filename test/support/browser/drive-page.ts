import type { Locator, Page } from "playwright-core";

/** A row of a folder's list, by the name of its entry. */
export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** Waits until the row of this name has the focus. */
export function rowInFocus(page: Page, name: string): Promise<void> {
  return page.locator(".file-row:focus", { hasText: name }).waitFor();
}

/** Uploads a file to the folder that is open. */
export async function uploadHere(page: Page, name: string): Promise<void> {
  const file = { name, mimeType: "text/plain", buffer: Buffer.from("x") };
  await page.getByLabel("Upload files").setInputFiles(file);
  await row(page, name).waitFor();
}

/** Goes to an address in a drive, and waits until the page follows what others do. */
export async function goFollowing(page: Page, address: string): Promise<void> {
  const following = page.waitForResponse(
    (answer) =>
      answer.url().includes("/v0/changes?drive_id=") &&
      answer.headers()["content-type"] === "text/event-stream",
  );
  await page.goto(address);
  await following;
}

/** The names in a folder's list, from the top; only rows that the page has rendered. */
export function names(page: Page): Promise<string[]> {
  return page.locator(".file-row .name").allTextContents();
}

/** Closes the open dialog without a change. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
}

/** The server's response to too many requests. */
export function tooEarly(seconds: number) {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    json: { error: { code: "RATE_LIMITED", message: "Too many requests" } },
  };
}
