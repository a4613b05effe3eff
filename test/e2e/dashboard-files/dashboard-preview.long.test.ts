import { expect, test } from "bun:test";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { docx, wordParagraph } from "../../support/samples/documents.ts";
import { putFile } from "../../support/server/drives.ts";
import { PNG, WEBM, wav } from "../../support/samples/samples.ts";

const dashboard = await openDashboard();
const { owner } = dashboard;
const page = await dashboard.context.newPage();

type Content = string | Uint8Array<ArrayBuffer>;

/** Stores a file and opens its preview. */
async function show(path: string, content: Content): Promise<void> {
  await page.goto(`/drives/${owner.drive}/?file=${await putFile(owner, owner.drive, path, content)}`);
  await preview().waitFor();
}

const preview = () => page.locator("dialog.preview");
const shown = (text: string | RegExp) => preview().getByText(text).first().waitFor();

test.each<[name: string, content: Content, shows: string]>([
  ["axe/a.rs", "fn main() {}", ".preview-numbers"],
  ["axe/a.md", "# Title\n\n- [x] done\n\n> a [link](https://example.org/)\n\n| a |\n|--|\n| 1 |", ".prose"],
  ["axe/a.json", '{"a":1}', ".preview-text"],
  ["axe/a.csv", "a,b\n1,2", "table"],
  ["axe/a.png", Uint8Array.from(PNG), "img"],
  ["axe/a.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', "img"],
  ["axe/a.wav", wav(), "audio"],
  ["axe/a.webm", Uint8Array.from(WEBM), "video"],
  ["axe/a.pdf", "%PDF-1.4", ".preview-none"],
  ["axe/a.zip", "PK", ".preview-none"],
  ["axe/a.docx", docx(wordParagraph("text")), ".preview-text"],
  ["axe/a.txt", "", ".preview-none"],
  ["axe/a.log", "line\u202e\n", ".preview-note"],
])("axe finds nothing, in light and dark: %s", async (path, content, shows) => {
  await show(path, content);
  await preview().locator(shows).first().waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
});

test("Markdown that takes the lexer minutes is shown as its source, and the page goes on meanwhile", async () => {
  const id = await putFile(owner, owner.drive, "minutes.md", `${"_a*".repeat(6000)}\n\n`.repeat(14));
  await page.goto(`/drives/${owner.drive}/?file=${id}`);
  await shown("Loading…");
  // Answered by the page's own thread.
  expect(await page.evaluate("document.querySelector('.preview').textContent")).toContain("Loading…");
  await shown("This document is too long or complex to format.");
  await shown("_a*_a*");
});
