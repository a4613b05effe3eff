import type { Browser, Page } from "playwright-core";
import { launchBrowser, newWindow, signInto } from "../../support/browser/browser.ts";
import { type MadeDrive, makeDrive } from "../../support/server/drives.ts";
import { type Agent, type Server, serveSilently, signUp } from "../../support/server/executable.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { pageWeight } from "../../support/browser/page-weight.ts";
import { time } from "../figures.ts";
import type { Results } from "../results.ts";
import type { Group } from "../run.ts";

// What the dashboard promises about speed, in a real browser on the same machine. These are times that a
// person waits, so they stand beside what a person bears and not beside another measurement.

/** In ms. */
const BEARABLE = { atMost: 1000 };

const FIRST_ROWS = {
  name: "dashboard: first rows of a folder of 1,000 files, nothing cached, ms",
  reach: BEARABLE,
};
const JUMP = { name: "dashboard: to the last of 100,000 files in a folder, ms", reach: BEARABLE };
const SORT = { name: "dashboard: 100,000 files in a folder by size, ms", reach: BEARABLE };
const WEIGHT = { name: "dashboard: script and style, compressed, KiB", reach: { atMost: 120 } };

/** What a person waits for in the dashboard. */
export const dashboard: Group = {
  measures: [FIRST_ROWS, JUMP, SORT, WEIGHT],
  measure: async ({ sizes, results, newPath }) => {
    await using server = await serveSilently({ dataDir: newPath() });
    results.add(WEIGHT, "Coffer", (await pageWeight(server.url)) / 1024);
    await using browser = await launchBrowser();
    const look = { server, browser, owner: await signUp(server, "ada"), times: sizes.rounds, results };
    await firstRows(look);
    await jumpAndSort(look);
  },
};

/** Where the dashboard is looked at: by Ada, in a window that is new each time. */
interface Look {
  readonly server: Server;
  readonly browser: Browser;
  readonly owner: Agent;
  /** How often. */
  readonly times: number;
  readonly results: Results;
}

/** How many milliseconds it takes from the start of the navigation until rows are drawn, with nothing cached. */
async function firstRows(look: Look): Promise<void> {
  const { slug } = await filled(look, "Thousand", 1000);
  for (let run = 0; run < look.times; run += 1) {
    await using page = await openPage(look);
    await page.addInitScript(`window.drawn = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector(".file-row a") === null) return;
        observer.disconnect();
        // The frame after the one that has the rows begins once that is drawn.
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }).observe(document, { childList: true, subtree: true });
    })`);
    await page.goto(`/drives/${slug}/many/`);
    look.results.add(FIRST_ROWS, "Coffer", await page.evaluate<number>("drawn"));
  }
}

/** How many milliseconds it takes from a key or a click until the row that it leads to is there, in a folder of 100,000 files. */
async function jumpAndSort(look: Look): Promise<void> {
  const { id, slug } = await filled(look, "Huge", 100_000);
  await look.owner.client.put(id, "many/0050000.txt", "larger than the others", 200);
  for (let run = 0; run < look.times; run += 1) {
    await using page = await openPage(look);
    await page.goto(`/drives/${slug}/many/`);
    await page.getByRole("link", { name: "0000001.txt" }).waitFor();
    // Only once a row has the focus does a key lead on from it.
    await timeUntil(page, ".file-row:focus", "0000001.txt", () => page.keyboard.press("ArrowUp"));
    const toEnd = () => page.keyboard.press("End");
    look.results.add(JUMP, "Coffer", await timeUntil(page, ".file-row:focus", "0100000.txt", toEnd));
    const bySize = page.getByRole("columnheader", { name: "Size" }).getByRole("button");
    const sort = () => bySize.click();
    look.results.add(SORT, "Coffer", await timeUntil(page, "[data-index='0']", "0050000.txt", sort));
  }
}

/** A drive with so many files in its folder `many/`. */
async function filled({ server, owner }: Look, name: string, count: number): Promise<MadeDrive> {
  const drive = await makeDrive(owner, name, { "one.txt": 1 });
  await addManyFiles(server.dataDir, drive.fileId("one.txt"), count);
  return drive;
}

/** A page in a window of its own, which is closed at the end of its scope. */
async function openPage({ browser, server }: Look): Promise<Page & AsyncDisposable> {
  const context = await newWindow(browser, { baseURL: server.url, viewport: { width: 1280, height: 800 } });
  await signInto(context, server.url, "ada");
  const page = await context.newPage();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

/** Milliseconds until the row has this name; the page looks itself, at every frame. */
async function timeUntil(page: Page, row: string, name: string, act: () => Promise<void>): Promise<number> {
  const shown = page.evaluate(`new Promise((resolve) => {
    const look = () =>
      document.querySelector(${JSON.stringify(`${row} .name`)})?.textContent === ${JSON.stringify(name)}
        ? resolve()
        : requestAnimationFrame(look);
    look();
  })`);
  return time(async () => {
    await act();
    await shown;
  });
}
