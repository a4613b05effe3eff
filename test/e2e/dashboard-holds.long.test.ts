import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openDashboard } from "../support/dashboard.ts";
import { pdf, pdfLines } from "../support/documents.ts";
import { putFile } from "../support/drives.ts";

const dashboard = openDashboard();

/** In ms. Half a second is what people may wait; other work on the machine takes its part. */
const LONGEST_WAIT = 2000;

const ARABIC = "\u0644\u0627".repeat(220_000);
const GROUPS = Array.from(
  { length: 6 },
  (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
).join("");
const LINES = Array.from({ length: 3000 }, (_, at) => `line ${at} ${"x".repeat(400)}`);

test.each<[name: string, content: string | Uint8Array<ArrayBuffer>]>([
  ["arabic.txt", ARABIC],
  ["arabic.md", ARABIC],
  ["arabic.json", JSON.stringify(ARABIC)],
  ["arabic.csv", ARABIC],
  ["marks.txt", `a${"\u0301".repeat(500_000)}`],
  ["use.svg", `<svg xmlns="http://www.w3.org/2000/svg"><circle id="l0" r="5"/>${GROUPS}</svg>`],
  ["words.pdf", pdf([pdfLines(...LINES), pdfLines(...LINES)])],
])("%s does not hold the tab, in a preview and on the page of a link", async (path, content) => {
  const { owner, context } = dashboard;
  const id = await putFile(owner, owner.drive, path, content);
  const body = { drive_id: owner.drive, path };
  const { token } = await owner.client.json<{ token: string }>(201, "POST", "/v0/links", { body });
  const page = await context.newPage();
  await page.addInitScript(`{
    window.waits = [0];
    new PerformanceObserver((list) => {
      window.waits.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask", buffered: true });
  }`);
  for (const address of [`/drives/${owner.drive}/?file=${id}`, `/s/${token}`]) {
    await page.goto(address);
    await page.locator(".preview-lines, .prose, .preview-table, .pdf-texts").first().waitFor();
    expect(await longestWait(page)).toBeLessThan(LONGEST_WAIT);
  }
  await page.close();
});

/** Of all until what is there is drawn. */
async function longestWait(page: Page): Promise<number> {
  const frame = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))";
  for (let frames = 0; frames < 3; frames += 1) await page.evaluate(frame);
  return page.evaluate<number>("Math.max(...window.waits)");
}
