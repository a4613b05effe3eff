import { expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { nextFrame } from "../../support/browser/browser.ts";
import { openDashboard } from "../../support/browser/dashboard.ts";
import { pressKeys } from "../../support/browser/drive-page.ts";
import { pdf, pdfLines } from "../../support/samples/documents.ts";
import { putFile } from "../../support/server/drives.ts";

const dashboard = await openDashboard();

/** In ms. Half a second is what people may wait; other work on the machine takes its part. */
const LONGEST_WAIT = 2000;

const ARABIC = "\u0644\u0627".repeat(220_000);
const GROUPS = Array.from(
  { length: 6 },
  (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
).join("");
const LINES = Array.from({ length: 3000 }, (_, at) => `line ${at} ${"x".repeat(400)}`);

/** Letters that few have a font with, between others, and no two lines alike. */
const RARE = Array.from({ length: 5000 }, (_row, line) =>
  Array.from({ length: 35 }, (_, at) =>
    String.fromCodePoint(0x12000 + ((line * 35 + at) % 900), 97 + (at % 26)),
  ).join(""),
);

/** A notebook with an output, given as JSON. */
function notebookOf(output: string): string {
  return `{"cells":[{"cell_type":"code","source":"x","outputs":[{"output_type":"stream","text":${output}}]}]}`;
}

test.each<[name: string, content: string | Uint8Array<ArrayBuffer>]>([
  ["arabic.txt", ARABIC],
  ["arabic.md", ARABIC],
  ["arabic.json", JSON.stringify(ARABIC)],
  ["arabic.csv", ARABIC],
  ["arabic.jsonl", JSON.stringify({ a: ARABIC })],
  ["arabic.ts", `const a = "${ARABIC}";`],
  ["marks.txt", `a${"\u0301".repeat(500_000)}`],
  ["rare.txt", RARE.join("\n")],
  ["rare.md", RARE.slice(0, 1200).join("\n\n")],
  ["rare.csv", RARE.map((line) => line.replaceAll("k", ",")).join("\n")],
  ["references.md", Array.from({ length: 18_000 }, (_, at) => `&#${0x12000 + (at % 900)};a`).join("")],
  ["references.jsonl", `["a${"\\u0301".repeat(900)}"]\n`.repeat(190)],
  ["references.ipynb", notebookOf(`"a${"\\u0301".repeat(100_000)}"`)],
  ["rare.ipynb", notebookOf(JSON.stringify(RARE.join("\n")))],
  ["values.json", `[${"[0],".repeat(90_000)}0]`],
  ["names.json", `{${Array.from({ length: 80_000 }, (_, at) => `"${at}":${at}`).join()}}`],
  ["lines.jsonl", `{"a":[${"0,".repeat(500)}0]}\n`.repeat(1000)],
  ["code.ts", `const a = [1, "text"]; // why\n`.repeat(35_000)],
  ["line.js", `a(1,"b");`.repeat(110_000)],
  ["use.svg", `<svg xmlns="http://www.w3.org/2000/svg"><circle id="l0" r="5"/>${GROUPS}</svg>`],
  ["words.pdf", pdf([pdfLines(...LINES), pdfLines(...LINES)])],
])("%s does not hold the tab, in a preview and on the page of a link", async (path, content) => {
  const { owner, context } = dashboard;
  const id = await putFile(owner, owner.drive, path, content);
  const body = { drive_id: owner.drive, path };
  const { token } = await owner.client.post<{ token: string }>("/v0/links", body);
  const page = await watchedPage(context);
  for (const address of [`/drives/${owner.drive}/?file=${id}`, `/s/${token}`]) {
    await page.goto(address);
    // A page of a PDF that a busy machine draws too slowly is given up, and says so.
    await page.locator(".preview-lines, .prose, .preview-table, .json, .pdf-page > *").first().waitFor();
    expect(await longestWait(page)).toBeLessThan(LONGEST_WAIT);
  }
  await page.close();
});

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

test.each<[name: string, before: string, after: string]>([
  ["one line of Arabic", ARABIC, `${ARABIC}x`],
  [
    "lines of Arabic",
    lines(64, (at) => `${at}${ARABIC.slice(0, 1000)}`),
    lines(64, (at) => `x${at}${ARABIC.slice(0, 1000)}`),
  ],
  ["marks", `a${"\u0301".repeat(500_000)}`, `b${"\u0301".repeat(500_000)}`],
  [
    "few marks on many letters",
    `a${"\u0301".repeat(29)}`.repeat(8000),
    `b${"\u0301".repeat(29)}`.repeat(8000),
  ],
  ["one long line", "x".repeat(2_000_000), "y".repeat(2_000_000)],
  ["many lines", lines(200_000, String), lines(200_000, (at) => String(at * 7))],
  ["reordering", lines(2000, (at) => `\u202e\u2066${at}\u202d`), lines(2000, (at) => `\u2067\u202e${at}`)],
  ["rare letters", "", RARE.join("\n")],
])("what differs between two versions does not hold the tab: %s", async (name, before, after) => {
  const { owner, context } = dashboard;
  const path = `compared ${name}.txt`;
  await putFile(owner, owner.drive, path, before);
  await owner.client.put(owner.drive, path, after, 200);
  const page = await watchedPage(context);
  await page.goto(`/drives/${owner.drive}/`);
  await page.getByRole("row").filter({ hasText: path }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Compare version 1 with the current content" }).click();
  await page.locator(".diff").waitFor();
  expect(await longestWait(page)).toBeLessThan(LONGEST_WAIT);
  await page.close();
});

test("letters that no font here has are shown as such where they are many, and stay where they are few", async () => {
  const { owner, context } = dashboard;
  const [first = ""] = RARE;
  const many = await putFile(owner, owner.drive, "many.txt", `${RARE.slice(0, 100).join("\n")}\n\u0644`);
  const few = await putFile(owner, owner.drive, "few.txt", first);
  const page = await context.newPage();
  const shown = async (id: string) => {
    await page.goto(`/drives/${owner.drive}/?file=${id}`);
    return (await page.locator(".preview-text").first().textContent())?.split("\n").at(0);
  };
  expect(await shown(many)).toBe(first.replaceAll(/[^a-z]/gu, "\ufffd"));
  expect(await shown(few)).toBe(first);
  await page.close();
});

test.each<[path: string, content: string]>([
  ["edited.txt", ARABIC],
  ["marks of edited.txt", `a${"\u0301".repeat(500_000)}`],
  ["rare of edited.txt", RARE.join("\n")],
  ["line of edited.txt", "x".repeat(100_000)],
  ["paragraph.md", "*a_".repeat(1600).concat("\n").repeat(180)],
  ["quotes.md", "> ".repeat(2400).concat("\n").repeat(40)],
  ["nested.json", "[".repeat(4900).concat("\n").repeat(200)],
])("%s does not hold the tab while it is edited, or is not edited", async (path, content) => {
  const { owner, context } = dashboard;
  const id = await putFile(owner, owner.drive, path, content);
  const page = await watchedPage(context);
  await page.goto(`/drives/${owner.drive}/?file=${id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.locator(".cm-focused").or(page.getByText("This file can't be edited here")).waitFor();
  await page.keyboard.type("typed\n");
  expect(await longestWait(page)).toBeLessThan(LONGEST_WAIT);
  await page.close();
});

test("80,000 lines that collide do not hold the tab", async () => {
  const { owner, context } = dashboard;
  const path = "collide.txt";
  const id = await putFile(owner, owner.drive, path, "\n".repeat(80_000));
  const page = await watchedPage(context);
  await page.goto(`/drives/${owner.drive}/?file=${id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.locator(".cm-focused").waitFor();
  await pressKeys(page, "Control+End", "m");
  await owner.client.put(owner.drive, path, `t${"\n".repeat(80_000)}t`, 200);
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Put into the text" }).click();
  await page.getByText("merged into your text").waitFor();
  expect(await longestWait(page)).toBeLessThan(LONGEST_WAIT);
  await page.close();
});

/** A page that notes for how long it was held. */
async function watchedPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(`{
    window.waits = [0];
    new PerformanceObserver((list) => {
      window.waits.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask", buffered: true });
  }`);
  return page;
}

/** Of all until what is there is drawn. */
async function longestWait(page: Page): Promise<number> {
  for (let frames = 0; frames < 3; frames += 1) await nextFrame(page);
  return page.evaluate<number>("Math.max(...window.waits)");
}
