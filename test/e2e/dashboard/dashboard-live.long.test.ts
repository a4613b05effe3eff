import { expect, test } from "bun:test";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { goFollowing, row } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";

const dashboard = await openDashboard();
const { open, driveWith } = dashboard;

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
