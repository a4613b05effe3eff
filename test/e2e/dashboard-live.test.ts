import { expect, test } from "bun:test";
import { openDashboard } from "../support/dashboard.ts";
import { row, rowInFocus } from "../support/drive-page.ts";
import { putFile } from "../support/drives.ts";

const dashboard = openDashboard();
const { open, driveWith } = dashboard;

test("a folder, its tree and a preview follow what others do; selection, focus and scroll stay", async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${100 + at}.txt`, 1]));
  const { id, fileId } = await driveWith("Live", { ...files, "box/in.txt": 1 });
  const { owner } = dashboard;
  await using page = await open("/drives/ada/live/");
  await row(page, "f100.txt").waitFor();
  await page.evaluate("scrollTo(0, 1200)");
  await page.getByLabel("Select f130.txt").click();
  await rowInFocus(page, "f130.txt");
  const scrolled = await page.evaluate<number>("scrollY");

  await putFile(owner, id, "f130-beside.txt");
  await row(page, "f130-beside.txt").waitFor();
  await owner.client.json(200, "DELETE", `/v0/files/${fileId("f131.txt")}`);
  await row(page, "f131.txt").waitFor({ state: "detached" });
  const body = { path: "f132-renamed.txt" };
  await owner.client.json(200, "PATCH", `/v0/files/${fileId("f132.txt")}`, { body });
  await row(page, "f132-renamed.txt").waitFor();
  await putFile(owner, id, "new/deep/x.txt");
  await page.getByRole("treeitem", { name: "new" }).waitFor();
  await owner.client.json(200, "DELETE", "/v0/folders", {
    body: { drive_id: id, path: "box/", confirm: true },
  });
  await page.getByRole("treeitem", { name: "box" }).waitFor({ state: "detached" });

  await rowInFocus(page, "f130.txt");
  expect(await page.getByLabel("Select f130.txt").isChecked()).toBe(true);
  expect(await page.evaluate<number>("scrollY")).toBe(scrolled);

  await page.goto(`/drives/ada/live/?file=${fileId("f103.txt")}`);
  await page.locator(".preview-text", { hasText: "x" }).waitFor();
  await owner.client.json(200, "PUT", `/v0/files?drive_id=${id}&path=f103.txt`, {
    body: "written by an agent",
  });
  await page.getByText("written by an agent").waitFor();
});
