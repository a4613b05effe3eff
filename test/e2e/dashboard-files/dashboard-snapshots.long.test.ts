import { expect, test } from "bun:test";
import { openDashboard } from "../../support/browser/dashboard.ts";
import {
  chooseFor,
  fillForm,
  goFollowing,
  pressAndConfirm,
  pressKeys,
  row,
} from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { signUp } from "../../support/server/executable.ts";

// Snapshots, members and links of a drive, from one end to the other; and a server that goes away.

const dashboard = await openDashboard();
const { open, openDrive, driveWith, paths } = dashboard;

const FILES = { "plan.md": 3, "river/deep/map.txt": 7, "river/log.md": 5 };

test("a drive that was ruined is what it was, and then ruined again, with one press each", async () => {
  const { id } = await driveWith("Ruins", FILES);
  await using page = await open(`/snapshots?drive=${id}`);
  await page.getByText("No snapshots yet").waitFor();
  await fillForm(page, "Take a snapshot", "Name", "Before the clean-up", "Take snapshot");
  await page.getByRole("link", { name: "Before the clean-up", exact: true }).waitFor();

  const { client } = dashboard.owner;
  await client.delete("/v0/folders", { drive_id: id, path: "river/", confirm: true });
  await client.put(id, "junk.txt", "junk");
  await page.getByRole("link", { name: "Before the clean-up", exact: true }).click();
  await page.getByRole("link", { name: "river" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "log.md" }).click();
  expect(await Bun.file(await (await download).path()).text()).toBe("xxxxx");
  await page.getByRole("link", { name: "All snapshots" }).click();
  await page.getByRole("link", { name: "Compare Before the clean-up with now" }).click();
  await page.getByText("river/deep/map.txt").waitFor();
  expect(
    (await page.locator(".difference").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
  ).toEqual(["Added junk.txt", "Removed river/deep/map.txt", "Removed river/log.md"]);
  await pressAndConfirm(page, "Restore", "Restore");
  await page.getByText("Nothing has changed since then.").waitFor();
  expect(await paths(id)).toEqual(Object.keys(FILES));
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("junk.txt").waitFor();
  expect(await paths(id)).toEqual(["junk.txt", "plan.md"]);

  await fillForm(page, "New drive", "Name", "Rebuilt", "Create drive");
  await row(page, "river").waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives/ada/rebuilt/");
});

test("a drive that is shared is changed by editors, only read by readers, and by nobody who was removed", async () => {
  const { id } = await driveWith("Shared", FILES);
  await signUp(dashboard.server, "bob");
  await using page = await open(`/members?drive=${id}`);
  await fillForm(page, "Add member", "Username", "bob", "Add");
  await page.getByRole("heading", { name: "bob" }).waitFor();

  const window = await dashboard.windowOf("bob");
  const theirs = await window.newPage();
  await theirs.goto("/drives");
  await theirs.getByText("shared with you to read").waitFor();
  expect(await theirs.getByRole("button", { name: "Delete Shared" }).count()).toBe(0);
  await theirs.getByRole("link", { name: "Shared" }).click();
  await row(theirs, "plan.md").click({ button: "right" });
  expect(await theirs.getByRole("menuitem").allInnerTexts()).toEqual(
    ["Open", "Download", "Details", "Copy"].map((name) => expect.stringContaining(name)),
  );
  await pressKeys(theirs, "Escape", "Delete");
  expect(await theirs.getByRole("dialog").count()).toBe(0);
  expect(await theirs.getByRole("button", { name: "Upload files" }).count()).toBe(0);
  // No link leads there.
  await theirs.goto(`/snapshots?drive=${id}`);
  await theirs.getByRole("alert").waitFor();
  expect(await theirs.getByRole("button", { name: "Take a snapshot" }).count()).toBe(0);
  await theirs.goto("/drives/ada/shared/");
  await row(theirs, "plan.md").waitFor();

  // The page learns of the other role by the feed.
  await page.getByLabel("What bob may do").selectOption("editor");
  await theirs.getByRole("button", { name: "Upload files" }).waitFor();
  await pressAndConfirm(page, "Remove bob", "Remove");
  await page.getByText("Nobody else uses this drive").waitFor();
  await theirs.reload();
  await theirs.getByText("Page not found").waitFor();
  await window.close();
});

test("a link is made with a password, listed, and works no more once it is revoked", async () => {
  await using page = await openDrive("Linked", FILES);
  await chooseFor(page, "river", "Share");
  await page.getByLabel("Password").fill("through the mill");
  await page.getByRole("button", { name: "Create and copy link" }).click();
  const url = await page.getByLabel("Link", { exact: true }).inputValue();
  const shared = url.replace("/s/", "/v0/shared/");
  expect((await fetch(shared)).status).toBe(401);
  await page.getByRole("dialog").getByRole("link", { name: "Links" }).click();
  await page.getByText("Shows a folder").waitFor();
  await page.getByText("password", { exact: true }).waitFor();
  await pressAndConfirm(page, "Revoke the link to river", "Revoke");
  await page.getByRole("heading", { name: "No links" }).waitFor();
  expect((await fetch(shared)).status).toBe(404);
  expect(await dashboard.owner.client.get(`/v0/links?drive_id=${page.drive.id}`)).toMatchObject({ data: [] });
});

test("what is deleted for good is gone, one by one or all at once", async () => {
  const { id, fileId } = await driveWith("Gone", FILES);
  const { client } = dashboard.owner;
  await client.delete(`/v0/files/${fileId("plan.md")}`);
  await client.delete(`/v0/files/${fileId("river/log.md")}`);
  await client.delete(`/v0/files/${fileId("river/deep/map.txt")}`);
  await using page = await open(`/trash?drive=${id}`);
  await page.getByRole("button", { name: "Delete plan.md for good" }).click();
  await page.getByRole("button", { name: "Delete for good", exact: true }).click();
  await page.getByRole("heading", { name: "plan.md" }).waitFor({ state: "detached" });
  await pressAndConfirm(page, "Empty trash", "Empty trash");
  await page.getByRole("heading", { name: "Nothing in the trash" }).waitFor();
  expect(await client.get(`/v0/trash?drive_id=${id}`)).toMatchObject({ data: [] });
});

test("what happens while the server is away is seen once it is back", async () => {
  const { id, fileId } = await driveWith("Away", { "a.txt": 1, "b.txt": 1 });
  await using page = await open();
  await goFollowing(page, "/drives/ada/away/");
  await row(page, "a.txt").waitFor();
  await dashboard.server.kill();
  await dashboard.restart();
  const { owner } = dashboard;
  const client = dashboard.server.client(owner.key);
  await putFile({ ...owner, client }, id, "c.txt");
  await client.delete(`/v0/files/${fileId("b.txt")}`);
  await row(page, "c.txt").waitFor();
  await row(page, "b.txt").waitFor({ state: "detached" });
  expect(await page.getByRole("alert").count()).toBe(0);
});
