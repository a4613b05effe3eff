import { afterAll, expect, test } from "bun:test";
import { borrowBrowser, newWindow, strangersTo } from "../../support/browser/browser.ts";
import { inspect } from "../../support/browser/looks.ts";
import { MANUAL_PAGES } from "../../support/guides/guides.ts";
import { serve } from "../../support/server/executable.ts";

// The manual of the executable in a browser.

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
const server = closing.use(await serve());
const { browser } = closing.use(await borrowBrowser());

test.each(MANUAL_PAGES)("%s is for everybody, in both themes", async (path) => {
  const name = path.replace(/^.*\/(?:README)?|\.md$/g, "");
  const window = await newWindow(browser);
  const page = await window.newPage();
  const strangers = strangersTo(page, server.url);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(`${server.url}/manual${name === "" ? "" : `/${name}`}`);
  expect(await inspect(page, `manual-${name}`)).toEqual([]);
  expect([complaints, strangers]).toEqual([[], []]);
  await window.close();
});
