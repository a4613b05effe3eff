import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { row, tooEarly, upload } from "../../support/browser/drive-page.ts";
import { MIB, openUploads } from "../../support/browser/uploads.ts";

const opened = await openUploads();
const { dashboard, page, panel, question, open, choose, uploaded, closePanel, listed, contentOf } = opened;
const { folderWith, drop, collide, network, focused } = opened;

test("a dropped folder of 200 files arrives whole", async () => {
  // More in one folder than a browser hands out at a time, and folders beside them.
  const paths = Array.from({ length: 200 }, (_, at) =>
    at < 150 ? `file ${at}.txt` : `part ${at % 7}/file ${at}.txt`,
  );
  const root = await folderWith("dropped", paths);
  await open("");
  await drop(root);
  await uploaded("200 files uploaded");
  const arrived = await listed("dropped/");
  expect(arrived.map(({ path }) => path)).toEqual(paths.map((path) => `dropped/${path}`).toSorted());
  expect(await contentOf("dropped/part 3/file 150.txt")).toBe("this is part 3/file 150.txt");
});

test("what of a dropped folder cannot be read is named, and the rest arrives", async () => {
  const root = await folderWith("guarded", ["a.txt", "locked.txt", "closed/b.txt", "deep/c.txt"]);
  await open("");
  // As browsers answer where the person may not read what they dropped.
  await page.evaluate(`{
    const error = new DOMException("The requested file could not be read", "NotReadableError");
    const refuse = (_, failed) => failed(error);
    const getEntry = DataTransferItem.prototype.webkitGetAsEntry;
    DataTransferItem.prototype.webkitGetAsEntry = function () {
      const entry = getEntry.call(this);
      const directory = Object.getPrototypeOf(entry);
      const createReader = directory.createReader;
      directory.createReader = function () {
        if (this.name === "closed") return { readEntries: refuse };
        const reader = createReader.call(this);
        const readEntries = (resolve, reject) =>
          reader.readEntries((entries) => {
            for (const one of entries) if (one.name === "locked.txt") one.file = refuse;
            resolve(entries);
          }, reject);
        return { readEntries };
      };
      return entry;
    };
  }`);
  await drop(root);
  await uploaded("2 files uploaded");
  const notice = page.getByRole("alert").filter({ hasText: "2 items couldn't be read" });
  expect((await notice.getByRole("listitem").allTextContents()).toSorted()).toEqual([
    "guarded/closed",
    "guarded/locked.txt",
  ]);
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  expect((await listed("guarded/")).map(({ path }) => path)).toEqual(["guarded/a.txt", "guarded/deep/c.txt"]);
  await notice.getByRole("button", { name: "Close" }).click();
  await notice.waitFor({ state: "detached" });
});

test("where places are taken, one answer serves for all, large files among them", async () => {
  const names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"].map((name) => `all ${name}`);
  await collide(names, Buffer.alloc(300 * 1024, "n"));
  await question().getByLabel("Do the same for all others").check();
  await question().getByRole("button", { name: "Keep both" }).click();
  await uploaded("5 files uploaded");
  expect((await listed("taken/all")).map(({ path }) => path)).toEqual(
    names.flatMap((name) => [`taken/${name.replace(".txt", " (2).txt")}`, `taken/${name}`]),
  );
});

test("an upload is cancelled and leaves nothing, then retried; leaving the page meanwhile asks", async () => {
  await open("slow/");
  await network("slow");
  await choose({ name: "film.bin", content: Buffer.alloc(4 * MIB) });
  await panel().getByText("/s ·").waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  const asked = page.waitForEvent("dialog");
  const leaving = page.evaluate("location.reload()");
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await leaving;
  await panel().getByRole("button", { name: "Cancel slow/film.bin" }).click();
  await panel().getByText("Cancelled", { exact: true }).waitFor();
  expect(await listed("slow/")).toEqual([]);
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);

  // It goes on while one looks at other pages.
  await panel().getByRole("button", { name: "Retry slow/film.bin" }).click();
  await panel().getByText("/s ·").waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drives" }).click();
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
  await network("unhurried");
  await uploaded("1 file uploaded");
  expect((await contentOf("slow/film.bin"))?.length).toBe(4 * MIB);
});

test("where the server takes no more requests for now, that is said, and it goes on by itself", async () => {
  await open("busy/");
  let refusals = 0;
  await page.route("**/v0/files?*", (route) => {
    const isFirst = route.request().method() === "PUT" && (refusals += 1) === 1;
    return isFirst ? route.fulfill(tooEarly(1)) : route.continue();
  });
  // It goes on after a second, whether or not somebody has looked by then.
  await page.evaluate(`{
    window.said = [];
    const look = () => said.push(...Array.from(
      document.querySelectorAll(".uploads-rest, [role=status]"), ({ textContent }) => textContent));
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  }`);
  await choose({ name: "patient.txt", content: "patient" });
  await uploaded("1 file uploaded");
  expect(await page.evaluate<string[]>("said")).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Uploads paused \(rate limit\)\. Resuming in 1 s\.$/),
      expect.stringMatching(/^Uploads paused \(rate limit\)$/),
    ]),
  );
  await page.unroute("**/v0/files?*");
  expect(await contentOf("busy/patient.txt")).toBe("patient");
});

test("uploads leave requests for looking around, and wait for more only while there is more to send", async () => {
  await open("sparing/");
  await page.route("**/v0/files?*", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    const response = await route.fetch();
    const few = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "14", "x-ratelimit-reset": "900" };
    await route.fulfill({ response, headers: { ...response.headers(), ...few } });
  });
  const rest = panel().locator(".uploads-rest");
  await choose(...["a", "b", "c", "d", "e"].map((name) => ({ name, content: name })));
  expect(await rest.textContent()).toMatch(/Resuming in [89]\d\d s\.$/);
  await panel().getByText("3 of 5").waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  await panel().getByRole("button", { name: "Cancel all" }).click();
  await uploaded("3 files uploaded, 2 cancelled");
  await closePanel();
  await choose({ name: "f", content: "f" });
  await uploaded("1 file uploaded");
  expect(await rest.count()).toBe(0);
  await page.unroute("**/v0/files?*");
});

test("5,000 files wait in line, of which the page shows a few, and are cancelled together", async () => {
  await open("many/");
  await network("distant");
  await page.evaluate(`{
    const input = document.querySelector("input[type=file]");
    const files = new DataTransfer();
    for (let at = 0; at < 5000; at += 1) files.items.add(new File(["x".repeat(at)], at + ".txt"));
    input.files = files.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }`);
  await uploaded("Uploading 5,000 files");
  await panel()
    .getByText(/^[1-9][\d,]* of 5,000 · .* left$/)
    .waitFor();
  expect(await panel().getByRole("listitem").count()).toBe(101);
  await panel().getByRole("button", { name: "Cancel all" }).focus();
  await page.keyboard.press("Enter");
  await panel()
    .getByRole("heading", { name: /uploaded, [\d,]+ cancelled$/ })
    .waitFor();
  expect(await focused()).toBe("Uploads");
  await network("unhurried");
});

test("a server that stops is said to, and once it is back everything goes on", async () => {
  await open("back/");
  await network("slow");
  await choose({ name: "one.bin", content: Buffer.alloc(2 * MIB) }, { name: "two.txt", content: "two" });
  // The small one is through.
  await panel()
    .getByText(/^1 of 2 · .*\/s ·/)
    .waitFor();
  await dashboard.server.kill();
  await panel().getByText("Uploads wait for the server").waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  await dashboard.restart();
  await network("unhurried");
  await uploaded("2 files uploaded");
  expect((await contentOf("back/one.bin"))?.length).toBe(2 * MIB);
});

/** The folders directly in one. */
async function foldersIn(prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ drive_id: dashboard.owner.drive, prefix, delimiter: "/" });
  const { folders } = await dashboard.owner.client.get<{ folders: string[] }>(
    `/v0/files?${query.toString()}`,
  );
  return folders;
}

test("folders that hold nothing arrive as well, inside a dropped one and by themselves", async () => {
  const root = await folderWith("hollow", ["a.txt"]);
  await mkdir(join(root, "empty"));
  await mkdir(join(root, "deep", "er"), { recursive: true });
  await open("");
  await drop(root);
  await uploaded("3 items uploaded");
  expect(await foldersIn("hollow/")).toEqual(["hollow/deep/", "hollow/empty/"]);
  expect(await foldersIn("hollow/deep/")).toEqual(["hollow/deep/er/"]);

  const nothing = join(dashboard.disk, "nothing at all");
  await mkdir(nothing);
  // What is done is not counted again.
  await drop(nothing);
  await uploaded("1 folder uploaded");
  expect(await foldersIn("")).toContain("nothing at all/");
  await page.getByRole("link", { name: "nothing at all" }).first().waitFor();
});

test("a picture that is pasted arrives under a name of its own, and files under theirs; a text is not pasted", async () => {
  await open("pasted/");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(4, 4);
    canvas.getContext("2d").fillRect(0, 0, 2, 2);
    const picture = await canvas.convertToBlob();
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  })()`);
  await page.keyboard.press("Control+v");
  await uploaded("1 file uploaded");
  const [picture] = await listed("pasted/");
  expect(picture).toMatchObject({
    path: expect.stringMatching(/^pasted\/pasted-[0-9]{4}(-[0-9]{2}){5}\.png$/),
    mime_type: "image/png",
  });
  await closePanel();

  /** Pastes files with these names, and a text where there is one; whether the page takes it. */
  const paste = (target: string, names: readonly string[], text?: string) =>
    page.evaluate<boolean>(`{
      const clipboardData = new DataTransfer();
      for (const name of ${JSON.stringify(names)}) clipboardData.items.add(new File(["x"], name));
      const text = ${JSON.stringify(text ?? null)};
      if (text !== null) clipboardData.setData("text/plain", text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      !document.querySelector(${JSON.stringify(target)}).dispatchEvent(event);
    }`);
  expect(await paste("body", [], "a text")).toBe(false);
  // A spreadsheet puts a picture of what was copied beside it.
  expect(await paste("body", ["image.png"], "1\t2")).toBe(false);
  expect(await paste("input[type=search]", ["a.txt"])).toBe(false);
  expect(await paste("body", ["a.txt", "b.txt"], "a.txt")).toBe(true);
  await uploaded("2 files uploaded");
  expect((await listed("pasted/")).map(({ path }) => path).slice(0, 2)).toEqual([
    "pasted/a.txt",
    "pasted/b.txt",
  ]);
  await closePanel();
});

test("a double click on Replace replaces the file that was asked about, not the next one too", async () => {
  await using tab = await dashboard.openDrive("Replaced", { "a.txt": 1, "b.txt": 1 });
  await upload(tab, ["a.txt", "b.txt"], "another");
  const dialog = tab.getByRole("dialog");
  await dialog.getByText("(1 so far)").waitFor();
  const isFirst = (await dialog.getByRole("heading").innerText()).startsWith("a.txt");
  const [first, next] = isFirst ? ["a.txt", "b.txt"] : ["b.txt", "a.txt"];
  await dialog.getByRole("button", { name: "Replace" }).dblclick({ delay: 50 });
  await dialog.getByRole("heading", { name: `${next} already exists` }).waitFor();
  await dialog.getByRole("button", { name: "Skip" }).click();
  await dialog.waitFor({ state: "detached" });
  await row(tab, first).locator(".cell-size", { hasText: "7 bytes" }).waitFor();
  await row(tab, next).locator(".cell-size", { hasText: "1 byte" }).waitFor();
});
