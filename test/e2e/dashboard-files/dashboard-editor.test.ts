import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { enter, goFollowing, pressKeys, row } from "../../support/browser/drive-page.ts";
import { inspect } from "../../support/browser/looks.ts";
import { putFile } from "../../support/server/drives.ts";

const dashboard = await openDashboard();
const { open, driveWith, owner } = dashboard;

const textOf = (page: Page) => page.getByRole("textbox", { name: /^Text of/ });
const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** A page that edits a file of a new drive, and follows what others do to it. */
async function edit(drive: string, name: string, content: string | Uint8Array<ArrayBuffer>) {
  const { id, slug } = await driveWith(drive);
  const file = await putFile(owner, id, name, content);
  const page = await open();
  await goFollowing(page, `/drives/${slug}/`);
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await page.keyboard.press("e");
  return Object.assign(page, {
    stored: async () => (await owner.client.send("GET", `/v0/files/${file}/download`)).text,
    othersWrite: (text: string) => owner.client.put(id, name, text, 200),
  });
}

test("by keyboard alone a text is edited, saved and left", async () => {
  await using page = await edit("Writing", "plan.md", "# Plan\r\n\r\nOne\r\n");
  await textOf(page).waitFor();
  expect(await inspect(page, "editor")).toEqual([]);
  await page.keyboard.press("Control+End");
  // In the text they are no keys of the page.
  await page.keyboard.type("e/ and two");
  await page.getByText("Not saved").first().waitFor();
  await page.keyboard.press("Control+s");
  await said(page, "Saved");
  expect(await page.stored()).toBe("# Plan\r\n\r\nOne\r\ne/ and two");
  // Escape and Tab lead out of the text, and Escape alone closes nothing.
  await pressKeys(page, "Escape", "Shift+Tab", "Enter");
  await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
  await page.getByText("e/ and two").waitFor();
  expect(await page.evaluate<string>("document.activeElement.textContent")).toContain("Edit");
});

test("changes that are not saved are lost only to who says so", async () => {
  await using page = await edit("Leaving", "a.txt", "one");
  await textOf(page).press("Control+End");
  await page.keyboard.type(" more");
  for (const leave of [() => press(page, "Close preview"), () => page.goBack(), () => press(page, "Done")]) {
    await leave();
    await said(page, "You have changes that are not saved.");
    await press(page, "Keep editing");
    expect(await textOf(page).textContent()).toBe("one more");
  }
  await press(page, "Done");
  await page
    .getByRole("dialog", { name: "Save your changes?" })
    .getByRole("button", { name: "Save" })
    .click();
  await page.locator(".preview-text", { hasText: "one more" }).waitFor();
  await page.keyboard.press("e");
  await textOf(page).pressSequentially("less");
  await press(page, "Close preview");
  await press(page, "Discard");
  await page.locator("dialog").waitFor({ state: "detached" });
  expect(await page.stored()).toBe("one more");
});

test("where an agent was quicker its changes are merged, and both sides of what collides are shown", async () => {
  await using page = await edit("Together", "list.txt", "one\ntwo\nthree\n");
  await textOf(page).press("Control+End");
  await page.keyboard.type("mine");
  await page.othersWrite("ONE\ntwo\nthree\n");
  await page.getByText("while you edit it").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("merged into your text").waitFor();
  expect(await page.locator(".cm-merged").allTextContents()).toEqual(["ONE"]);
  await page.keyboard.press("Control+s");
  await said(page, "Saved");
  expect(await page.stored()).toBe("ONE\ntwo\nthree\nmine");

  await page.keyboard.type(" too");
  await page.othersWrite("ONE\ntwo\nthree\ntheirs\nmore");
  await press(page, "Merge");
  await page.getByRole("heading", { name: "You and somebody else" }).waitFor();
  expect(await page.locator(".side > pre").allTextContents()).toEqual(["mine too\n", "theirs\nmore\n"]);
  expect(await inspect(page, "editor collisions")).toEqual([]);
  await press(page, "Put into the text");
  await page.getByText("merged into your text").waitFor();
  await page.keyboard.press("Control+s");
  await said(page, "Saved");
  expect(await page.stored()).toBe("ONE\ntwo\nthree\nmine too\ntheirs\nmore");
});

test("what was saved is put back by Undo, in the editor and its page", async () => {
  await using page = await edit("Taken back", "a.txt", "one");
  await textOf(page).press("Control+End");
  await page.keyboard.type(" two");
  await press(page, "Save");
  await page.locator(".toast", { hasText: "Saved “a.txt”." }).getByRole("button", { name: "Undo" }).click();
  await page.getByText("Put back what “a.txt” held before.").waitFor();
  await page.locator(".cm-merged", { hasText: /^one$/ }).waitFor();
  expect(await page.stored()).toBe("one");
  await press(page, "Done");
  await page.locator(".preview-text", { hasText: /^one$/ }).waitFor();
});

test("a draft outlives its tab: it is continued or discarded", async () => {
  await using page = await edit("Drafts", "a.txt", "one\n\ntwo");
  await textOf(page).press("Control+End");
  await page.keyboard.type(" and more");
  await said(page, "Not saved, draft kept");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText("You have unsaved changes from just now.").waitFor();
  await page.othersWrite("ONE\n\ntwo");
  await page.getByText("This file was changed").waitFor();
  await press(page, "Continue");
  await page.getByText("while you edit it").waitFor();
  expect(await page.locator(".cm-line").allTextContents()).toEqual(["one", "", "two and more"]);
  await press(page, "Merge");
  await page.locator(".cm-merged", { hasText: /^ONE$/ }).waitFor();
  await said(page, "Not saved, draft kept");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await press(page, "Discard");
  await page.getByText("Discarded your unsaved changes.").waitFor();
  await page.getByText("You have unsaved changes").waitFor({ state: "detached" });
});

test("a new file is written before it is made, under a name that is free", async () => {
  await using page = await dashboard.openDrive("New texts", { "taken.md": 1 });
  const { id } = page.drive;
  await press(page, "New file");
  const name = page.getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("untitled.md");
  await enter(name, "taken.md");
  await page.getByText("There is a file with this name already.").waitFor();
  await enter(name, "notes.md");
  await page.locator(".cm-focused").waitFor();
  await page.keyboard.type("# Notes of mine");
  // Somebody else makes it first.
  await putFile(owner, id, "notes.md", "theirs");
  await page.keyboard.press("Control+s");
  await enter(page.getByRole("dialog", { name: "Save under another name" }).getByLabel("Name"), "mine.md");
  await said(page, "Saved");
  await textOf(page).press("Control+End");
  await page.keyboard.type("!");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved “mine.md”.").waitFor();
  await press(page, "Done");
  await row(page, "mine.md").waitFor();
  expect(await dashboard.paths(id)).toEqual(["mine.md", "notes.md", "taken.md"]);
});

test("what cannot be written as it was read is not edited, and says why", async () => {
  await using page = await edit("Latin", "cafe.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9]));
  await page.getByText("it is not a text in UTF-8").waitFor();
  await press(page, "Back");
  await page.locator(".preview-text", { hasText: "café" }).waitFor();
});

test("while the server is away the text stays, and is saved with another press", async () => {
  await using page = await edit("Away", "a.txt", "one");
  await textOf(page).press("Control+End");
  await page.keyboard.type(" two");
  await page.route("**/v0/files?*", (route) => route.abort());
  await press(page, "Save");
  await page.getByText("Your text is not saved. It stays here.").waitFor();
  await page.unroute("**/v0/files?*");
  await press(page, "Try again");
  await said(page, "Saved");
  expect(await page.stored()).toBe("one two");
});
