import { afterEach, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { row, tooEarly, upload } from "../../support/browser/drive-page.ts";
import { type ListedFile, listFiles } from "../../support/server/drives.ts";
import { eventually } from "../../support/server/scenario.ts";
import { isThorough } from "../../support/server/thorough.ts";

const MIB = 1024 * 1024;
const UNHURRIED = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

const dashboard = await openDashboard({ env: { COFFER_MAX_FILE_SIZE: "8MiB" } });
const page = await dashboard.context.newPage();
const devtools = await dashboard.context.newCDPSession(page);
let lastChoice = 0;

/** Opens a folder of the drive, with its slash. */
async function open(folder: string): Promise<void> {
  await page.goto(`/drives/${dashboard.owner.drive}/${folder}`);
  await page.getByRole("button", { name: "Upload files" }).waitFor();
}

interface Sent {
  readonly name: string;
  readonly content: string | Buffer;
}

/** Chooses files of this machine by the button, as the browser's file dialog gives them. */
async function choose(...files: readonly Sent[]): Promise<void> {
  const root = join(dashboard.disk, `chosen ${(lastChoice += 1)}`);
  await Promise.all(files.map(({ name, content }) => Bun.write(join(root, name), content)));
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files" }).click();
  await (await choosing).setFiles(files.map(({ name }) => join(root, name)));
}

/** A directory on this machine with these files in it. */
async function folderWith(name: string, paths: readonly string[]): Promise<string> {
  const root = join(dashboard.disk, name);
  await mkdir(root, { recursive: true });
  await Promise.all(paths.map((path) => Bun.write(join(root, path), `this is ${path}`)));
  return root;
}

/** Drags something of this machine over the page until that takes it; returns what lets go of it. */
async function dragOver(path: string): Promise<() => Promise<unknown>> {
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const drag = (type: "dragEnter" | "dragOver" | "drop") =>
    devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  await drag("dragEnter");
  // Over the page the pointer goes on telling where it is, until somebody listens.
  await eventually(async () => {
    await drag("dragOver");
    return page.locator(".drop-hint").isVisible();
  });
  return () => drag("drop");
}

/** Drops something of this machine on the page, as a file manager does. */
async function drop(path: string): Promise<void> {
  await (
    await dragOver(path)
  )();
}

const question = () => page.getByRole("dialog", { name: "already exists" });
const panel = () => page.getByRole("region", { name: "Uploads" });

function uploaded(headline: string): Promise<void> {
  return panel().getByRole("heading", { name: headline, exact: true }).waitFor();
}

async function closePanel(): Promise<void> {
  await panel().getByRole("button", { name: "Close uploads" }).click();
  await panel().waitFor({ state: "detached" });
}

function listed(prefix: string): Promise<ListedFile[]> {
  return listFiles(dashboard.owner, dashboard.owner.drive, prefix);
}

/** The folders directly in one. */
async function foldersIn(prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ drive_id: dashboard.owner.drive, prefix, delimiter: "/" });
  const { folders } = await dashboard.owner.client.get<{ folders: string[] }>(
    `/v0/files?${query.toString()}`,
  );
  return folders;
}

/** What has the focus, by its name. */
function focused(): Promise<string | null> {
  return page.locator(":focus").getAttribute("aria-label");
}

async function contentOf(path: string): Promise<string | undefined> {
  const found = (await listed(path)).find((file) => file.path === path);
  if (found === undefined) return undefined;
  return (await dashboard.owner.client.send("GET", `/v0/files/${found.id}/download`)).text;
}

/** What a test leaves open is in the way of the next. */
afterEach(async () => {
  if ((await panel().count()) > 0) await closePanel();
});

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

  if (isThorough()) {
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

  test("what is dropped as the page changes below it arrives", async () => {
    const root = await folderWith("quick", ["a.txt"]);
    await open("quick/");
    const letGo = await dragOver(root);
    // The list comes, or becomes another. The page hears that what is there was entered, and nothing more.
    await page.evaluate("document.elementFromPoint(400, 300).remove()");
    await letGo();
    await uploaded("1 file uploaded");
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
    expect((await listed("guarded/")).map(({ path }) => path)).toEqual([
      "guarded/a.txt",
      "guarded/deep/c.txt",
    ]);
    await notice.getByRole("button", { name: "Close" }).click();
    await notice.waitFor({ state: "detached" });
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
    const data = { items: [], files: [join(root, "a.txt")], dragOperationsMask: 1 };
    const drag = (type: "dragEnter" | "dragOver") =>
      devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
    await drag("dragEnter");
    await eventually(async () => {
      await drag("dragOver");
      return page.evaluate<boolean>("window.answer !== undefined");
    });
    expect(await page.evaluate<unknown>("window.answer")).toEqual([true, "none"]);
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

/** Uploads files whose places are taken, by `old`, and waits to be asked. */
async function collide(names: readonly string[], content: string | Buffer = "new"): Promise<void> {
  for (const name of names) {
    await dashboard.owner.client.store(dashboard.owner.drive, `taken/${name}`, "old");
  }
  await open("taken/");
  await choose(...names.map((name) => ({ name, content })));
  await question().waitFor();
}

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

  test("one answer serves for all, large files among them", async () => {
    const names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"].map((name) => `all ${name}`);
    await collide(names, Buffer.alloc(300 * 1024, "n"));
    await question().getByLabel("Do the same for all others").check();
    await question().getByRole("button", { name: "Keep both" }).click();
    await uploaded("5 files uploaded");
    expect((await listed("taken/all")).map(({ path }) => path)).toEqual(
      names.flatMap((name) => [`taken/${name.replace(".txt", " (2).txt")}`, `taken/${name}`]),
    );
  });
});

describe("when it does not go smoothly", () => {
  /** So slow that the large files below are still on their way when whatever is done meanwhile is done. */
  const slow = { ...UNHURRIED, uploadThroughput: 24 * 1024 };

  test("by keyboard: cancelled and sent again at once, and the focus is never lost", async () => {
    await open("keys/");
    await devtools.send("Network.emulateNetworkConditions", slow);
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
    await devtools.send("Network.emulateNetworkConditions", UNHURRIED);
    await uploaded("2 files uploaded");
    expect(await focused()).toBe("Files");
    await page.keyboard.press("Shift+Tab");
    expect(await focused()).toBe("Close uploads");
    await page.keyboard.press("Enter");
    await panel().waitFor({ state: "detached" });
    expect(await page.evaluate<boolean>("document.activeElement === document.body")).toBe(false);
    expect((await listed("keys/")).map(({ path }) => path)).toEqual(["keys/a.bin", "keys/b.txt"]);
  });

  if (isThorough()) {
    test("an upload is cancelled and leaves nothing, then retried; leaving the page meanwhile asks", async () => {
      await open("slow/");
      await devtools.send("Network.emulateNetworkConditions", slow);
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
      await devtools.send("Network.emulateNetworkConditions", UNHURRIED);
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
      // However fast the machine is, it is not through with them before they are cancelled.
      await devtools.send("Network.emulateNetworkConditions", { ...UNHURRIED, latency: 200 });
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
      await devtools.send("Network.emulateNetworkConditions", UNHURRIED);
    });

    test("a server that stops is said to, and once it is back everything goes on", async () => {
      await open("back/");
      await devtools.send("Network.emulateNetworkConditions", slow);
      await choose({ name: "one.bin", content: Buffer.alloc(2 * MIB) }, { name: "two.txt", content: "two" });
      // The small one is through.
      await panel()
        .getByText(/^1 of 2 · .*\/s ·/)
        .waitFor();
      await dashboard.server.kill();
      await panel().getByText("Uploads wait for the server").waitFor();
      expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
      await dashboard.restart();
      await devtools.send("Network.emulateNetworkConditions", UNHURRIED);
      await uploaded("2 files uploaded");
      expect((await contentOf("back/one.bin"))?.length).toBe(2 * MIB);
    });
  }
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
