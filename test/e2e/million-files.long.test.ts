import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { launchBrowser, signInto } from "../support/browser/browser.ts";
import { serve, signUp } from "../support/server/executable.ts";
import { addManyFiles } from "../support/samples/many-files.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const FILES = 1_000_000;

interface Sight {
  /** Rows in the window, from the top. */
  readonly rows: readonly number[];
  /** The greatest distance between a row's end and the next one's start, in pixels. */
  readonly gap: number;
  /** The row that has the focus; null where it is not in the window. */
  readonly focused: number | null;
}

/** What a person sees of the list, once the page has drawn it. */
function sight(page: Page): Promise<Sight> {
  return page.evaluate<Sight>(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const boxes = [...document.querySelectorAll(".file-row")]
      .map((row) => ({ row: Number(row.dataset.index), ...row.getBoundingClientRect().toJSON() }))
      .filter(({ top, bottom }) => bottom > 0 && top < innerHeight);
    const gaps = boxes.slice(1).map(({ top }, index) => Math.abs(top - boxes[index].bottom));
    const focused = Number(document.activeElement.dataset.index);
    const rows = boxes.map(({ row }) => row);
    resolve({ rows, gap: Math.max(...gaps), focused: rows.includes(focused) ? focused : null });
  })))`);
}

test("1,000,000 files, taller than browsers make an element, are gone through to the last", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serve({ dataDir: directory.path });
  const alice = await signUp(server, "alice");
  const { id } = await alice.client.put(alice.drive, "one.txt");
  await addManyFiles(server.dataDir, id, FILES);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await signInto(page.context(), server.url, "alice");
  await page.goto(`${server.url}/drives/alice/files/many/`);
  await page.getByRole("link", { name: "0000001.txt" }).waitFor();

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.getByRole("link", { name: "1000000.txt" }).waitFor();
  expect(await sight(page)).toMatchObject({ focused: FILES - 1 });

  // Half-way down, where a pixel of the page is several of the list.
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)");
  const middle = (await sight(page)).rows[8] ?? 0;
  expect(Math.abs(middle - FILES / 2)).toBeLessThan(1000);
  await page.locator(`[data-index='${middle}'] a`).waitFor();
  await page.locator(`[data-index='${middle}'] .cell-size`).click();
  for (const [key, presses, moved] of [
    ["ArrowDown", 30, 30],
    ["ArrowUp", 60, -30],
    ["PageDown", 3, 6],
    ["PageUp", 3, -30],
  ] as const) {
    for (let press = 0; press < presses; press += 1) await page.keyboard.press(key);
    const { focused, gap, rows } = await sight(page);
    expect(focused).toBe(middle + moved);
    expect(gap).toBeLessThan(1);
    expect(rows.length).toBeGreaterThan(10);
  }
  await page.keyboard.press("Home");
  await page.getByRole("link", { name: "0000001.txt" }).waitFor();
  expect(await sight(page)).toMatchObject({ focused: 0 });
});
