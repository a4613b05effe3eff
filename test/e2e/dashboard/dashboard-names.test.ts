import { expect, test } from "bun:test";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseFor } from "../../support/browser/drive-page.ts";
import { isFound, putFile } from "../../support/server/drives.ts";

// Names and texts that are made to be read as something else.

const dashboard = await openDashboard();
const { open, openDrive, driveWith } = dashboard;

/** What somebody types who sees such a name. */
const NAMES: readonly (readonly [what: string, name: string, typed: string])[] = [
  ["spaces", "two  spaces\u00A0here", "two spaces here"],
  ["characters that do not show", "in\u200Bvi\u00ADsi\u2060ble", "invisible"],
  ["another order", "\u202Egnp.exe", "gnp.exe"],
  ["letters in pieces", "cafe\u0301", "caf\u00E9"],
];

test.each(NAMES)("a drive with %s in its name is deleted by what is seen of it", async (_, name, typed) => {
  const drive = await driveWith(name);
  await using page = await open("/drives");
  await page.getByRole("listitem").filter({ hasText: drive.slug }).getByTitle("Delete").click();
  await page.getByRole("textbox", { name: "Type the name to confirm" }).fill(`${typed}x`);
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("That doesn't match the drive's name.").waitFor();
  await page.getByRole("textbox", { name: "Type the name to confirm" }).fill(typed);
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await dashboard.owner.client.send("GET", `/v0/drives/${drive.id}`)).status).toBe(404);
});

test("what a search finds says where its name would read backwards", async () => {
  await putFile(dashboard.owner, dashboard.owner.drive, "kestrel\u202Egnp.exe");
  await isFound(dashboard.owner, "kestrel", 1);
  await using page = await open("/search?q=kestrel");
  expect(await page.getByRole("heading", { name: /^kestrel/ }).textContent()).toBe("kestrelU+202Egnp.exe");
});

test("a drive's description does not obey characters that would reverse it", async () => {
  const { id } = await driveWith("Described");
  const body = { description: "Open \u202Egpj.exe" };
  await dashboard.owner.client.patch(`/v0/drives/${id}`, body);
  await using page = await open("/drives");
  await page.locator(".drive-about", { hasText: "Open U+202Egpj.exe" }).waitFor();
});

test("a drive to move to is told apart by a name that does not obey characters that would reverse it", async () => {
  await driveWith("Safe \u202Egpj.exe");
  await using page = await openDrive("Chooser", { "a.txt": 1 });
  await chooseFor(page, "a.txt", "Move");
  await page.getByLabel("Drive", { exact: true }).selectOption({ label: "Safe ⟨U+202E⟩gpj.exe" });
});
