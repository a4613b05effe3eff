import type { Locator, Page } from "playwright-core";

/** A row of a folder's list, by the name of its entry. */
export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** Waits until the row of this name has the focus. */
export function rowInFocus(page: Page, name: string): Promise<void> {
  return page.locator(".file-row:focus", { hasText: name }).waitFor();
}

/** Chooses files of these names to be uploaded to the folder that is open. */
export function upload(page: Page, files: readonly string[], content = "x"): Promise<void> {
  const buffer = Buffer.from(content);
  const chosen = files.map((name) => ({ name, mimeType: "text/plain", buffer }));
  return page.getByLabel("Upload files").setInputFiles(chosen);
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

/** Presses one key after another. */
export async function pressKeys(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Fills in a field, and presses Enter. */
export async function enter(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.page().keyboard.press("Enter");
}

/** Opens a form with one button, fills in a field, and sends it with another. */
export async function fillForm(
  page: Page,
  open: string,
  field: string | RegExp,
  text: string,
  send: string,
): Promise<void> {
  await page.getByRole("button", { name: open }).click();
  await page.getByRole("textbox", { name: field }).fill(text);
  await page.getByRole("button", { name: send, exact: true }).click();
}

/** Presses a button, and another in the dialog that it opens. */
export async function pressAndConfirm(page: Page, name: string, answer: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").getByRole("button", { name: answer }).click();
}

/** Renames what has the focus. */
export async function renameTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press("F2");
  await enter(page.getByLabel("Name", { exact: true }), name);
}

/** Chooses from the menu of a row. */
export async function chooseFor(page: Page, name: string, choice: string): Promise<void> {
  await row(page, name).click({ button: "right" });
  await page.getByRole("menuitem", { name: choice }).click();
}

/** Chooses from the menu of the file whose preview is shown. */
export async function chooseInPreview(page: Page, choice: string): Promise<void> {
  await page
    .locator(".preview")
    .getByRole("button", { name: /^Actions for / })
    .click();
  await page.getByRole("menuitem", { name: choice }).click();
}

/** Moves what is selected to a folder beside it. */
export async function moveTo(page: Page, folder: string): Promise<void> {
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").getByRole("treeitem", { name: folder }).click();
  await page.getByRole("button", { name: "Move here" }).click();
}

/** Says yes where it is asked about this deletion. */
export async function confirmDelete(page: Page, what: string): Promise<void> {
  await page.getByText(`${what} will go to the trash, and can be put back for 30 days.`).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
}

/** The server's response to too many requests. */
export function tooEarly(seconds: number) {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    json: { error: { code: "RATE_LIMITED", message: "Too many requests" } },
  };
}
