import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblemsInEachScheme } from "../../support/browser/axe.ts";
import { mischiefIn, newWindow } from "../../support/browser/browser.ts";
import type { Json } from "../../support/server/client.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { enter } from "../../support/browser/drive-page.ts";
import { putFile } from "../../support/server/drives.ts";

const dashboard = await openDashboard();
const HOSTILE = "<img src=x onerror=alert(1)>.txt";
const { owner } = dashboard;

async function link(body: { [name: string]: Json }): Promise<string> {
  return (await owner.client.post<{ token: string }>("/v0/links", { drive_id: owner.drive, ...body })).token;
}

const files = {
  "photos/notes.md": "# Title\n\nSome *text*, and a [link](https://example.com).\n",
  "photos/2030/deep.txt": "deep\n",
  "photos/2030/README.md": "# What happened then\n",
  [`photos/${HOSTILE}`]: "hostile",
  "photos/page.html": "<script>alert(1)</script><h1>Page</h1>",
};
for (const [path, content] of Object.entries(files)) await putFile(owner, owner.drive, path, content);
const folder = await link({ path: "photos/" });
const file = await link({ path: "photos/notes.md" });
const locked = await link({ path: "photos/", password: "open sesame" });

/** A page of somebody without an account. Until the end of its scope it must have done nothing that it must not. */
async function stranger(viewport = { width: 1280, height: 800 }): Promise<Page & AsyncDisposable> {
  const context = await newWindow(dashboard.browser, { baseURL: dashboard.server.url, viewport });
  const page = await context.newPage();
  const faults = mischiefIn(page, dashboard.server.url);
  page.on("request", (request) => {
    const { referer } = request.headers();
    if (referer !== undefined && referer !== "") faults.push(`${request.url()} with the Referer ${referer}`);
  });
  return Object.assign(page, {
    [Symbol.asyncDispose]: async () => {
      await context.close();
      expect(faults).toEqual([]);
    },
  });
}

const preview = (page: Page) => page.locator("dialog.preview");

describe.each([
  ["a desktop", { width: 1280, height: 800 }],
  ["a phone", { width: 360, height: 740 }],
] as const)("on %s", (_, viewport) => {
  test("a folder is looked through, and its files are shown", async () => {
    await using page = await stranger(viewport);
    await page.goto(`/s/${folder}`);
    await page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
    expect(await page.title()).toBe("photos · Coffer");
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.getByRole("link", { name: HOSTILE, exact: true }).click();
    await preview(page).getByText("hostile", { exact: true }).waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await preview(page).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "page.html", exact: true }).click();
    await preview(page).getByText("<script>alert(1)</script>").waitFor();
    await page.getByRole("button", { name: "Close preview" }).click();
    await page.getByRole("link", { name: "2030", exact: true }).click();
    await page.getByRole("heading", { name: "What happened then" }).waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    await page.getByRole("link", { name: "deep.txt", exact: true }).click();
    await preview(page).getByText("deep", { exact: true }).waitFor();
    await page.reload();
    await preview(page).getByText("deep", { exact: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    await preview(page).getByRole("heading", { name: "What happened then" }).waitFor();
    await page.getByRole("button", { name: "Previous file" }).click();
    await preview(page).getByText("deep", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("navigation").getByRole("link", { name: "photos" }).click();
    await page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test("a file is shown on the page itself", async () => {
    await using page = await stranger(viewport);
    await page.goto(`/s/${file}`);
    await page.getByText("Some").first().waitFor();
    expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("notes.md");
  });
});

test("a password is asked for, refused and taken, and the browser keeps it", async () => {
  await using page = await stranger();
  await page.goto(`/s/${locked}`);
  await enter(page.getByLabel("Password"), "wrong");
  await page.getByText("The password is wrong.").waitFor();
  expect(await accessibilityProblemsInEachScheme(page)).toEqual([]);
  await enter(page.getByLabel("Password"), "open sesame");
  await page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("link", { name: "notes.md", exact: true }).click();
  await preview(page).getByText("Some").first().waitFor();
});

test("a link that is none says so, and nobody may frame the page", async () => {
  await using page = await stranger();
  await page.goto("/s/shr_none");
  await page.getByText("This link is not valid").waitFor();
  const { headers } = await fetch(`${dashboard.server.url}/s/${folder}`);
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("x-robots-tag")).toBe("noindex");
});
