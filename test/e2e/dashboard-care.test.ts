import { describe, expect, test } from "bun:test";
import { openDashboard } from "../support/dashboard.ts";
import { closeDialog, row } from "../support/drive-page.ts";

// What shows that the page was made for people: it keeps up with others, and loses nothing of theirs.

const dashboard = openDashboard({ owner: "alice" });
const { open, driveWith } = dashboard;

describe("what is gone leaves the list as soon as that is known:", () => {
  const attempts: Record<string, { readonly choice: string; readonly submit: string }> = {
    renamed: { choice: "Rename", submit: "Rename" },
    detailed: { choice: "Details", submit: "Save" },
    linked: { choice: "Copy link", submit: "Create the link" },
  };
  for (const [name, { choice, submit }] of Object.entries(attempts)) {
    test(`to be ${name}`, async () => {
      const { fileId, slug } = await driveWith(`Gone ${name}`, { "gone.txt": 1, "kept.txt": 1 });
      await using page = await open(`/drives/${slug}/`);
      await row(page, "gone.txt").click({ button: "right" });
      await page.getByRole("menuitem", { name: choice }).click();
      const dialog = page.getByRole("dialog");
      if (choice === "Rename") await dialog.getByLabel("Name", { exact: true }).fill("new.txt");
      await dashboard.owner.client.json(200, "DELETE", `/v0/files/${fileId("gone.txt")}`);
      await dialog.getByRole("button", { name: submit }).click();
      await dialog.getByRole("alert").getByText("Request").waitFor();
      await page.locator(".file-row", { hasText: "gone.txt" }).waitFor({ state: "detached" });
      expect(await dialog.isVisible()).toBe(true);
      await closeDialog(page);
      await page.locator(".file-row:focus", { hasText: "kept.txt" }).waitFor();
    });
  }
});
