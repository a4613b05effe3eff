import { beforeEach } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { lead, mischiefIn } from "./browser.ts";
import { openDashboard } from "./dashboard.ts";

/** What a file can hold. */
export type Content = string | Uint8Array<ArrayBuffer>;

/** A dashboard with one page, on which previews of files are opened one after another. */
export async function openPreviews() {
  const dashboard = await openDashboard();
  const { owner } = dashboard;
  const page: Page = await dashboard.context.newPage();
  const strangers = mischiefIn(page, dashboard.server.url);
  await page.goto(`/drives/${owner.drive}/`);
  beforeEach(() => void (strangers.length = 0));
  const preview = (): Locator => page.locator("dialog.preview");

  /** Stores a file; its id. `type` is what its owner says it is. */
  const store = (path: string, content: Content, type?: string): Promise<string> => {
    const query = type === undefined ? "" : `&content_type=${encodeURIComponent(type)}`;
    return owner.client.store(owner.drive, path, content, query);
  };
  return {
    dashboard,
    page,
    /** Everything that the page asked of anybody else in the test, and every dialog that a script opened. */
    strangers,
    store,
    /** Stores a file and opens its preview. */
    show: async (path: string, content: Content, type?: string): Promise<void> => {
      const file = await store(path, content, type);
      // Else the file before stays in the preview until the answer comes.
      await lead(page, `/drives/${owner.drive}/`);
      await preview().waitFor({ state: "detached" });
      await lead(page, `/drives/${owner.drive}/?file=${file}`);
      await preview().waitFor();
    },
    /** The preview that is open. */
    preview,
    /** Waits until it shows a text. */
    shown: (text: string | RegExp): Promise<void> => preview().getByText(text).first().waitFor(),
    /** Chooses how the file is shown, such as its source. */
    view: (name: string): Promise<void> => preview().getByRole("button", { name, exact: true }).click(),
  };
}
