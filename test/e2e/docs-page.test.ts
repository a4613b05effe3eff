import { expect, test } from "bun:test";
import { launchBrowser, newWindow } from "../support/browser.ts";
import { serve } from "../support/executable.ts";
import { bePatient } from "../support/patience.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

bePatient();

test("an operation is tried in the browser, with a key given to Authorize, and no other host is asked", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDir: directory.path });
  const browser = await launchBrowser();
  try {
    const page = await (await newWindow(browser)).newPage();
    const strangers: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${server.url}/`) && !url.startsWith("data:")) strangers.push(url);
    });
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${server.url}/docs`);

    const provision = page.locator("#operations-Drives-provisionDrive");
    await provision.locator(".opblock-summary-control").click();
    await provision.locator(".execute").click();
    const answer = await provision.locator(".live-responses-table .highlight-code code").first().innerText();
    const key = /cof_[0-9a-f]{48}/.exec(answer)?.[0];
    expect(key).toBeDefined();

    await page.locator(".auth-wrapper > .authorize").click();
    await page
      .locator(".auth-container", { hasText: "http, Bearer" })
      .locator("input")
      .fill(key ?? "");
    await page.locator(".auth-btn-wrapper .authorize").first().click();
    await page.locator(".auth-btn-wrapper .btn-done").first().click();

    const list = page.locator("#operations-Drives-listDrives");
    await list.locator(".opblock-summary-control").click();
    await list.locator(".execute").click();
    const drives = await list.locator(".live-responses-table .highlight-code code").first().innerText();
    expect(drives).toContain('"slug": null');
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
  } finally {
    await browser.close();
  }
});
