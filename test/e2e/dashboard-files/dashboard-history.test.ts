import { expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import {
  chooseInPreview,
  closeDialog,
  confirmDelete,
  goFollowing,
  renameTo,
  row,
  rowInFocus,
  upload,
} from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";

const dashboard = await openDashboard();
const { open, driveWith, paths } = dashboard;

test("what was deleted, moved or replaced comes back with Undo, by mouse and keyboard", async () => {
  const { id, fileId } = await driveWith("Slips", {
    "a.txt": 1,
    "b.txt": 2,
    "box/c.txt": 3,
    "box/d/e.txt": 4,
  });
  const before = await paths(id);
  await using page = await open("/drives/ada/slips/");
  await page.getByLabel("Select a.txt").click();
  await page.getByLabel("Select box").click();
  await page.getByRole("button", { name: "Delete" }).click();
  await confirmDelete(page, "1 file (1 byte) and 1 folder with 2 files in it");
  await page.getByText("Deleted 2 items.").first().waitFor();
  expect(await paths(id)).toEqual(["b.txt"]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Put back 2 items.").first().waitFor();
  await row(page, "box").waitFor();
  expect(await paths(id)).toEqual(before);

  await page.getByLabel("Select b.txt").click();
  await renameTo(page, "renamed.txt");
  await rowInFocus(page, "renamed.txt");
  await page.keyboard.press("Control+z");
  await row(page, "b.txt").waitFor();

  await upload(page, ["b.txt"], "something else");
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByText("Replaced “b.txt”.").first().waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByText("Put back what “b.txt” held before.").first().waitFor();
  await row(page, "b.txt").locator(".cell-size", { hasText: "2 bytes" }).waitFor();
  const answer = await dashboard.owner.client.send("GET", `/v0/files/${fileId("b.txt")}/download`);
  expect(answer.text).toBe("xx");
});

test("versions are compared and restored, and the trash gives back what it holds", async () => {
  const { id, fileId } = await driveWith("Past", { "old/gone.txt": 1 });
  const plan = await putFile(dashboard.owner, id, "plan.md", "one\ntwo\nthree\n");
  await dashboard.owner.client.put(id, "plan.md", "one\n2\nthree\n", 200);
  await dashboard.owner.client.delete(`/v0/files/${fileId("old/gone.txt")}`);
  await using page = await open(`/drives/ada/past/?file=${plan}`);
  await chooseInPreview(page, "Versions");
  await page.getByRole("button", { name: "Compare version 1 with the current content" }).click();
  const diff = page.getByRole("region", { name: "From version 1 to the current content" });
  await diff.waitFor();
  expect(
    (await diff.locator(".diff-removed, .diff-added").allTextContents()).map((line) => line.trim()),
  ).toEqual(["− removed: two", "+ added: 2"]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("heading", { name: "Version 2" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  // The preview below shows what the file holds now.
  await page.getByText("two").first().waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("navigation", { name: "This drive" }).getByRole("link", { name: "Trash" }).click();
  await page.getByRole("button", { name: "Put back gone.txt" }).click();
  await page.getByText("Put “gone.txt” back into old/.").waitFor();
  await page.getByText("Nothing in the trash").waitFor();
  expect(await paths(id)).toEqual(["old/gone.txt", "plan.md"]);

  const gone = { drive_id: id, paths: ["old/", "plan.md"] };
  await dashboard.owner.client.post("/v0/files/bulk-delete", gone, 200);
  await page.getByLabel("Select old").check();
  await page.getByRole("button", { name: "Put back 1 item" }).click();
  await page.getByText("Put back 1 item.").waitFor();
  expect(await paths(id)).toEqual(["old/gone.txt"]);
  await page.getByRole("button", { name: "Put back all" }).click();
  await page.getByText("Nothing in the trash").waitFor();
  expect(await paths(id)).toEqual(["old/gone.txt", "plan.md"]);
});

longTest("a folder, its tree and a preview follow what others do; selection and focus stay", async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${100 + at}.txt`, 1]));
  const { id, fileId } = await driveWith("Live", { ...files, "box/in.txt": 1 });
  const { owner } = dashboard;
  await using page = await open();
  await goFollowing(page, "/drives/ada/live/");
  await row(page, "f100.txt").waitFor();
  await page.evaluate("scrollTo(0, 1200)");
  await page.getByLabel("Select f130.txt").click();
  await rowInFocus(page, "f130.txt");
  const scrolled = await page.evaluate<number>("scrollY");

  await putFile(owner, id, "f130-beside.txt");
  await row(page, "f130-beside.txt").waitFor();
  await owner.client.delete(`/v0/files/${fileId("f131.txt")}`);
  await row(page, "f131.txt").waitFor({ state: "detached" });
  const body = { path: "f132-renamed.txt" };
  await owner.client.patch(`/v0/files/${fileId("f132.txt")}`, body);
  await row(page, "f132-renamed.txt").waitFor();
  await putFile(owner, id, "new/deep/x.txt");
  await page.getByRole("treeitem", { name: "new" }).waitFor();
  await owner.client.delete("/v0/folders", { drive_id: id, path: "box/", confirm: true });
  await page.getByRole("treeitem", { name: "box" }).waitFor({ state: "detached" });

  await rowInFocus(page, "f130.txt");
  expect(await page.getByLabel("Select f130.txt").isChecked()).toBe(true);
  expect(await page.evaluate<number>("scrollY")).toBe(scrolled);

  await goFollowing(page, `/drives/ada/live/?file=${fileId("f103.txt")}`);
  await page.locator(".preview-text", { hasText: "x" }).waitFor();
  await owner.client.put(id, "f103.txt", "written by an agent", 200);
  // It says so first: whoever reads keeps what they read.
  const said = page.getByRole("dialog").getByRole("status");
  await said.getByText("This file was changed by").waitFor();
  await page.locator(".preview-text", { hasText: "x" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await said.getByRole("button", { name: "Show the new one" }).click();
  await page.getByText("written by an agent").waitFor();
  expect(await said.getByText("This file was").count()).toBe(0);
  await owner.client.put(id, "f103.txt", "and again", 200);
  await said.getByRole("button", { name: "Put this one back" }).click();
  await said.getByText("This file was").waitFor({ state: "detached" });
  await page.getByText("written by an agent").waitFor();
  await owner.client.delete(`/v0/files/${fileId("f103.txt")}`);
  await said.getByText("This file was deleted by").waitFor();
  await page.getByText("written by an agent").waitFor();
  await said.getByRole("button", { name: "Put back" }).click();
  await said.getByText("This file was").waitFor({ state: "detached" });
  expect(await owner.client.send("GET", `/v0/files/${fileId("f103.txt")}`)).toMatchObject({ status: 200 });
});

if (isThorough()) {
  test("a deletion that lasts is shown with how far it is, and can be stopped", async () => {
    const { id, fileId } = await driveWith("Slow", { "first.txt": 1 });
    const { server, owner } = dashboard;
    await addManyFiles(server.dataDir, fileId("first.txt"), 1000);
    // It fails at one of the files, and waits to be tried again.
    changeDatabase(
      server.dataDir,
      `CREATE TRIGGER sabotage BEFORE DELETE ON file WHEN OLD.path = 'many/0000900.txt'
       BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
    );
    await using page = await open();
    await goFollowing(page, "/drives/ada/slow/");
    const body = { drive_id: id, path: "many/", confirm: true };
    await owner.client.json(503, "DELETE", "/v0/folders", { body });
    const works = page.getByRole("list", { name: "Changes under way" });
    await works.getByText(/^Deleting many\/ \d+ of 1,000 files$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await works.getByRole("button", { name: "Stop" }).click();
    await page.getByText("What was deleted so far comes back.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await works.waitFor({ state: "hidden" });
    await row(page, "many").locator(".cell-size, .cell-count").first().waitFor();
    expect(await paths(id, "many/")).toHaveLength(1000);
    changeDatabase(server.dataDir, "DROP TRIGGER sabotage");
  });
}

test("what an agent did since the last visit is told and marked, until it is seen, and taken back at once", async () => {
  const { id } = await driveWith("Watched", { "plan.md": 1, "notes/a.md": 1, "b.md": 2 });
  const { client } = dashboard.owner;
  const { key } = await client.makeKey({ name: "research-agent" });
  const agent = dashboard.server.client(key);
  await using page = await open("/drives/ada/watched/");
  await row(page, "plan.md").waitFor();
  const leave = async () => {
    const noted = page.waitForResponse((answer) => answer.url().endsWith("/visit") && answer.ok());
    const following = page.waitForResponse(
      (answer) =>
        answer.url().includes("/v0/changes?cursor=") &&
        answer.headers()["content-type"] === "text/event-stream",
    );
    await page.getByRole("link", { name: "Drives" }).first().click();
    await Promise.all([noted, following]);
  };
  await leave();

  await agent.put(id, "notes/new.md", "x");
  await agent.put(id, "plan.md", "replaced by an agent", 200);
  await agent.delete(`/v0/files/by-path?drive_id=${id}&path=b.md`);
  const told = page.getByRole("region", { name: "Since your last visit" });
  await told.getByText("research-agent wrote 2 files and deleted 1 in Watched").waitFor();
  await page.locator(".drive-card", { hasText: "Watched" }).locator(".news-mark").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await told.getByRole("link", { name: "Watched" }).click();
  const mark = (name: string) => row(page, name).locator(".news-mark");
  expect(await mark("notes").textContent()).toBe("changed ");
  await mark("plan.md").waitFor();
  await page.getByRole("link", { name: "plan.md" }).click();
  await page.getByRole("dialog").getByText("replaced by an agent").waitFor();
  await closeDialog(page);
  await mark("plan.md").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "notes", exact: true }).first().click();
  expect(await mark("new.md").textContent()).toBe("new ");
  expect(await mark("a.md").count()).toBe(0);

  await told.getByRole("button", { name: "Undo" }).click();
  await page.getByText("They are: 1 deleted and 2 written.").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
  await page.getByText("Took back 3 changes.").first().waitFor();
  expect(await paths(id)).toEqual(["b.md", "notes/a.md", "plan.md"]);
  await told.waitFor({ state: "detached" });
  await page.reload();
  await row(page, "a.md").waitFor();
  expect(await told.count()).toBe(0);

  await leave();
  await agent.put(id, "once more.md", "x");
  await told.getByText("research-agent wrote 1 file in Watched").waitFor();
  await told.getByRole("button", { name: "Dismiss" }).click();
  await told.waitFor({ state: "detached" });
  expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("MAIN");
  expect(await page.locator(".news-mark").count()).toBe(0);
});

longTest(
  "activity is filtered by the address, shows what a content became, and takes an entry back",
  async () => {
    const { id } = await driveWith("Busy", { "other.md": 1 });
    const { client } = dashboard.owner;
    const { key } = await client.makeKey({ name: "busy-agent" });
    const agent = dashboard.server.client(key);
    for (const name of ["1", "2", "3", "4"]) await agent.put(id, `data/${name}.csv`, "x");
    await agent.put(id, "other.md", "more", 200);
    await client.post("/v0/files/bulk-delete", { drive_id: id, paths: ["data/1.csv", "data/2.csv"] }, 200);
    await using page = await open(`/activity?drive=${id}`);
    await page.getByText("Deleted 2 files in data/").waitFor();
    await page.getByRole("button", { name: "Show: Deleted 2 files in data/" }).click();
    await page.getByText("Deleted data/1.csv").waitFor();

    await page.getByLabel("Who").selectOption({ label: "busy-agent" });
    await page.getByText("Deleted 2 files in data/").waitFor({ state: "detached" });
    await page.getByLabel("Folder").fill("data");
    await page.keyboard.press("Enter");
    await page.getByText("Wrote 4 files").waitFor();
    expect(new URL(page.url()).searchParams.get("folder")).toBe("data/");
    await page.getByRole("button", { name: "Show: Wrote 4 files" }).click();
    await page.getByText("Added data/3.csv").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("button", { name: "Show: Wrote 5 files" }).click();
    await page.getByRole("button", { name: "Compare: Changed other.md" }).click();
    await page.getByRole("region", { name: "From version 1 to 2" }).getByText("more").waitFor();
    await page.getByRole("button", { name: "Undo: Changed other.md" }).click();
    await page.getByText("Took back 1 change.").first().waitFor();
    const answer = await client.send("GET", `/v0/files/by-path/download?drive_id=${id}&path=other.md`);
    expect(answer.text).toBe("x");
    await page.getByLabel("What").selectOption({ label: "Moved" });
    await page.getByText("Nothing found").waitFor();
  },
);
