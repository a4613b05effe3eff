import { beforeAll, describe, expect, test } from "bun:test";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { queriesOf } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { row, rowInFocus, tooEarly } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";
import { addManyFiles, addManyFolders } from "../../support/samples/many-files.ts";
import { eventually } from "../../support/server/scenario.ts";

// What is loaded in parts, late, once, or not at all.

const dashboard = await openDashboard({ owner: "alice" });
const { open, driveWith } = dashboard;

describe("where the server asks to wait, a page comes by itself:", () => {
  const pages: Record<string, { readonly address: string; readonly asks: string; readonly heading: string }> =
    {
      "any at first": { address: "/keys", asks: "**/v0/account", heading: "Keys" },
      "the drives": { address: "/drives", asks: "**/v0/drives", heading: "Patient" },
      "a drive": { address: "/drives/alice/patient/", asks: "**/v0/drives/alice*", heading: "Patient" },
    };
  beforeAll(() => driveWith("Patient"));
  for (const [name, { address, asks, heading }] of Object.entries(pages)) {
    test.concurrent(name, async () => {
      await using page = await open();
      await page.route(asks, (route) => route.fulfill(tooEarly(1)), { times: 1 });
      const refused = page.waitForResponse((response) => response.status() === 429);
      await page.goto(address);
      await refused;
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    });
  }
});

test("rows that the server has no time for say so where they are, and come by themselves", async () => {
  const { fileId } = await driveWith("Later", { "one.txt": 1 });
  await addManyFiles(dashboard.server.dataDir, fileId("one.txt"), 3000);
  await using page = await open("/drives/alice/later/many/");
  await row(page, "0000001.txt").focus();
  // By itself it asks again, which is answered only once the page has been looked at.
  const lookedAt = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/v0/files?*page=6*", async (route) => {
    asked += 1;
    if (asked === 1) return route.fulfill(tooEarly(1));
    await lookedAt.promise;
    return route.continue();
  });
  await page.keyboard.press("End");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  const box = await alert.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect(box?.y).toBeLessThan(200);
  // It parts what can be done from nothing.
  const upload = await page.getByRole("button", { name: "Upload files" }).boundingBox();
  const tool = await page.getByRole("button", { name: "New folder" }).boundingBox();
  expect(upload?.y).toBe(tool?.y ?? 0);
  lookedAt.resolve();
  await rowInFocus(page, "0003000.txt");
  await alert.waitFor({ state: "detached" });
  expect(asked).toBe(2);
});

test("the list and the tree ask for the folder that is open once", async () => {
  await driveWith("Asked", { "a/b/c.txt": 1 });
  await using page = await open();
  const asked = queriesOf(page, "/v0/folders");
  await page.goto("/drives/alice/asked/");
  const item = (name: string) => page.getByRole("treeitem", { name, exact: true });
  await item("a").click();
  await item("b").click();
  await row(page, "c.txt").waitFor();
  await page.goBack();
  await row(page, "b").waitFor();
  await eventually(async () => asked.length === 4);
  expect(asked.map((query) => query.get("path") ?? "")).toEqual(["", "a/", "a/b/", "a/"]);
});

test("folders too many to be put in order by size are said to be by name", async () => {
  const { id: drive, slug } = await driveWith("Ordered", { "folders/1000/a.txt": 1, "few/a/b.txt": 1 });
  await putFile(dashboard.owner, drive, "folders/z.txt");
  await addManyFolders(dashboard.server.dataDir, 501);
  await using page = await open(`/drives/${slug}/folders/`);
  await page.getByText("502 folders, 1 file").waitFor();
  const note = page.getByText("There are too many folders to sort by size");
  expect(await note.count()).toBe(0);
  await page.getByRole("button", { name: "Size" }).click();
  await note.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Name" }).click();
  await note.waitFor({ state: "detached" });
});
