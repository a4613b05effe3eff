import { describe, expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { hold, resize } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseFor, closeDialog, fillForm, row, rowInFocus } from "../../support/browser/drive-page.ts";
import { longTest } from "../../support/server/thorough.ts";

// Dialogs: what is refused, what is answered late or never, and what is typed meanwhile.

const dashboard = await openDashboard();
const { open, openDrive, paths } = dashboard;

describe("an answer that comes after its dialog was dismissed leaves the next one open:", () => {
  const files = `/drives/${dashboard.owner.drive}/`;
  test.each([
    ["a drive", "/drives", "New drive", "Create drive", /\/v0\/drives$/, /^slow$/],
    ["a folder", files, "New folder", "Create", /\/v0\/folders$/, "Created the folder “slow”"],
  ])("%s", async (_, address, begin, submit, sent, done) => {
    await using page = await open(address);
    const { release } = await hold(page, "POST", sent);
    const name = page.getByRole("dialog").getByRole("textbox", { name: /^Name/ });
    await page.getByRole("button", { name: begin }).first().click();
    await name.fill("slow");
    await page.getByRole("button", { name: submit, exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: begin }).first().click();
    await name.fill("half typed");
    release();
    await page.getByText(done).first().waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("half typed");
  });
});

longTest("an account made after its dialog was dismissed is told about all the same", async () => {
  await using page = await open("/users");
  const { release } = await hold(page, "POST", /\/v0\/users$/);
  await fillForm(page, "Add user", /^Username/, "carol", "Create account");
  await closeDialog(page);
  release();
  await page.getByRole("heading", { name: "Share sign-in details" }).waitFor();
  await page.getByText("Username: carol").waitFor();
});

test("what is pressed twice, and sent again because its answer was lost, makes one key, and shows it", async () => {
  await using page = await open("/keys");
  // The first request takes effect; its answer is lost once the key was pressed twice.
  const lost = Promise.withResolvers<void>();
  let sent = 0;
  await page.route("**/v0/keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent += 1;
    if (sent > 1) return route.continue();
    await route.fetch();
    await lost.promise;
    await route.abort();
  });
  const create = page.getByRole("button", { name: "Create key" });
  await page.getByRole("button", { name: "Connect an agent" }).click();
  await page.getByLabel("Agent", { exact: true }).selectOption("Your own program");
  await page.getByRole("textbox", { name: /^Name/ }).fill("Only once");
  await create.dblclick();
  lost.resolve();
  const secret = await page.locator(".paste pre").first().innerText();
  await dashboard.server.client(secret).get("/v0/drives");
  expect(sent).toBe(2);
  const keys = await dashboard.owner.client.get<{ name: string }[]>("/v0/keys");
  expect(keys.filter(({ name }) => name === "Only once")).toHaveLength(1);
});

longTest("work that is left while it is being done shows in the list once it is", async () => {
  await using page = await openDrive("Left", { "a.txt": 1, "b.txt": 1 });
  const { release } = await hold(page, "POST", /\/v0\/files\/bulk-delete$/);
  await row(page, "b.txt").focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("progressbar").waitFor();
  // The button that had the focus is gone; Escape, and Tab, still count for the dialog.
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  release();
  await row(page, "b.txt").waitFor({ state: "detached" });
  await rowInFocus(page, "a.txt");
  // Nothing is left to have it then but what can be done next.
  await page.keyboard.press("Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("This drive is empty").waitFor();
  await page.locator("button:focus", { hasText: "Upload files" }).waitFor();
});

longTest("what was refused at one destination can be taken to another", async () => {
  await using page = await openDrive("Elsewhere", {
    "a/in/x": 1,
    "b.txt": 1,
    "free/x": 1,
  });
  await page.getByLabel("Select a", { exact: true }).check();
  await page.getByLabel("Select b.txt").check();
  await fillForm(page, "Move", /^Folder/, "a/in", "Move here");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 item couldn't be moved:").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Choose another folder" }).click();
  await page.getByRole("dialog", { name: "Move “a”" }).waitFor();
  await dialog.getByRole("treeitem", { name: "free" }).click();
  await dialog.getByRole("button", { name: "Move here" }).click();
  await page.getByText("Moved “a”.").waitFor();
  expect(await paths(page.drive.id)).toEqual(["free/a/in/b.txt", "free/a/in/x", "free/x"]);
});

test("a refusal is tied to the field that it is about, for who does not see it", async () => {
  await using page = await openDrive("Refused", { "a.txt": 1 });
  const dialog = page.getByRole("dialog");
  for (const [choice, label, typed, submit] of [
    ["Rename", "Name", "a/b", "Rename"],
    ["Details", "Metadata", "[1]", "Save"],
    ["Details", "Tags", "x".repeat(65), "Save"],
    ["Details", "Expires", "2020-01-01T00:00", "Save"],
  ] as const) {
    await chooseFor(page, "a.txt", choice);
    const field = dialog.getByLabel(label, { exact: true });
    await field.fill(typed);
    await dialog.getByRole("button", { name: submit }).click();
    const alert = dialog.getByRole("alert");
    await alert.waitFor();
    expect([label, await field.getAttribute("aria-invalid")]).toEqual([label, "true"]);
    const [refusal = ""] = (await field.getAttribute("aria-describedby"))?.split(" ") ?? [];
    expect(await page.locator(`[id="${refusal}"]`).innerText()).toBe(await alert.innerText());
    await field.and(page.locator(":focus")).waitFor();
    await closeDialog(page);
  }
  // A dialog longer than the window, a laptop's at 400%, begins with its title.
  await resize(page, 320, 256);
  await row(page, "a.txt").focus();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menuitem", { name: "Details" }).press("Enter");
  await page.locator("dialog:focus").waitFor();
  const title = await page.getByRole("heading", { name: "Details" }).boundingBox();
  expect(title?.y).toBeGreaterThan(0);
});
