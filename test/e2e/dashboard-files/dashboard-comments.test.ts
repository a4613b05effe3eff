import { expect, test } from "bun:test";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { chooseInPreview, goFollowing } from "../../support/browser/drive-page.ts";
import { inspect } from "../../support/browser/looks.ts";
import { putFile } from "../../support/server/drives.ts";
import { longTest } from "../../support/server/thorough.ts";

const dashboard = await openDashboard();
const { open, driveWith, owner } = dashboard;

interface Said {
  readonly id: string;
}

const say = (file: string, body: { readonly [name: string]: string | number }) =>
  owner.client.post<Said>(`/v0/files/${file}/comments`, body);

test("what agents say of a file stands beside it, at its lines; people answer and resolve it", async () => {
  const { id } = await driveWith("Talk");
  const file = await putFile(owner, id, "plan.txt", "one\ntwo\nthree\n");
  const first = await say(file, { text: "Is two right, @ada?", start_line: 2 });
  const long = "W".repeat(64);
  const done = await say(file, { text: `Spelt right? ${long} \u202Egnp.exe` });
  await owner.client.patch(`/v0/comments/${done.id}`, { resolved: true });
  await using page = await open();
  await goFollowing(page, `/drives/ada/talk/?file=${file}`);
  const panel = page.getByRole("complementary", { name: "Comments" });
  await page.getByRole("button", { name: "Comments 1" }).click();
  await panel.getByText("Is two right, @ada?").waitFor();
  expect(await panel.locator(".said-place").first().textContent()).toBe("Line 2");
  expect((await page.locator(".commented").allTextContents()).join("")).toBe("2\n");
  await page.getByText("Resolved (1)").click();
  expect(await inspect(page, "comments")).toEqual([]);

  // Others change the text, and answer.
  await owner.client.put(id, "plan.txt", "zero\none\ntwo\nthree\n", 200);
  await page.getByRole("button", { name: "Show the new one" }).click();
  await panel.getByText("Line 3").waitFor();
  await say(file, { text: "I think so.", reply_to: first.id });
  await panel.getByText("I think so.").waitFor();

  await panel.getByRole("button", { name: "Reply" }).first().click();
  await panel.getByLabel("Reply").fill("Thanks.");
  await panel.getByRole("button", { name: "Send reply" }).click();
  await panel.getByText("Thanks.").waitFor();
  await panel.getByLabel("New comment").fill("And these?");
  await panel.getByLabel("Lines").fill("1 to 2");
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await panel.getByText("Give one line, such as 12").waitFor();
  await panel.getByLabel("Lines").fill("1-9");
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await panel.getByRole("alert").getByText("at most 4").waitFor();
  await panel.getByLabel("Lines").fill("3-4");
  await panel.getByRole("button", { name: "Comment", exact: true }).click();
  await panel.getByText("Lines 3–4").waitFor();
  await panel.getByRole("button", { name: "Resolve" }).first().click();
  await page.getByText("Resolved (2)").waitFor();
  const { data } = await owner.client.get<{ data: object[] }>(`/v0/files/${file}/comments?resolved=false`);
  expect(data).toMatchObject([{ text: "And these?", start_line: 3, end_line: 4, by: { type: "user" } }]);
  await panel.getByRole("button", { name: "Delete" }).click();
  await panel.getByText("Everything here is resolved.").waitFor();
});

longTest("a version says why it came, and has a label that one gives it", async () => {
  const { id } = await driveWith("Labels");
  const file = await owner.client.store(id, "plan.txt", "one", "&message=First%20draft");
  await owner.client.store(id, "plan.txt", "two", "&message=Second%20draft");
  await using page = await open();
  await goFollowing(page, `/drives/ada/labels/?file=${file}`);
  await chooseInPreview(page, "Versions");
  for (const draft of ["First draft", "Second draft"]) await page.getByText(draft).waitFor();
  for (const [version, label] of [
    [1, "approved"],
    [2, "approved"],
  ] as const) {
    await page.getByRole("button", { name: `Label version ${version}` }).click();
    await page.getByLabel("Label", { exact: true }).fill(label);
    await page.getByRole("button", { name: "Save" }).click();
    const at = page.getByRole("listitem").filter({ has: page.getByText(label) });
    await at.filter({ hasText: version === 1 ? "First draft" : "Second draft" }).waitFor();
    expect(await at.count()).toBe(1);
  }
  expect(await inspect(page, "labels")).toEqual([]);
});

longTest("the activity shows why something was done, and what was said", async () => {
  const { id } = await driveWith("Reasons");
  const file = await owner.client.store(id, "plan.txt", "one", "&message=First%20draft");
  await say(file, { text: "Why?" });
  await using page = await open(`/activity?drive=${id}`);
  await page.getByText("First draft").waitFor();
  await page.getByText("Commented on").waitFor();
  const link = page.getByRole("link", { name: "plan.txt" });
  expect(await link.count()).toBe(2);
  // What becomes of it is said where it was made, and leads to where it is.
  const moved = page.getByRole("listitem").filter({ hasText: "Added plan.txt" });
  await owner.client.post(`/v0/files/${file}/move`, { destination_path: "box/plan.txt" }, 200);
  await moved.getByText("(now at box/plan.txt)").waitFor();
  expect(await inspect(page, "moved on")).toEqual([]);
  await owner.client.delete("/v0/folders", { drive_id: id, path: "box/", confirm: true });
  await moved.getByText("(deleted since)").waitFor();
  expect(await page.getByRole("link", { name: "plan.txt" }).count()).toBe(0);
  expect(await inspect(page, "reasons")).toEqual([]);
});
