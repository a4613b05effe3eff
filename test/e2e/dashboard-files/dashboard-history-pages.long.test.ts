import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { complaintsOf } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { putFile } from "../../support/server/drives.ts";
import { signUp } from "../../support/server/executable.ts";
import { inspect } from "../../support/browser/looks.ts";
import { beThorough } from "../../support/server/thorough.ts";

// The pages about the past of a drive and about who may use it, in every look.

beThorough();
const dashboard = openDashboard();
let page: Page;
let complaints: string[];
let made: { readonly drive: string; readonly snapshot: string; readonly file: string };

/** As long and as wide as a name may be. */
const LONG = "W".repeat(64);

beforeAll(async () => {
  made = await fill();
  page = await (await dashboard.windowOf("ada")).newPage();
  complaints = complaintsOf(page);
});

async function fill(): Promise<typeof made> {
  const { owner: ada, server } = dashboard;
  const { client, drive } = ada;
  await signUp(server, "bob");
  await signUp(server, "w".repeat(32));
  const file = await putFile(ada, drive, "river/log.md", "# The river\n\nIt is high.\n");
  const name = `${LONG}/${LONG} \u202Egnp.exe`;
  const longFile = await putFile(ada, drive, name);
  const snapshots = `/v0/drives/${drive}/snapshots`;
  const { data } = await client.post<{ data: { id: string } }>(snapshots, { name: "Before the clean-up" });
  await client.post(snapshots, { name: LONG });
  await client.put(drive, "river/log.md", "# The river\n\nIt is low.\n", 200);
  await client.delete(`/v0/files/${longFile}`);
  const folder = { drive_id: drive, path: `${LONG}/`, confirm: true };
  await client.delete("/v0/folders", folder);
  const link = { drive_id: drive, path: "river/", password: "through the mill" };
  await client.post("/v0/links", link);
  await client.post("/v0/links", { drive_id: drive, path: "river/log.md" });
  for (const [username, role] of [
    ["bob", "editor"],
    ["w".repeat(32), "reader"],
  ] as const) {
    await client.post(`/v0/drives/${drive}/members`, { username, role });
  }
  return { drive, snapshot: data.id, file };
}

/** A page, what it shows, and the button that opens a dialog on it, if one is looked at. */
type Look = readonly [name: string, path: () => string, shows: string, button: string | null];

test.each<Look>([
  ["trash", () => `/trash?drive=${made.drive}`, "Gone for good", null],
  ["trash-delete", () => `/trash?drive=${made.drive}`, "Gone for good", `Delete ${LONG} for good`],
  ["activity", () => `/activity?drive=${made.drive}`, "Deleted the folder", null],
  ["snapshots", () => `/snapshots?drive=${made.drive}`, "Before the clean-up", null],
  ["snapshot-new", () => `/snapshots?drive=${made.drive}`, "Before the clean-up", "Take a snapshot"],
  ["snapshot-restore", () => `/snapshots?drive=${made.drive}`, "Before the clean-up", `Restore ${LONG}`],
  ["snapshot-inside", () => `/snapshots?drive=${made.drive}&inside=${made.snapshot}`, "river", null],
  ["snapshot-compare", () => `/snapshots?drive=${made.drive}&compare=${made.snapshot}`, "river/log.md", null],
  ["links", () => `/links?drive=${made.drive}`, "Shows a folder", null],
  ["link-revoke", () => "/links", "Shows a folder", "Revoke the link to river"],
  ["members", () => `/members?drive=${made.drive}`, "bob", null],
  ["member-new", () => `/members?drive=${made.drive}`, "bob", "Add member"],
  ["member-remove", () => `/members?drive=${made.drive}`, "bob", "Remove bob"],
  ["versions", () => `/drives/${made.drive}/river/?file=${made.file}`, "It is low.", "Versions"],
])("%s", async (name, path, shows, button) => {
  await page.goto(path());
  await page.getByText(shows).first().waitFor();
  if (button !== null) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").last().waitFor();
  }
  if (name === "versions") {
    await page.getByRole("button", { name: /^Compare version 1/ }).click();
    await page.getByRole("region", { name: /^From version 1/ }).waitFor();
  }
  expect(await inspect(page, name)).toEqual([]);
});

test("no page did what its policy forbids", () => {
  expect(complaints).toEqual([]);
});
