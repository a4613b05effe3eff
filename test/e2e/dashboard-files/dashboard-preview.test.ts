import { describe, expect, test } from "bun:test";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { nextFrame } from "../../support/browser/browser.ts";
import { LAPTOP } from "../../support/browser/dashboard.ts";
import {
  chooseInPreview,
  confirmDelete,
  enter,
  goFollowing,
  pressKeys,
  row,
  rowInFocus,
} from "../../support/browser/drive-page.ts";
import { type Content, openPreviews } from "../../support/browser/preview.ts";
import { docx, pdf, pdfLines, wordParagraph, xlsx } from "../../support/samples/documents.ts";
import { putFile } from "../../support/server/drives.ts";
import { PNG, WEBM, wav } from "../../support/samples/samples.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";
import { eventually } from "../../support/server/scenario.ts";

const { dashboard, page, strangers, store, show, preview, shown, view } = await openPreviews();
const { owner } = dashboard;

/** A picture of one circle, repeated ten times, and that ten times, and so on. */
function nestedUse(levels: number): string {
  const groups = Array.from(
    { length: levels },
    (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle id="l0" r="5"/>${groups.join("")}</svg>`;
}

describe("what each kind looks like", () => {
  test("code has line numbers, and what is no text says so", async () => {
    await show("main.rs", "fn main() {\n    todo!()\n}\n");
    await preview().locator(".code-keyword", { hasText: "fn" }).waitFor();
    expect(await preview().locator(".preview-numbers").textContent()).toBe("1\n2\n3");
    expect(await preview().locator(".preview-text").textContent()).toBe("fn main() {\n    todo!()\n}\n");
    await preview().getByLabel("Wrap lines").check();
    expect(await preview().locator(".preview-numbers").count()).toBe(0);
    await show("Makefile", "all:\n\ttrue\n");
    await shown("all:");
    await show("core", new Uint8Array(100));
    await shown("Not a text file");
    await show("a.zip", "PK");
    await shown("No preview for this file type.");
    await show("empty.txt", "");
    await shown("This file is empty.");
  });

  test("of a document its text is shown, and never as markup", async () => {
    const text = "<b>One</b>".replaceAll("<", "&lt;");
    await show("letter.docx", docx(wordParagraph(text) + wordParagraph("word ".repeat(100))));
    await shown("<b>One</b>");
    await shown("Showing only the text.");
    await show("sheet.xlsx", xlsx({ Sheet: "<row><c><v>42</v></c></row>" }));
    await shown("42");
    await show("broken.docx", "PK");
    await shown("Its text can't be read either.");
    await show("blank.docx", docx(""));
    await shown("This document has no text.");
    const old = await dashboard.context.newPage();
    await old.addInitScript("delete window.OffscreenCanvas");
    const id = await store("a.pdf", pdf([pdfLines("Words of a page")]));
    await old.goto(`/drives/${owner.drive}/?file=${id}`);
    await old.getByText("This browser can't show PDFs.").waitFor();
    await old.getByText("Words of a page").waitFor();
    await old.close();
  });

  longTest("of a long text the first MiB is shown, and that this is so", async () => {
    // The limit falls into the middle of a character: behind the first one, 5,216 lines of 201 bytes
    // and 159 bytes of the next.
    await show("long.log", `a${`${"é".repeat(100)}\n`.repeat(10_434)}`);
    await shown("Showing the first 1.0 MiB of 2.0 MiB.");
    const text = (await preview().locator(".preview-text").allTextContents()).join("");
    expect([text.length, text.at(-1)]).toEqual([1 + 5216 * 101 + 79, "é"]);
    await show("lines.log", "line\n".repeat(60_000));
    await shown("Showing the first 50,000 lines.");
    const numbers = await preview().locator(".preview-numbers").allTextContents();
    expect(numbers.join("\n").split("\n")).toEqual(Array.from({ length: 50_000 }, (_, at) => String(at + 1)));
    // Latin-1 and UTF-16 are read as what they are.
    await show("latin.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9]));
    await shown("café");
    await show("utf16.txt", Uint8Array.from(Buffer.from("\ufeffnaïve", "utf16le")));
    await shown("naïve");
  });

  test("images are seen, and damaged ones said to be", async () => {
    await show("dot.png", Uint8Array.from(PNG));
    await preview().locator("img").waitFor();
    await eventually(() =>
      page.evaluate<boolean>("document.querySelector('.preview img').naturalWidth === 1"),
    );
    await show("damaged.png", "nothing of the kind");
    await shown("The browser can't show this image");
    // An SVG is drawn, unless it could hold the page: then its source is shown.
    await show("simple.svg", nestedUse(1));
    await preview().locator("img").waitFor();
    await eventually(() =>
      page.evaluate<boolean>("document.querySelector('.preview img').naturalWidth === 9"),
    );
    await show("bomb.svg", nestedUse(6));
    await shown("This picture is too complex to be drawn here.");
    await shown('<use href="#l5"/>');
    expect(await preview().locator("img").count()).toBe(0);
  });

  longTest("sound and films are played, and what cannot be is said", async () => {
    await show("silence.wav", wav());
    await preview().locator("audio").waitFor();
    await eventually(() => page.evaluate<boolean>("document.querySelector('.preview audio').duration === 1"));
    await show("noise.mp3", "noise");
    await shown("The browser can't play this audio.");
    await show("red.webm", Uint8Array.from(WEBM));
    await preview().locator("video").waitFor();
    // Without sound a page may begin by itself.
    await page.evaluate(`{
      const video = document.querySelector(".preview video");
      video.muted = true;
      video.play();
    }`);
    await eventually(() => page.evaluate<boolean>("document.querySelector('.preview video').ended"));
    expect(await page.evaluate<number>("document.querySelector('.preview video').videoWidth")).toBe(16);
  });

  test("it is closed by Escape, its button and Back, and downloads under the file's name", async () => {
    await page.goto(`/drives/${owner.drive}/?file=${await store("note.txt", "a note")}`);
    await preview().waitFor();
    const downloading = page.waitForEvent("download");
    await preview().getByRole("link", { name: "Download" }).click();
    expect((await downloading).suggestedFilename()).toBe("note.txt");
    // What is printed, or kept open in a tab, is called like the file.
    expect(await page.title()).toBe("note.txt · Coffer");
    await page.keyboard.press("Escape");
    await preview().waitFor({ state: "detached" });
    expect(await page.title()).toBe("Files · Coffer");
    await page.getByText("note.txt").first().click();
    await preview().waitFor();
    await page.goBack();
    await preview().waitFor({ state: "detached" });
    await page.goForward();
    await preview().getByRole("button", { name: "Close preview" }).click();
    await preview().waitFor({ state: "detached" });
  });
});

describe("hostile files never run", () => {
  const CANARY = "http://canary.invalid";
  const SCRIPT = `document.title='pwned';fetch('${CANARY}/fetched');alert('pwned')`;
  const MARKUP = `<img src=x onerror="${SCRIPT}"><script>${SCRIPT}</script><link rel=stylesheet href=${CANARY}/s>`;
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${SCRIPT}"><script>${SCRIPT}</script><image href="${CANARY}/i"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:${SCRIPT}"/></foreignObject></svg>`;
  const MARKDOWN = `${MARKUP}\n\n[run](javascript:${encodeURIComponent(SCRIPT)}) ![pic](${CANARY}/p.png) <javascript:alert(1)> [data](data:text/html,x)\n`;

  const NOTEBOOK = JSON.stringify({
    metadata: { language_info: { name: MARKUP } },
    cells: [
      { cell_type: "markdown", source: MARKDOWN },
      {
        cell_type: "code",
        source: MARKUP,
        outputs: [
          { output_type: "display_data", data: { "text/html": MARKUP, "application/javascript": SCRIPT } },
          { output_type: "display_data", data: { "image/png": MARKUP, "image/svg+xml": SVG } },
          { output_type: "display_data", data: { "text/markdown": MARKDOWN } },
          { output_type: "stream", text: MARKUP },
        ],
      },
    ],
  });

  test.each<[name: string, path: string, content: string, type: string | undefined, views: string[]]>([
    ["HTML", "page.html", MARKUP, undefined, []],
    ["XHTML", "page.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml">${MARKUP}</html>`, undefined, []],
    ["SVG", "image.svg", SVG, undefined, ["Source", "Image"]],
    ["Markdown", "read.md", MARKDOWN, undefined, ["Source", "Document"]],
    ["CSV", "table.csv", `a,b\n"${MARKUP.replaceAll('"', '""')}",2`, undefined, ["Source", "Table"]],
    ["JSON", "data.json", JSON.stringify({ [MARKUP]: MARKUP }), undefined, ["Source", "Tree"]],
    ["JSON lines", "data.jsonl", JSON.stringify({ [MARKUP]: [MARKUP] }), undefined, ["Source", "Table"]],
    ["a notebook", "book.ipynb", NOTEBOOK, undefined, ["Source", "Notebook"]],
    ["HTML that says it is an image", "a.png", MARKUP, "image/png", []],
    ["HTML that says it is a film", "a.mp4", MARKUP, "video/mp4", []],
    ["HTML that says it is a PDF", "a.pdf", MARKUP, "application/pdf", []],
    ["HTML that says nothing", "a", MARKUP, undefined, []],
    ["a script", "a.js", SCRIPT, undefined, []],
    ["a name with markup", `<img src=x onerror=document.title='pwned'>.txt`, "text", undefined, []],
    ["a name that reads backwards", "photo\u202egpj.exe", "text", "text/plain", []],
  ])("%s", async (_, path, content, type, views) => {
    await show(`hostile ${path}`, content, type);
    for (const name of views) await view(name);
    await preview().locator(".preview-body").waitFor();
    await nextFrame(page);
    expect(
      await preview().locator("script, [onerror], [onload], a[href^='javascript'], a[href^='data']").count(),
    ).toBe(0);
    expect([await page.title(), strangers]).toEqual([expect.not.stringMatching(/^pwned/), []]);
  });

  longTest("documents that are made to take long, or to mislead, do not", async () => {
    const unended = ["_a ", "[", "![[a](b)", "**a", "<http://", "` a"].map((mark) => mark.repeat(5000));
    await show(
      "slow.md",
      `${"> ".repeat(500)}deep\n\n|a|b|\n|${" ".repeat(40_000)}x\n\n${unended.join("\n\n")}`,
    );
    await shown("deep");
    await show("deep.json", "[".repeat(100_000) + "]".repeat(100_000));
    await shown("[[[[");
    // A text that reads in another order than it is stored says so.
    await show("trojan.py", 'access = "user\u202e \u2066# check\u2069"\n');
    await shown("This text has invisible characters");
  });
});

test("one goes from file to file, by buttons and arrow keys, in the order of the list; Back closes the preview", async () => {
  const { slug } = await dashboard.driveWith("Steps", { "a/x.txt": 1, "b.txt": 1, "c.csv": 1, "d.txt": 1 });
  await using tab = await dashboard.open(`/drives/${slug}/`);
  const previewOf = (name: string) => tab.getByRole("dialog", { name });
  await tab.getByRole("link", { name: "c.csv" }).click();
  await previewOf("c.csv").getByText("2 of 3").waitFor();
  await tab.getByRole("button", { name: "Large preview" }).click();
  await tab.getByRole("button", { name: "Preview beside the list" }).and(tab.locator(":focus")).waitFor();
  expect(await accessibilityProblemsInEachScheme(tab)).toEqual([]);
  await tab.keyboard.press("ArrowLeft");
  await previewOf("b.txt").waitFor();
  // What has the focus is gone with its file; the next key counts all the same.
  await previewOf("b.txt").locator(".preview-text").click();
  await tab.keyboard.press("ArrowRight");
  await previewOf("c.csv").waitFor();
  await previewOf("c.csv").getByRole("button", { name: "Next file" }).click();
  await previewOf("d.txt").getByText("d.txt, 3 of 3").waitFor();
  await tab.keyboard.press("ArrowRight");
  await previewOf("d.txt").getByRole("button", { name: "Comments" }).click();
  await tab.getByLabel("New comment").fill("typed");
  await tab.keyboard.press("ArrowLeft");
  expect(await tab.getByLabel("New comment").inputValue()).toBe("typed");
  await previewOf("d.txt").waitFor();
  await tab.goBack();
  await previewOf("d.txt").waitFor({ state: "detached" });
  expect(new URL(tab.url()).search).toBe("");
  await rowInFocus(tab, "d.txt");
  // As it was chosen.
  await tab.keyboard.press("Enter");
  await tab.locator(".preview:modal").waitFor();
  await tab.getByRole("button", { name: "Preview beside the list" }).click();
  await tab.locator(".preview:not(:modal)").waitFor();
});

longTest("beside it, the list stays in use: its keys and clicks lead to other files", async () => {
  const { slug } = await dashboard.driveWith("Beside", { "a/x.txt": 1, "b.txt": 1, "c.txt": 1, "d.txt": 1 });
  await using tab = await dashboard.open(`/drives/${slug}/`);
  const heading = (name: string) => tab.locator(".preview").getByRole("heading", { name });
  await row(tab, "b.txt").focus();
  await tab.keyboard.press("Enter");
  await heading("b.txt").waitFor();
  expect(await accessibilityProblemsInEachScheme(tab)).toEqual([]);
  await rowInFocus(tab, "b.txt");
  await tab.keyboard.press("ArrowDown");
  await heading("c.txt").waitFor();
  await rowInFocus(tab, "c.txt");
  await row(tab, "d.txt").click({ position: { x: 300, y: 20 } });
  await heading("d.txt").waitFor();
  await tab.getByRole("link", { name: "b.txt" }).click();
  await heading("b.txt").waitFor();
  // A folder has no preview, and to select others shows none of them.
  await pressKeys(tab, "Home", "Space");
  await tab.getByLabel("Select c.txt").click();
  await heading("b.txt").waitFor();
  await tab.getByRole("button", { name: "Next file" }).click();
  await heading("c.txt").waitFor();
  await tab.keyboard.press("ArrowRight");
  await heading("d.txt").waitFor();
  await tab.locator(".file-row[aria-current=true]", { hasText: "d.txt" }).waitFor();
  await tab.goBack();
  await heading("d.txt").waitFor({ state: "detached" });
  await rowInFocus(tab, "d.txt");
  expect(new URL(tab.url()).search).toBe("");
  expect(await tab.locator(".file-row[aria-selected=true]").count()).toBe(3);
  await tab.keyboard.press("Enter");
  await heading("d.txt").waitFor();
  // Once more leads into it.
  await tab.keyboard.press("Enter");
  await tab.locator(".preview:focus").waitFor();
  await tab.keyboard.press("Escape");
  await heading("d.txt").waitFor({ state: "detached" });
  await rowInFocus(tab, "d.txt");
  await tab.keyboard.press("Escape");
  expect(await tab.locator(".file-row[aria-selected=true]").count()).toBe(0);
});

test("what can be done with a file is done from its preview; after its deletion the next one is shown", async () => {
  const { slug, id: drive } = await dashboard.driveWith("Deeds", {
    "a.txt": 1,
    "b.txt": 1,
    "c.txt": 1,
    "box/x": 1,
  });
  const last = await owner.client.store(drive, "d.txt", "x", "&tags=first,second");
  await using tab = await dashboard.open();
  await goFollowing(tab, `/drives/${slug}/?file=${last}`);
  const previewOf = (name: string) =>
    tab.locator(".preview").filter({ has: tab.getByRole("heading", { name }) });
  const menu = tab.getByRole("menu");
  const actions = previewOf("d.txt").getByRole("button", { name: "Actions for d.txt" });
  await previewOf("d.txt").getByText("4 of 4").waitFor();
  await actions.click();
  await menu.getByRole("menuitem", { name: "Rename" }).waitFor();
  await tab.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await actions.and(tab.locator(":focus")).waitFor();
  await previewOf("d.txt").getByRole("button", { name: "Details" }).click();
  const details = tab.getByRole("region", { name: "Details" });
  for (const text of ["1 byte", "first", "second", "by an unnamed key"])
    await details.getByText(text).first().waitFor();
  expect(await accessibilityProblemsInEachScheme(tab)).toEqual([]);
  await details.getByRole("button", { name: "Edit details" }).click();
  await tab.getByRole("button", { name: "Remove tag first" }).click();
  await tab.getByRole("button", { name: "Save" }).click();
  await details.getByText("first").waitFor({ state: "detached" });

  await chooseInPreview(tab, "Rename");
  await enter(tab.getByLabel("Name", { exact: true }), "0.txt");
  await previewOf("0.txt").getByText("1 of 4").waitFor();
  await chooseInPreview(tab, "Delete");
  await confirmDelete(tab, "1 file (1 byte)");
  await previewOf("a.txt").getByText("1 of 3").waitFor();
  await tab.getByRole("button", { name: "Actions for a.txt" }).and(tab.locator(":focus")).waitFor();
  await chooseInPreview(tab, "Move");
  await tab.locator(".dialog").getByRole("treeitem", { name: "box" }).click();
  await tab.getByRole("button", { name: "Move here" }).click();
  await previewOf("b.txt").getByText("1 of 2").waitFor();
  await tab.keyboard.press("ArrowRight");
  await previewOf("c.txt").getByText("2 of 2", { exact: true }).waitFor();
  await tab.getByRole("button", { name: "Large preview" }).click();
  await chooseInPreview(tab, "Delete");
  await confirmDelete(tab, "1 file (1 byte)");
  await previewOf("b.txt").getByText("1 of 1").waitFor();
  // Over the page, it hides what is said there from screen readers.
  await tab.locator(".preview").getByRole("status").getByText("Deleted “c.txt”.").waitFor();
  await tab.getByRole("button", { name: "Preview beside the list" }).click();
  await chooseInPreview(tab, "Delete");
  await confirmDelete(tab, "1 file (1 byte)");
  await previewOf("b.txt").waitFor({ state: "detached" });
  await rowInFocus(tab, "box");
  expect(await dashboard.paths(drive)).toEqual(["box/a.txt", "box/x"]);
});

test("a README.md stands under the list of its folder, leads to its preview, and follows what others do", async () => {
  const { id: drive, slug } = await dashboard.driveWith("Read me", { "a.txt": 1 });
  const file = await putFile(owner, drive, "Readme.md", "# First\n\nIt *begins*.");
  await using tab = await dashboard.open();
  await goFollowing(tab, `/drives/${slug}/`);
  const readme = tab.getByRole("region", { name: "Readme.md" });
  await readme.getByRole("heading", { name: "First" }).waitFor();
  expect(await accessibilityProblemsInEachScheme(tab)).toEqual([]);
  await owner.client.store(drive, "Readme.md", `# Second\n\nIt goes on.\n\n${"word ".repeat(4000)}\n\nEnd`);
  await readme.getByRole("heading", { name: "Second" }).waitFor();
  await readme.getByText("This is only its start.").waitFor();
  await tab.getByRole("link", { name: "a.txt" }).click();
  await tab.getByRole("dialog", { name: "a.txt" }).waitFor();
  await readme.getByRole("link", { name: "Readme.md" }).click();
  await tab.waitForURL(new RegExp(`\\?file=${file}$`));
  await tab.getByRole("dialog", { name: "Readme.md" }).getByText("End", { exact: true }).waitFor();
  // Back would lead to the other file; Escape closes the preview.
  await tab.keyboard.press("Escape");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  expect(new URL(tab.url()).search).toBe("");
  await owner.client.delete(`/v0/files/${file}`);
  await readme.waitFor({ state: "detached" });
});

test("a preview is printed whole, without the page around it, and in dark on light", async () => {
  const { id: drive, slug } = await dashboard.driveWith("Printed");
  const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
  await putFile(owner, drive, "long.txt", lines);
  await using tab = await dashboard.open(`/drives/${slug}/`);
  await tab.emulateMedia({ colorScheme: "dark" });
  await tab.getByRole("link", { name: "long.txt" }).click();
  const shownFile = tab.getByRole("dialog", { name: "long.txt" });
  await shownFile.getByText("line 299").waitFor();
  await tab.emulateMedia({ media: "print", colorScheme: "dark" });
  await tab.locator(".file-row").waitFor({ state: "hidden" });
  const last = await shownFile.getByText("line 299").boundingBox();
  const paper = await shownFile.boundingBox();
  const end = last === null ? Number.NaN : last.y + last.height;
  expect(end).toBeGreaterThan(300 * 12);
  expect((paper?.y ?? 0) + (paper?.height ?? 0)).toBeGreaterThan(end);
  const color = await tab.evaluate("getComputedStyle(document.querySelector('.preview')).color");
  expect(color).toBe("rgb(20, 24, 31)");
  await tab.emulateMedia({ media: "screen" });
  await tab.locator(".file-row").waitFor();
});

if (isThorough()) {
  test("JSON of too many values is shown as its source", async () => {
    await show("many.json", `[${"0,".repeat(400_000)}0]`);
    await shown("This is not valid JSON, or it is too long or nested to fold.");
    await shown("[0,0,0");
  });

  test.each<[name: string, content: Content, shows: string]>([
    ["axe/a.rs", '// #\nfn main() -> u8 { "a"; 1 }', ".code-comment"],
    ["axe/a.diff", "@@ -1 +1 @@\n-a\n+b\n", ".code-added"],
    ["axe/a.md", "# Title\n\n- [x] done\n\n> a [link](https://example.org/)\n\n| a |\n|--|\n| 1 |", ".prose"],
    ["axe/a.json", '{"a":[1,"b",null]}', ".json"],
    ["axe/a.jsonl", '{"a":1}', "table"],
    [
      "axe/a.ipynb",
      '{"cells":[{"cell_type":"code","source":"1","outputs":[{"output_type":"stream","text":"1"}]}]}',
      ".prose",
    ],
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
    // Scrolled to the row of the file, the page would have its tabs half under what stays in view.
    await page.setViewportSize({ ...LAPTOP, height: 3000 });
    await show(path, content);
    await preview().locator(shows).first().waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.setViewportSize(LAPTOP);
  });

  test("Markdown that takes the lexer minutes is shown as its source, and the page goes on meanwhile", async () => {
    await show("minutes.md", `${"_a*".repeat(6000)}\n\n`.repeat(14));
    await shown("Loading…");
    // Answered by the page's own thread.
    expect(await page.evaluate("document.querySelector('.preview').textContent")).toContain("Loading…");
    await shown("This document is too long or complex to format.");
    await shown("_a*_a*");
  });

  test("code that takes a grammar minutes is shown without colours, and the page goes on meanwhile", async () => {
    const starting = page.waitForEvent("worker");
    await show("minutes.cs", "a ".repeat(100_000));
    const worker = await starting;
    await shown("a a a");
    if (page.workers().includes(worker)) await worker.waitForEvent("close");
    expect(await preview().locator("[class^=code-]").count()).toBe(0);
    await show("after.cs", "class After {}");
    await preview().locator(".code-keyword", { hasText: "class" }).waitFor();
  });
}
