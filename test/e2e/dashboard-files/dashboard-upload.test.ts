import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { row, upload } from "../../support/browser/drive-page.ts";
import { MIB, openUploads } from "../../support/browser/uploads.ts";

// What takes longer is in dashboard-upload.long.test.ts.

const opened = await openUploads();
const { dashboard, page, panel, question, open, choose, uploaded, closePanel, listed, contentOf } = opened;
const { folderWith, dragOver, letGo, collide, network, focused } = opened;

describe("choosing and dropping", () => {
  test("chosen files go to the folder that is open, and its list shows them; a folder keeps its shape", async () => {
    await open("inbox/");
    await choose({ name: "cafe\u0301.ts", content: "let a" }, { name: "a\u0001b.txt", content: "" });
    await uploaded("2 files uploaded");
    await page.getByText("café.ts").first().waitFor();
    expect((await listed("inbox/")).map(({ path, mime_type }) => [path, mime_type])).toEqual([
      ["inbox/a_b.txt", "text/plain"],
      ["inbox/café.ts", "text/typescript"],
    ]);
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await closePanel();
    const root = await folderWith("chosen", ["top.txt", "deep/er/file.txt"]);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload folder" }).click();
    await (await choosing).setFiles(root);
    await uploaded("2 files uploaded");
    const paths = (await listed("inbox/chosen/")).map(({ path }) => path);
    expect(paths).toEqual(["inbox/chosen/deep/er/file.txt", "inbox/chosen/top.txt"]);
  });

  test("what is dropped as the page changes below it arrives", async () => {
    const root = await folderWith("quick", ["a.txt"]);
    await open("quick/");
    await dragOver(root);
    // The list comes, or becomes another. The page hears that what is there was entered, and nothing more.
    await page.evaluate("document.elementFromPoint(400, 300).remove()");
    await letGo(root);
    await uploaded("1 file uploaded");
  });

  test("the page says that it takes what is held over it, until it is taken away", async () => {
    await open("");
    const drag = (type: string, where: string) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["a"], "a.txt"));
        const event = new DragEvent("${type}", { bubbles: true, cancelable: true, dataTransfer });
        document.querySelector("${where}").dispatchEvent(event);
      }`);
    const hint = page.getByText("Drop to upload to this drive");
    await drag("dragenter", "main");
    await drag("dragover", "main");
    await hint.waitFor();
    // As browsers do, in this order, without telling what is entered (WebKit).
    await drag("dragenter", "header");
    await drag("dragleave", "main");
    expect(await hint.isVisible()).toBe(true);
    await drag("dragleave", "header");
    await hint.waitFor({ state: "detached" });
  });

  test("what is dropped where nothing takes it does not lead away", async () => {
    await page.goto("/drives");
    await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
    const root = await folderWith("stray", ["a.txt"]);
    await page.evaluate(`addEventListener("dragover", (event) => {
      window.answer = [event.defaultPrevented, event.dataTransfer.dropEffect];
    })`);
    await dragOver(join(root, "a.txt"), () => page.evaluate<boolean>("window.answer !== undefined"));
    expect(await page.evaluate<unknown>("window.answer")).toEqual([true, "none"]);
  });

  test("what is larger than the server takes is refused before it is sent; what the server refuses is said with its request", async () => {
    await open("");
    await choose({ name: "huge.bin", content: Buffer.alloc(8 * MIB + 1) });
    await panel().getByText("This file is 8.0 MiB. The maximum is 8.0 MiB.").waitFor();
    await uploaded("1 of 1 file couldn't be uploaded");
    // It would be no smaller the next time.
    expect(await panel().getByRole("button", { name: /Retry/ }).count()).toBe(0);
    await choose({ name: "inbox", content: "a file where a folder stands" });
    await panel()
      .getByText(/Request [0-9a-f-]{36}/)
      .waitFor();
    expect(await contentOf("inbox")).toBeUndefined();
  });
});

describe("a place that is taken", () => {
  test("is asked about file by file: replaced, kept beside the new one, or skipped", async () => {
    const answers = ["Replace", "Keep both", "Skip"];
    await collide(answers.map((answer) => `${answer}.tar.gz`));
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    for (let asked = 0; asked < answers.length; asked += 1) {
      const title = await question().getByRole("heading").innerText();
      const answer = answers.find((one) => title.startsWith(one)) ?? "";
      await question().getByRole("button", { name: answer }).click();
      await question().getByRole("heading", { name: title }).waitFor({ state: "detached" });
    }
    await panel().getByRole("button", { name: "Close uploads" }).waitFor();
    const contents: (readonly [name: string, content: string | undefined])[] = [];
    for (const { path } of await listed("taken/")) contents.push([path, await contentOf(path)]);
    expect(contents).toEqual([
      ["taken/Keep both (2).tar.gz", "new"],
      ["taken/Keep both.tar.gz", "old"],
      ["taken/Replace.tar.gz", "new"],
      ["taken/Skip.tar.gz", "old"],
    ]);
  });
});

test("by keyboard, uploads are cancelled and sent again at once, and the focus is never lost", async () => {
  await open("keys/");
  await network("slow");
  await choose({ name: "a.bin", content: Buffer.alloc(4 * MIB) }, { name: "b.txt", content: "b" });
  await panel().getByRole("button", { name: "Cancel keys/a.bin" }).focus();
  await page.keyboard.press("Enter");
  await panel().getByText("Cancelled", { exact: true }).waitFor();
  expect(await focused()).toBe("Retry keys/a.bin");
  // Cancelled once more before the first request has come to its end. What a press is for is what it shows.
  for (const next of ["Cancel", "Retry", "Cancel"]) {
    await page.keyboard.press("Enter");
    await panel().locator(`[aria-label="${next} keys/a.bin"]:focus`).waitFor();
  }
  await network("unhurried");
  await uploaded("2 files uploaded");
  expect(await focused()).toBe("Files");
  await page.keyboard.press("Shift+Tab");
  expect(await focused()).toBe("Close uploads");
  await page.keyboard.press("Enter");
  await panel().waitFor({ state: "detached" });
  expect(await page.evaluate<boolean>("document.activeElement === document.body")).toBe(false);
  expect((await listed("keys/")).map(({ path }) => path)).toEqual(["keys/a.bin", "keys/b.txt"]);
});

test("a question that is dismissed leaves the next one to be asked", async () => {
  await using tab = await dashboard.openDrive("Asked", { "a.txt": 1, "b.txt": 1, "c.txt": 1 });
  await row(tab, "c.txt").focus();
  await upload(tab, ["a.txt", "b.txt", "c.txt"], "another");
  const uploads = tab.getByRole("region", { name: "Uploads" });
  for (const left of ["(2 so far)", "(1 so far)"]) {
    await tab.getByRole("dialog").getByText(left).waitFor();
    await tab.keyboard.press("Escape");
  }
  await tab.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  await uploads.getByText("Skipped: already exists").nth(1).waitFor();
  await uploads.getByText("Skipped: already exists").nth(2).waitFor({ state: "detached" });
  // Escape has replaced nothing.
  await tab.locator(".cell-size", { hasText: "7 bytes" }).waitFor();
  expect(await tab.locator(".cell-size", { hasText: "1 byte" }).count()).toBe(2);
  await tab.locator(".file-row:focus", { hasText: "c.txt" }).waitFor();
});
