import { resolve } from "node:path";
import { instantOf } from "../../../src/db/files/files.ts";
import { launchBrowser, newWindow, signInto } from "../../support/browser/browser.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { putFile } from "../../support/server/drives.ts";
import { serve, type Server, signUp } from "../../support/server/executable.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

// Takes the screenshot in the README from the running executable: `npm run screenshot`.

const TARGET = resolve(import.meta.dir, "../../../web/screenshot.png");
/** In pixels of the page; the picture has twice as many each way. */
const SIZE = { width: 1120, height: 640 };
const COLOURS = 32;

/** The folder that is shown. */
const FOLDER = "kitchen/";
/** The files of the drive: their sizes in bytes, and how many minutes ago they were changed. */
const FILES: readonly (readonly [path: string, bytes: number, minutesAgo: number])[] = [
  ["kitchen/budget.csv", 3_480, 190],
  ["kitchen/comparison.md", 6_120, 12],
  ["kitchen/contractor-call.mp3", 4_812_000, 60 * 26],
  ["kitchen/floor-plan.pdf", 862_300, 60 * 24 * 9],
  ["kitchen/inspiration.webp", 241_700, 60 * 24 * 6],
  ["kitchen/notes.md", 1_930, 4],
  ["kitchen/offers/oak-and-sons.pdf", 391_000, 55],
  ["kitchen/offers/tile-works.pdf", 274_500, 55],
  ["kitchen/photos/window.jpg", 2_950_000, 60 * 24 * 12],
  ["inbox.md", 820, 30],
  ["recipes/week.md", 2_100, 60 * 24],
  ["research/heat-pumps/summary.md", 9_400, 60 * 50],
  ["taxes/receipts/january.pdf", 88_000, 60 * 24 * 20],
  ["travel/lisbon/itinerary.md", 4_700, 60 * 24 * 3],
];

/** A drive as an agent and its human may have filled it; its slug. */
async function fill(server: Server): Promise<string> {
  const ada = await signUp(server, "ada");
  await ada.client.patch(`/v0/drives/${ada.drive}`, { name: "Home" });
  const changes: string[] = [];
  for (const [path, bytes, minutesAgo] of FILES) {
    await putFile(ada, ada.drive, path, "x".repeat(bytes));
    changes.push(`UPDATE file SET updated_at = updated_at - ${minutesAgo * 60_000} WHERE path = '${path}'`);
  }
  changeDatabase(server.dataDir, ...changes, `UPDATE file SET updated_text = ${instantOf("updated_at")}`);
  return "ada/home";
}

await using place = await temporaryDirectory();
await using server = await serve({ dataDir: place.path });
const slug = await fill(server);
await using browser = await launchBrowser();
const window = await newWindow(browser, {
  baseURL: server.url,
  viewport: SIZE,
  deviceScaleFactor: 2,
  colorScheme: "light",
  reducedMotion: "reduce",
});
await signInto(window, server.url, "ada");
const page = await window.newPage();
await page.goto(`/drives/${slug}/${FOLDER}`);
await page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
await page.getByRole("tree").getByText("photos").waitFor();
const picture = await page.screenshot();
await Bun.write(TARGET, await new Bun.Image(picture).png({ palette: true, colors: COLOURS }).bytes());
