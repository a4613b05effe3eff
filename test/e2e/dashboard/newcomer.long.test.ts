import { expect, test } from "bun:test";
import { connectMcp } from "../../support/peers/mcp.ts";
import { borrowBrowser, complaintsOf, newWindow } from "../../support/browser/browser.ts";
import { row } from "../../support/browser/drive-page.ts";
import { serve } from "../../support/server/executable.ts";

// What a person does on the first evening, led by nothing but the link of the first start, within the limits of a new
// server.

const NEW_SERVER = {
  COFFER_RATE_LIMITS: "free=60,pro=300,team=1000",
  COFFER_PROVISIONS_PER_HOUR: "10",
};

test("a newcomer connects an agent, watches it, undoes a deletion of it, mends a text and shares it", async () => {
  await using server = await serve({ env: NEW_SERVER });
  const link = /http:\/\/\S+\/auth\/setup\?token=[\w-]{43}/;
  const [setup = ""] = (await server.stderr.until(link)) ?? [];
  await using borrowed = await borrowBrowser();
  const context = await newWindow(borrowed.browser, { baseURL: server.url });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  await page.goto(setup.replace(/^http:\/\/[^/]+/, server.url));
  await page.getByRole("textbox", { name: /^Username/ }).fill("noor");
  await page.getByLabel("Password", { exact: true }).fill("a river in spring");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Drives", exact: true }).waitFor();
  await press("New drive");
  await page.getByRole("textbox", { name: /^Name/ }).fill("Notes");
  await press("Create drive");
  await page.getByRole("link", { name: "Notes", exact: true }).click();
  await page.locator(".empty").getByRole("button", { name: "Connect an agent" }).click();
  await press("Create key");
  await press("Copy the command");
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  const [, url, key] = /"(.+)\/mcp" --header "Authorization: Bearer (.+)"$/.exec(command) ?? [];
  await using agent = await connectMcp(url ?? "", key, "2025-11-25");
  const write = (path: string, text: string) => agent.get("write_file", { path, text });
  await write("log.md", "# The river\n\nIt is high.\n");
  await page.getByText("Connected, and wrote log.md just now.").waitFor();
  await press("Done");

  // It is watched.
  await write("birds.csv", "bird,seen\nheron,3\n");
  await row(page, "birds.csv").waitFor();
  await agent.get("delete", { paths: ["birds.csv"] });
  await row(page, "birds.csv").waitFor({ state: "detached" });

  // A deletion is undone where it is told.
  await page.getByRole("link", { name: "Activity", exact: true }).click();
  await page.getByText("birds.csv").first().waitFor();
  await press("Undo: Deleted birds.csv");
  await page.getByText(/^Took back 1 change/).waitFor();
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await row(page, "birds.csv").waitFor();

  // A text is mended, and the agent reads it.
  await page.getByRole("link", { name: "log.md", exact: true }).click();
  await press("Edit");
  await page.getByRole("textbox", { name: /^Text of/ }).press("Control+End");
  await page.keyboard.type("It was low in May.");
  await press("Save");
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await press("Done");
  const { text } = await agent.call("read_file", { path: "log.md" });
  expect(text).toContain("It was low in May.");

  // It is shared with somebody who has no account.
  await press("Share");
  await press("Create and copy link");
  await page.getByText("Copied to the clipboard.").waitFor();
  const shared = await page.getByRole("textbox", { name: /^Link/ }).inputValue();
  const other = await (await newWindow(borrowed.browser)).newPage();
  await other.goto(shared);
  await other.getByText("It was low in May.").waitFor();
  expect(complaints).toEqual([]);
});
